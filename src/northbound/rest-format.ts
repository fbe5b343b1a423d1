/** How HTTP+JSON writes answers and errors, which differs between the routes below `/v1` and those without it. */
import type { A2AError } from "../protocol/errors.ts";
import type { Answer } from "./served-card.ts";
import type { Framing } from "./sse.ts";

export interface RestFormat {
  readonly framing: Framing;
  /** The body of an answer; undefined: there is none (204). */
  answer(method: string, result: Answer): unknown;
  /** The body of an error, as JSON. */
  error(error: A2AError): string;
}
