/**
 * Parts: `type` here, `kind` in 0.3.0 (§6.5). The payloads are the same.
 * A part that is none of text, file and data, or a broken one of these, becomes a data part that holds it whole and
 * is marked `verbatim` in its metadata, so that nothing a vendor sends is lost.
 * Lossy: a file with both `bytes` and `uri`, which 0.3.0 forbids (§6.6), keeps its bytes; the uri moves to metadata.
 */
import type { Part } from "../../src/protocol/model.ts";
import { compact, isRecord } from "../shared/object.ts";
import { EXTENSION, splitExtras, withExtras } from "./extras.ts";
import { WireDataPart, WireFilePart, WireTextPart } from "./wire.ts";

/** Never throws: whatever is found in a `parts` array comes out as a part. */
export function toCanonicalPart(raw: unknown): Part {
  if (typeof raw === "string") return { kind: "text", text: raw };
  const text = WireTextPart.safeParse(raw);
  if (text.success) return toCanonicalText(text.data);
  const file = WireFilePart.safeParse(raw);
  if (file.success) return toCanonicalFile(file.data) ?? toVerbatim(raw);
  const data = WireDataPart.safeParse(raw);
  if (data.success) return toCanonicalData(data.data);
  return toVerbatim(raw);
}

/** A single part in place of the array is accepted, null is none. */
export function toCanonicalParts(parts: unknown): Part[] {
  if (parts === undefined || parts === null) return [];
  return Array.isArray(parts) ? parts.map(toCanonicalPart) : [toCanonicalPart(parts)];
}

function toCanonicalText({ type: _type, kind: _kind, text, metadata, ...extras }: WireTextPart): Part {
  return compact({ kind: "text" as const, text, metadata: withExtras(metadata, extras) });
}

function toCanonicalFile(part: WireFilePart): Part | undefined {
  const { type: _type, kind: _kind, file, metadata, ...extras } = part;
  const { name, mimeType, bytes, uri, ...rest } = file;
  const hasBytes = typeof bytes === "string";
  if (!hasBytes && typeof uri !== "string") return undefined;
  const other = compact({ ...rest, uri: hasBytes ? uri : undefined });
  const fileExtras = Object.keys(other).length > 0 ? { file: other } : {};
  const content = compact({ name, mimeType, ...(hasBytes ? { bytes } : { uri }) });
  return compact({
    kind: "file" as const,
    file: content,
    metadata: withExtras(metadata, { ...extras, ...fileExtras }),
  });
}

function toCanonicalData({ type: _type, kind: _kind, data, metadata, ...extras }: WireDataPart): Part {
  return compact({ kind: "data" as const, data, metadata: withExtras(metadata, extras) });
}

function toVerbatim(raw: unknown): Part {
  const data = isRecord(raw) ? raw : { value: raw };
  return { kind: "data", data, metadata: { [EXTENSION]: { verbatim: true } } };
}

/** The part as the wire has it; fields that neither version names are dropped. */
export function fromCanonicalPart(part: Part): Record<string, unknown> {
  const { metadata, extras } = splitExtras(part.metadata);
  switch (part.kind) {
    case "text":
      return compact({ ...extras, type: "text", text: part.text, metadata });
    case "file": {
      const { name, mimeType, bytes, uri } = part.file;
      const more = isRecord(extras["file"]) ? extras["file"] : {};
      const file = compact({ ...more, name, mimeType, ...(bytes === undefined ? { uri } : { bytes }) });
      return compact({ ...extras, type: "file", file, metadata });
    }
    case "data":
      if (extras["verbatim"] === true) return part.data;
      return compact({ ...extras, type: "data", data: part.data, metadata });
    default:
      return part satisfies never;
  }
}

export const fromCanonicalParts = (parts: readonly Part[]): Record<string, unknown>[] =>
  parts.map(fromCanonicalPart);
