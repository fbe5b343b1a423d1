/** The line of the access log for a gRPC call. */
import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "pino";
import { requestIdOf, type AccessLine } from "./access-line.ts";
import { textIn } from "./grpc-door.ts";

export interface CallLine extends AccessLine {
  request: string;
}

interface Logged {
  readonly line: CallLine;
  /** Logs the call, which is over. */
  readonly finish: () => void;
}

/** The line of a new call, with the id that the client gave it where that is sane. */
export function logged(
  metadata: Metadata,
  rpc: string,
  { log, newId }: { readonly log: Logger; readonly newId: () => string },
): Logged {
  const request = requestIdOf(textIn(metadata, "x-request-id") ?? "", newId);
  const line: CallLine = { request, outcome: "ok" };
  const start = performance.now();
  const finish = (): void => {
    if (!log.isLevelEnabled("info")) return;
    log.info({ ...line, rpc, duration: Math.round(performance.now() - start) }, "request");
  };
  return { line, finish };
}
