/** Bodies of answers: decompressed where the vendor compresses unasked, and read whole up to a limit. */
import { pipeline, type Readable, type Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";
import { A2AError } from "../protocol/errors.ts";

/** Flushes at once, so that an event is not held back until the next one comes. */
const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

function decompressor(encoding: string): Transform | undefined {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip(FLUSH);
    case "deflate":
      return createInflate(FLUSH);
    case "br":
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
    case "zstd":
      return createZstdDecompress();
    default:
      return undefined;
  }
}

/** The body without its content encoding. Destroying the result destroys `body`. */
export function decompressed(body: Readable, encoding: string | string[] | undefined): Readable {
  const name = String(encoding ?? "identity")
    .trim()
    .toLowerCase();
  if (name === "identity" || name === "") return body;
  const transform = decompressor(name);
  if (!transform) {
    body.on("error", () => {}).destroy();
    throw new A2AError("invalid-agent-response", {
      message: "The agent compresses its answer in a way that was not asked for",
      data: { stage: "body", contentEncoding: name },
    });
  }
  // Errors of either side reach the reader as the transform's own.
  pipeline(body, transform, () => {});
  return transform;
}

/** Rejects with the body's error, or an A2AError beyond `limit` bytes. */
export function readWhole(body: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    body.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limit) return;
      body.destroy(
        new A2AError("invalid-agent-response", {
          message: `The agent answered with more than ${limit} bytes`,
          data: { stage: "body", limit },
        }),
      );
    });
    body.on("end", () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks, bytes));
    });
    body.on("error", reject);
  });
}
