/**
 * Parts and artifacts. The dialect names a part by its member, `{text}`, `{raw | url, media_type, filename}` or
 * `{data}`, as official 1.0 does; 0.3.0 (§6.5) has `kind` and nests files.
 *
 * Loss towards 0.3.0: media_type and filename of text and data parts, a data value that is no object, and parts of
 * no known kind have no field; they survive under the extension's metadata key and come back unchanged.
 */
import type { AgentArtifact } from "../../src/adapter.ts";
import type { FileContent, Part } from "../../src/protocol/model.ts";
import { compact, isRecord } from "../shared/object.ts";
import { takeMarks, withMarks } from "./extras.ts";
import { WirePart, type WireArtifact } from "./wire.ts";

export function toCanonicalPart(raw: unknown): Part {
  const parsed = WirePart.safeParse(raw);
  if (!parsed.success) return foreignPart(raw);
  const { kind: _kind, type: _type, metadata, text, ...others } = parsed.data;
  if (typeof text === "string")
    return compact({ kind: "text", text, metadata: withMarks(metadata, { fields: others }) });

  const { media_type, filename, ...contents } = others;
  const file = fileOf(contents);
  if (file) {
    const { raw: _raw, url, file: _file, ...rest } = contents;
    const content = compact({ ...file, mimeType: file.mimeType ?? media_type, name: file.name ?? filename });
    // 0.3.0 wants exactly one of bytes and uri: the bytes are the file, the URL is kept beside it.
    const fields = file.uri === undefined ? { ...rest, url } : rest;
    return compact({ kind: "file", file: content, metadata: withMarks(metadata, { fields }) });
  }

  const { data, ...fields } = others;
  if (data === undefined) return foreignPart(raw);
  if (isRecord(data)) return compact({ kind: "data", data, metadata: withMarks(metadata, { fields }) });
  return compact({
    kind: "data",
    data: { value: data },
    metadata: withMarks(metadata, { fields, wrapped: true }),
  });
}

/** The part as the wire has it; what only 0.3.0 knows (`kind`) is implied by the member's name. */
export function fromCanonicalPart(part: Part): unknown {
  const { metadata, marks } = takeMarks(part.metadata);
  switch (part.kind) {
    case "text":
      return compact({ ...marks.fields, text: part.text, metadata });
    case "file": {
      const { bytes, uri, mimeType, name } = part.file;
      return compact({
        ...marks.fields,
        raw: bytes,
        url: uri ?? marks.fields?.["url"],
        media_type: mimeType,
        filename: name,
        metadata,
      });
    }
    case "data": {
      const isValue = Object.keys(part.data).length === 1 && "value" in part.data;
      if (marks.foreign && isValue) return part.data["value"];
      const data = marks.wrapped && isValue ? part.data["value"] : part.data;
      // `data: null` is a value here, not an absent member.
      return { ...compact({ ...marks.fields, metadata }), data };
    }
    default:
      return part satisfies never;
  }
}

/** A part of no known kind is carried whole, so that a client may still make sense of it. */
const foreignPart = (raw: unknown): Part => {
  const metadata = withMarks(undefined, { foreign: true });
  return compact({ kind: "data", data: { value: raw }, metadata });
};

/** `raw` or `url`, or the file as 0.3 and drafts of 1.0 nest it: `{bytes | uri | file_with_…, mime_type, name}`. */
function fileOf({ raw, url, file }: Pick<WirePart, "raw" | "url" | "file">): FileContent | undefined {
  const bytes = raw ?? file?.bytes ?? file?.file_with_bytes;
  const uri = url ?? file?.uri ?? file?.file_with_uri;
  const about = { mimeType: file?.mime_type ?? file?.media_type, name: file?.name ?? file?.filename };
  if (typeof bytes === "string") return compact({ bytes: standardBase64(bytes), ...about });
  return typeof uri === "string" ? compact({ uri, ...about }) : undefined;
}

/** ProtoJSON allows URL-safe and unpadded base64; 0.3.0 wants the standard alphabet, padded. */
function standardBase64(raw: string): string {
  const standard = raw.replaceAll("-", "+").replaceAll("_", "/");
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, "=");
}

/**
 * An artifact or a chunk of one. The chunk flags that servers put inside are read by the event (`events.ts`); in an
 * artifact of a Task they mean nothing.
 */
export function toCanonicalArtifact(artifact: WireArtifact): AgentArtifact {
  const {
    artifact_id,
    name,
    description,
    parts,
    extensions,
    metadata,
    append: _append,
    last_chunk: _last,
    ...fields
  } = artifact;
  return compact({
    artifactId: artifact_id,
    name,
    description,
    parts: (parts ?? []).map(toCanonicalPart),
    extensions,
    metadata: withMarks(metadata, { fields }),
  });
}

export function fromCanonicalArtifact(artifact: AgentArtifact) {
  const { metadata, marks } = takeMarks(artifact.metadata);
  return compact({
    ...marks.fields,
    artifact_id: artifact.artifactId,
    name: artifact.name,
    description: artifact.description,
    parts: artifact.parts.map(fromCanonicalPart),
    extensions: artifact.extensions,
    metadata,
  });
}
