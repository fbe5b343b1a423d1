/**
 * Parts (A2A 0.3.0 §6.5). Servers leave out `kind`, call it `type` as 0.1 did, put the bytes of a file under `data`
 * (the specification's own example does), use the names of the REST binding, or send kinds of their own.
 */
import { z } from "zod";
import { DataPart, FilePart, TextPart, type Metadata, type Part } from "../../src/protocol/model.ts";
import { isStandardBase64, standardBase64 } from "../../src/protocol/text.ts";
import { compact, extensionUri, isRecord } from "../shared/object.ts";
import { asList, asRecord, fits, isSpelledBy, LooseFile, respelled } from "./wire.ts";

/** Under this metadata key stays what 0.3.0 has no field for. */
export const EXTENSION = extensionUri("a2a-0.3");

const FILE = {
  bytes: ["data", "fileWithBytes", "file_with_bytes", "raw", "base64"],
  uri: ["url", "fileWithUri", "file_with_uri"],
  mimeType: ["mime_type", "mime", "mediaType", "media_type"],
  name: ["fileName", "file_name", "filename"],
} as const;

/** The bytes in standard base64, which every client can read. */
const WellFormedFile = FilePart.shape.file
  .safeExtend({ bytes: z.string().refine(isStandardBase64).optional() })
  .refine(isSpelledBy(FILE));

export const WellFormedPart = z.discriminatedUnion("kind", [
  TextPart,
  FilePart.extend({ file: WellFormedFile }),
  DataPart,
]);

/** The members that tell a part without `kind` which is itself the file. */
const FLAT_FILE = [...FILE.bytes.slice(1), "bytes", "uri", ...FILE.uri];

const withMetadata = (metadata: Metadata | undefined, kept: Metadata): Metadata => ({
  ...metadata,
  [EXTENSION]: kept,
});

/** A part that 0.3.0 has no kind for, whole. */
const asData = (raw: unknown): DataPart => ({ kind: "data", data: asRecord(raw) });

/** `kind`, 0.1's `type`, else the shape; undefined where nothing tells. */
function kindOf(raw: Readonly<Record<string, unknown>>): string | undefined {
  const said = raw["kind"] ?? raw["type"];
  if (typeof said === "string") return said.toLowerCase().replace(/[_-]?part$/, "");
  if (typeof raw["text"] === "string") return "text";
  if (raw["file"] !== undefined) return "file";
  if (FLAT_FILE.some((name) => typeof raw[name] === "string")) return "file";
  if (raw["data"] !== undefined) return "data";
  return undefined;
}

function toCanonicalFile(raw: Readonly<Record<string, unknown>>, rest: Metadata): Part | undefined {
  const { bytes, uri, ...about } = LooseFile.parse(respelled(raw, FILE));
  const file = compact(about);
  if (!bytes) {
    if (uri) return { ...rest, kind: "file", file: { ...file, uri } };
    return bytes === "" ? { ...rest, kind: "file", file: { ...file, bytes } } : undefined;
  }
  const base64 = standardBase64(bytes);
  if (base64 === undefined) return undefined;
  const part = { ...rest, kind: "file", file: { ...file, bytes: base64 } } as const;
  // §6.6.2 has one of the two; the bytes are the file itself, so the other place of it goes into the metadata.
  return uri ? { ...part, metadata: withMetadata(asRecord(rest["metadata"] ?? {}), { uri }) } : part;
}

/** The REST binding's `{data: {data: {…}}}`, where nothing but its shape says that it is a DataPart. */
function dataOf(raw: Readonly<Record<string, unknown>>): unknown {
  const { data } = raw;
  const wrapped = raw["kind"] === undefined && raw["type"] === undefined && isRecord(data);
  return wrapped && isRecord(data["data"]) && Object.keys(data).length === 1 ? data["data"] : data;
}

/** The text, or as JSON what stands in its place; undefined where there is none. */
function textOf(raw: Readonly<Record<string, unknown>>): string | undefined {
  const { text } = raw;
  if (typeof text === "string") return text;
  if (text === null) return "";
  return text === undefined ? undefined : JSON.stringify(text);
}

/** Any value; a part that is right is returned as it is, one of an unknown kind becomes a DataPart that holds it whole. */
export function toCanonicalPart(raw: unknown): Part {
  if (fits(WellFormedPart, raw)) return raw;
  if (typeof raw === "string") return { kind: "text", text: raw };
  if (!isRecord(raw)) return asData(raw);
  const kind = kindOf(raw);
  const { kind: _kind, type: _type, metadata, ...content } = raw;
  const kept = metadata === undefined || metadata === null ? {} : { metadata: asRecord(metadata) };
  const { text: _text, file, data: _data, ...rest } = content;
  if (kind === "text") {
    const text = textOf(raw);
    if (text !== undefined) return { ...rest, ...kept, kind, text };
  }
  if (kind === "file") {
    if (typeof file === "string") return { ...rest, ...kept, kind, file: { uri: file } };
    const part = isRecord(file)
      ? toCanonicalFile(file, { ...rest, ...kept })
      : toCanonicalFile(content, kept);
    if (part) return part;
  }
  if (kind === "data" && "data" in raw) return { ...rest, ...kept, kind, data: asRecord(dataOf(raw)) };
  return asData(raw);
}

/** A list of parts, a single part, a string, or nothing. */
export const toCanonicalParts = (raw: unknown): Part[] => asList(raw).map(toCanonicalPart);

/** The part as the agent gets it, of its known members only. */
export function fromCanonicalPart(part: Part): Part {
  const { metadata } = part;
  switch (part.kind) {
    case "text":
      return compact({ kind: part.kind, text: part.text, metadata });
    case "file": {
      const { name, mimeType, bytes, uri } = part.file;
      return compact({ kind: part.kind, file: compact({ name, mimeType, bytes, uri }), metadata });
    }
    case "data":
      return compact({ kind: part.kind, data: part.data, metadata });
    default:
      return part satisfies never;
  }
}
