/** The line of the access log for a gRPC call. */
import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "pino";
import { textIn } from "./grpc-door.ts";

/** What the access log says of a call. */
export interface CallLine {
  request: string;
  agent?: string;
  dialect?: string;
  method?: string;
  task?: string | undefined;
  principal?: string;
  outcome: string;
}

interface Logged {
  readonly line: CallLine;
  /** Logs the call, which is over. */
  readonly finish: () => void;
}

const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The line of a new call, with the id that the client gave it where that is sane. */
export function logged(
  metadata: Metadata,
  rpc: string,
  { log, newId }: { readonly log: Logger; readonly newId: () => string },
): Logged {
  const given = textIn(metadata, "x-request-id") ?? "";
  const line: CallLine = { request: SANE_REQUEST_ID.test(given) ? given : newId(), outcome: "ok" };
  const start = performance.now();
  const finish = (): void => {
    if (!log.isLevelEnabled("info")) return;
    log.info({ ...line, rpc, duration: Math.round(performance.now() - start) }, "request");
  };
  return { line, finish };
}
