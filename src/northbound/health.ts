/** Liveness and readiness, for whatever supervises the process. */
import type { Handler } from "./http.ts";

/** Where the process is in its life; whoever starts and stops it moves it on. */
export interface Lifecycle {
  readonly phase: "starting" | "ready" | "stopping";
}

/** The process answers. */
export const healthz: Handler = (ctx) => {
  ctx.set("Cache-Control", "no-store");
  ctx.body = { status: "ok" };
};

/** The process wants new work. */
export const readyz =
  (lifecycle: Lifecycle): Handler =>
  (ctx) => {
    ctx.set("Cache-Control", "no-store");
    ctx.status = lifecycle.phase === "ready" ? 200 : 503;
    ctx.body = { status: lifecycle.phase };
  };
