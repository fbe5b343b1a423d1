/** The body of a request that carries JSON: refused early, bounded, and decoded strictly. */
import type { Request } from "koa";
import rawBody from "raw-body";
import { A2AError } from "../protocol/errors.ts";

/**
 * `application/json` and `application/*+json`. Forms and plain text are refused before their body is read: a page on
 * another site can post those to a proxy on loopback without asking, whereas for JSON the browser has to ask first,
 * and the proxy never agrees.
 */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json$/i;
const JSON_CHARSET = /^(?:utf-?8|us-ascii)?$/i;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Text of the body; rejects with `unsupported-media-type`, `request-too-large` or `parse-error`. */
export async function readJsonText(request: Request, limit: number): Promise<string> {
  requireJson(request);
  const bytes = await readBytes(request, limit);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new A2AError("parse-error", { cause });
  }
}

function requireJson(request: Request): void {
  if (!JSON_TYPE.test(request.type) || !JSON_CHARSET.test(request.charset)) {
    throw unsupported("the body must be application/json in UTF-8");
  }
  const encoding = request.get("Content-Encoding");
  if (encoding !== "" && encoding.toLowerCase() !== "identity") {
    throw unsupported("the body must not be compressed");
  }
}

async function readBytes({ req, length }: Request, limit: number): Promise<Buffer> {
  try {
    return await rawBody(req, { limit, length });
  } catch (cause) {
    // The rest of the body is read and dropped, so that the client gets to read the answer.
    req.resume();
    if (isTooLarge(cause)) throw new A2AError("request-too-large", { data: { limit }, cause });
    throw new A2AError("invalid-request", { data: { reason: "the body is incomplete" }, cause });
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && "type" in error && error.type === "entity.too.large";

const unsupported = (reason: string): A2AError =>
  new A2AError("unsupported-media-type", { data: { reason } });
