/** The body of a request that carries JSON: refused early, bounded, and decoded strictly. */
import type { IncomingMessage } from "node:http";
import type { Request } from "koa";
import type { HeldBytes } from "../auth/bytes-in-flight.ts";
import { A2AError } from "../protocol/errors.ts";

/**
 * `application/json` and `application/*+json`. Forms and plain text are refused before their body is read: a page on
 * another site can post those to a proxy on loopback without asking, whereas for JSON the browser has to ask first,
 * and the proxy never agrees.
 */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json$/i;
const JSON_CHARSET = /^(?:utf-?8|us-ascii)?$/i;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Text of the body; rejects with `unsupported-media-type`, `request-too-large`, `overloaded` or `parse-error`. */
export async function readJsonText(request: Request, limit: number, held: HeldBytes): Promise<string> {
  requireJson(request);
  const bytes = await readBytes(request, limit, held);
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

async function readBytes({ req, length }: Request, limit: number, held: HeldBytes): Promise<Buffer> {
  try {
    if (length !== undefined && length > limit) throw tooLarge(limit);
    return await collect(req, (size, added) => {
      if (size > limit) throw tooLarge(limit);
      held.take(added);
    });
  } catch (thrown) {
    // The rest of the body is read and dropped, so that the client gets to read the answer.
    req.resume();
    if (thrown instanceof A2AError) throw thrown;
    throw new A2AError("invalid-request", { data: { reason: "the body is incomplete" }, cause: thrown });
  }
}

const tooLarge = (limit: number): A2AError => new A2AError("request-too-large", { data: { limit } });

/** @param onChunk told how many bytes there are by now, and how many of them are new; what it throws is rejected with */
function collect(req: IncomingMessage, onChunk: (size: number, added: number) => void): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
    try {
      onChunk(size, chunk.length);
    } catch (thrown) {
      onError(thrown);
    }
  };
  const onError = (thrown: unknown): void => {
    req.off("data", onData);
    chunks.length = 0;
    reject(thrown);
  };
  // Then it would never say anything again.
  if (req.destroyed) onError(new Error("the connection is closed"));
  req.on("data", onData);
  req.once("end", () => resolve(Buffer.concat(chunks, size)));
  req.once("error", onError);
  return promise;
}

const unsupported = (reason: string): A2AError =>
  new A2AError("unsupported-media-type", { data: { reason } });
