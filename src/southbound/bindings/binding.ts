/** How the methods of a dialect reach an agent, whatever they travel over. */
import type { MethodName } from "../../protocol/methods.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { CallScope } from "../http.ts";

export interface BoundCall {
  readonly method: MethodName;
  /** As the dialect's codec has encoded them. */
  readonly params: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: CallScope;
}

export interface Binding {
  /** Resolves with the result, not yet decoded; rejects with an A2AError. */
  call(request: BoundCall): Promise<unknown>;
  /** Yields each event, not yet decoded; throws an A2AError, before or in the stream. */
  stream(request: BoundCall): AsyncIterable<unknown>;
}

/** Of a method that the dialect does not have over this binding. */
export const methodMissing = (dialect: string, method: MethodName): A2AError =>
  new A2AError("unsupported-operation", { message: `${dialect} has no method for ${method}` });
