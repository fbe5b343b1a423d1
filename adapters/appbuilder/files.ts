/**
 * Files: AppBuilder writes `mime` where A2A has `mimeType`, and MIME types such as `jpeg` or none at all.
 */
import mime from "mime";
import { z } from "zod";
import type { DataPart, FilePart, Metadata } from "../../src/protocol/model.ts";
import { compact } from "../shared/object.ts";

const Base64 = z.base64();

interface FileSource {
  name?: string | null | undefined;
  uri?: string | null | undefined;
  bytes?: string | null | undefined;
  mimeType?: string | null | undefined;
  metadata?: Metadata | null | undefined;
}

/** `jpeg` and `mp3` become MIME types; without one, the extension of the name, then of the URL, decides. */
function toCanonicalMimeType({ mimeType, name, uri }: FileSource): string | undefined {
  if (mimeType?.includes("/")) return mimeType;
  const path = uri ? (URL.parse(uri)?.pathname ?? uri) : undefined;
  for (const hint of [mimeType, name, path]) {
    const type = hint ? mime.getType(hint) : null;
    if (type) return type;
  }
  return mimeType || undefined;
}

/** Base64 without the data: prefix and line breaks that images come with; undefined where it is none. */
function toCanonicalBytes(raw: string | null | undefined): string | undefined {
  const bytes = raw?.replace(/^data:[^,]*,/, "").replaceAll(/\s/g, "");
  return bytes && Base64.safeParse(bytes).success ? bytes : undefined;
}

/**
 * §6.6 allows one of `uri` and `bytes`: the uri wins, the bytes are then dropped. Undefined where there is neither.
 */
export function toCanonicalFilePart(source: FileSource): FilePart | undefined {
  const name = source.name || undefined;
  const mimeType = toCanonicalMimeType(source);
  const content = source.uri ? { uri: source.uri } : { bytes: toCanonicalBytes(source.bytes) };
  if (content.uri === undefined && content.bytes === undefined) return undefined;
  const metadata = source.metadata;
  return compact({ kind: "file" as const, file: compact({ name, mimeType, ...content }), metadata });
}

export const dataPart = (data: Record<string, unknown>): DataPart => ({ kind: "data", data });
