/** How many connections a port has open at once. The next is closed as soon as it is accepted. */
import type { Server } from "node:net";
import type { Logger } from "pino";

/** Between two lines of the log about one port, ms: whoever opens connections must not fill the disk as well. */
const QUIET = 60_000;

/** @param what the connections are called in the log */
export function limitConnections(server: Server, { limit, what, log }: ConnectionLimit): void {
  server.maxConnections = limit;
  let refused = 0;
  let isQuiet = false;
  const report = (): void => {
    isQuiet = refused > 0;
    if (!isQuiet) return;
    log.warn({ limit, refused }, `refused ${what}: as many are open as may be`);
    refused = 0;
    setTimeout(report, QUIET).unref();
  };
  server.on("drop", () => {
    refused += 1;
    if (!isQuiet) report();
  });
}

export interface ConnectionLimit {
  readonly limit: number;
  readonly what: string;
  readonly log: Logger;
}
