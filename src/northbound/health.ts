/** Liveness and readiness, for whatever supervises the process. */
import { A2AError } from "../protocol/errors.ts";
import type { Method } from "../protocol/methods.ts";
import type { Handler } from "./http.ts";

/** Where the process is in its life; whoever starts and stops it moves it on. */
export interface Lifecycle {
  readonly phase: "starting" | "ready" | "stopping";
  /** The store cannot keep new work. */
  readonly hasStoreTrouble?: boolean;
}

/** Throws the error that a call of the method is refused with at present, if it is. */
export function requireReady(
  { phase, hasStoreTrouble }: Lifecycle,
  { starts }: Pick<Method, "starts">,
): void {
  if (starts !== false && phase === "stopping") throw new A2AError("shutting-down");
  if (starts === "task" && hasStoreTrouble) throw new A2AError("store-unavailable");
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
    const { phase, hasStoreTrouble } = lifecycle;
    const status = phase === "ready" && hasStoreTrouble ? "store-unavailable" : phase;
    ctx.status = status === "ready" ? 200 : 503;
    ctx.body = { status };
  };
