/**
 * Parts: A2A's three kinds (0.3.0 §6.5), told apart by what they hold, since AppBuilder's document gives a FilePart the
 * kind "text", and with `mime` for `mimeType`. What stands in an artifact's metadata instead is content.ts's business.
 */
import type { FilePart, Part } from "../../src/protocol/model.ts";
import { compact, isRecord } from "../shared/object.ts";
import { dataPart, toCanonicalFilePart } from "./files.ts";
import type { WireFile, WirePart } from "./wire.ts";

/** Undefined for a part without content: `text: null`, or none of the three. */
export function toCanonicalPart(wire: WirePart): Part | undefined {
  const { metadata } = wire;
  if (wire.file) return toCanonicalFile(wire.file, metadata ?? undefined);
  if (wire.data !== undefined && wire.data !== null) {
    // A DataPart of 0.3.0 holds an object; any other value is wrapped.
    const data = isRecord(wire.data) ? wire.data : { value: wire.data };
    return compact({ kind: "data" as const, data, metadata });
  }
  if (wire.text === undefined || wire.text === null) return undefined;
  if (typeof wire.text !== "string") return dataPart({ value: wire.text });
  return compact({ kind: "text" as const, text: wire.text, metadata });
}

function toCanonicalFile(wire: WireFile, metadata: Record<string, unknown> | undefined): Part {
  const { mime, mimeType, name: _name, uri: _uri, bytes: _bytes, ...rest } = wire;
  const part = toCanonicalFilePart({ ...wire, mimeType: mimeType || mime, metadata });
  // Neither a uri nor base64 is no file that 0.3.0 can say; it is kept as data.
  if (!part) return compact({ kind: "data" as const, data: { file: wire }, metadata });
  return { ...part, file: { ...part.file, ...rest } };
}

/** Drops parts without content. */
export function toCanonicalParts(wire: readonly WirePart[] | null | undefined): Part[] {
  return (wire ?? []).map(toCanonicalPart).filter((part) => part !== undefined);
}

export function fromCanonicalPart(part: Part): WirePart {
  const { metadata } = part;
  switch (part.kind) {
    case "text":
      return compact({ text: part.text, kind: part.kind, metadata });
    case "data":
      return compact({ data: part.data, kind: part.kind, metadata });
    case "file":
      return compact({ file: fromCanonicalFile(part), kind: part.kind, metadata });
    default:
      return part satisfies never;
  }
}

/** `mime` is the document's name, `mimeType` that of the protocol version it claims: both are written. */
const fromCanonicalFile = ({ file: { name, mimeType, bytes, uri } }: FilePart): WireFile =>
  compact({ name, mime: mimeType, mimeType, bytes, uri });
