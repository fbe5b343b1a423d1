/** Answers of `fetch` from strangers, who may send without end. */

interface Bound {
  /** Bytes, after decompression. */
  readonly limit: number;
  /** The message of the Error where the body has more. */
  readonly beyond: string;
}

/** The whole body; rejects as soon as there is more of it than the limit. */
export async function readBounded(
  { body }: Response,
  { limit, beyond }: Bound,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop by the throw cancels the rest.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw new Error(beyond);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
