/** Bodies of answers: decompressed where the vendor compresses unasked, and read whole up to a limit. */
import type { Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";
import { A2AError } from "../protocol/errors.ts";

/** Takes a body as it comes. One of `end` and `fail` is called last, and once, unless its source is destroyed. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  fail(cause: unknown): void;
}

/** Where a body comes from. */
export interface BodySource {
  /** What is under way still comes. */
  pause(): void;
  resume(): void;
  /** Closes the connection; the sink hears nothing more. */
  destroy(): void;
}

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

/**
 * The sink for a body with this content encoding, where `open` gives the one for what it holds. Throws an A2AError at
 * an encoding that is not known.
 */
export function decoded<Sink extends BodySink>(
  encoding: string | string[] | undefined,
  source: BodySource,
  open: (source: BodySource) => Sink,
): { readonly sink: BodySink; readonly inner: Sink } {
  const name = String(encoding ?? "identity")
    .trim()
    .toLowerCase();
  if (name === "identity" || name === "") {
    const sink = open(source);
    return { sink, inner: sink };
  }
  const transform = decompressor(name);
  if (!transform) {
    throw new A2AError("invalid-agent-response", {
      message: "The agent compresses its answer in a way that was not asked for",
      data: { stage: "body", contentEncoding: name },
    });
  }
  return through(transform, source, open);
}

function through<Sink extends BodySink>(
  transform: Transform,
  source: BodySource,
  open: (source: BodySource) => Sink,
): { readonly sink: BodySink; readonly inner: Sink } {
  const inner = open({
    pause: () => transform.pause(),
    resume: () => transform.resume(),
    destroy: () => {
      transform.destroy();
      source.destroy();
    },
  });
  /** What broke the body off, told once all that had come is decompressed. */
  let broken: { readonly cause: unknown } | undefined;
  transform.on("data", (chunk: Buffer) => inner.data(chunk));
  transform.on("drain", () => source.resume());
  transform.on("end", () => (broken ? inner.fail(broken.cause) : inner.end()));
  transform.on("error", (damage) => {
    source.destroy();
    inner.fail(broken ? broken.cause : damage);
  });
  const sink: BodySink = {
    data(chunk) {
      if (!transform.write(chunk)) source.pause();
    },
    end: () => void transform.end(),
    fail(cause) {
      broken = { cause };
      transform.end();
    },
  };
  return { sink, inner };
}

/** A body read whole. */
export class WholeBody implements BodySink {
  readonly #source: BodySource;
  readonly #limit: number;
  readonly #done = Promise.withResolvers<Buffer>();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(source: BodySource, limit: number) {
    this.#source = source;
    this.#limit = limit;
  }

  /** Rejects with the body's error, or an A2AError beyond the limit. */
  get done(): Promise<Buffer> {
    return this.#done.promise;
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#bytes <= this.#limit) return;
    this.#source.destroy();
    this.fail(
      new A2AError("invalid-agent-response", {
        message: `The agent answered with more than ${this.#limit} bytes`,
        data: { stage: "body", limit: this.#limit },
      }),
    );
  }

  end(): void {
    const [first] = this.#chunks;
    this.#done.resolve(this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#bytes));
  }

  fail(cause: unknown): void {
    this.#done.reject(cause);
  }
}
