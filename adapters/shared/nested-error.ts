/** Some servers wrap every error in an internal error (-32603), with the real one in its `data` or `data.error`. */
import { isRecord } from "./object.ts";

/** A JSON-RPC error, of which `message` may be empty. */
export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
const MAX_DEPTH = 3;

/** The error inside an internal error, or the error itself. An inner error without a message keeps the outer one's. */
export function innermost(error: ErrorObject): ErrorObject {
  let found = error;
  for (let depth = 0; depth < MAX_DEPTH && found.code === INTERNAL_ERROR; depth++) {
    const inside = nested(found.data);
    if (!inside) break;
    found = { ...inside, message: inside.message || (inside.code === INTERNAL_ERROR ? found.message : "") };
  }
  return found;
}

/**
 * The agent has no such method, so nothing has happened there. An inner error must name the method: it could be that of
 * a tool that the agent has called.
 */
export function isUnknownMethod(error: ErrorObject, method: string): boolean {
  if (error.code === METHOD_NOT_FOUND) return true;
  const { code, message } = innermost(error);
  return code === METHOD_NOT_FOUND && message.includes(method);
}

function nested(data: unknown): ErrorObject | undefined {
  if (!isRecord(data)) return undefined;
  const { code, message, error } = data;
  if (typeof code !== "number") return isRecord(error) ? nested(error) : undefined;
  return { code, message: typeof message === "string" ? message : "", data: data["data"] };
}
