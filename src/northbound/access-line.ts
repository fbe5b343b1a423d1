/** The access log, as far as it is the same for HTTP and gRPC. */

import type { A2AError } from "../protocol/errors.ts";

/** What it says of a request, besides what the transport says. */
export interface AccessLine {
  agent?: string;
  dialect?: string;
  method?: string;
  task?: string | undefined;
  /** Who calls, where that is asked. */
  principal?: string;
  /** `ok`, an error's code, or how a stream ended. */
  outcome: string;
}

/** What the access log says of an error. An agent's own -32603 is not the proxy's `internal-error`. */
export const outcomeOf = (error: A2AError): string =>
  error.code === "internal-error" && !error.isOwnFault ? "agent-error" : error.code;

const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The request's name: the one that the client gave it, where that is sane. */
export const requestIdOf = (given: string, newId: () => string): string =>
  SANE_REQUEST_ID.test(given) ? given : newId();
