/**
 * Parts and artifacts. 1.0 names a part by its member, `{text}`, `{raw | url}` or `{data}`, each with `mediaType` and
 * `filename`; 0.3.0 (§6.5) has `kind` and nests files.
 *
 * Loss towards 0.3.0: mediaType and filename of text and data parts, a data value that is no object, and parts of no
 * known kind have no field; they are preserved under the extension's metadata key and come back unchanged.
 */
import type { AgentArtifact } from "../../src/adapter.ts";
import type { FileContent, Part } from "../../src/protocol/model.ts";
import { standardBase64 } from "../../src/protocol/text.ts";
import { compact, isRecord } from "../shared/object.ts";
import { attachPreserved, extractPreserved } from "./preserved.ts";
import { WirePart, type WireArtifact } from "./wire.ts";

export function toCanonicalPart(raw: unknown): Part {
  const parsed = WirePart.safeParse(raw);
  if (!parsed.success) return foreignPart(raw);
  const { kind: _kind, type: _type, metadata, text, ...others } = parsed.data;
  if (typeof text === "string" && !hasContent(parsed.data))
    return compact({ kind: "text", text, metadata: attachPreserved(metadata, { fields: others }) });

  const { mediaType, filename, ...contents } = others;
  const file = contents.data === undefined || hasFile(contents) ? fileOf(contents) : undefined;
  if (file) {
    const { raw: _raw, url, file: _file, data: _data, ...rest } = contents;
    const content = compact({ ...file, mimeType: file.mimeType ?? mediaType, name: file.name ?? filename });
    // 0.3.0 wants exactly one of bytes and uri: the bytes are the file, the URL is kept beside it.
    const fields = file.uri === undefined ? { ...rest, url } : rest;
    return compact({ kind: "file", file: content, metadata: attachPreserved(metadata, { fields }) });
  }

  const { data, raw: _raw, url: _url, file: _file, ...fields } = others;
  if (data === undefined) return foreignPart(raw);
  if (isRecord(data)) return compact({ kind: "data", data, metadata: attachPreserved(metadata, { fields }) });
  const preserved = { fields, wrapped: true } as const;
  return compact({ kind: "data", data: { value: data }, metadata: attachPreserved(metadata, preserved) });
}

const hasFile = ({ raw, url, file }: Pick<WirePart, "raw" | "url" | "file">): boolean =>
  Boolean(raw) || Boolean(url) || isRecord(file);

/** Writers that write defaults out send `"text": ""` beside content of another kind. */
const hasContent = ({ text, ...others }: WirePart): boolean =>
  text === "" && (hasFile(others) || (others.data !== undefined && others.data !== null));

/** The part as the wire has it; what only 0.3.0 knows (`kind`) is implied by the member's name. */
export function fromCanonicalPart(part: Part): unknown {
  const { metadata, preserved } = extractPreserved(part.metadata);
  switch (part.kind) {
    case "text":
      return compact({ ...preserved.fields, text: part.text, metadata });
    case "file": {
      const { bytes, uri, mimeType: mediaType, name: filename } = part.file;
      const content = bytes === undefined ? { url: uri } : { raw: bytes };
      return compact({ ...withoutContent(preserved.fields), ...content, mediaType, filename, metadata });
    }
    case "data": {
      const isValue = Object.keys(part.data).length === 1 && "value" in part.data;
      if (preserved.foreign && isValue) return part.data["value"];
      const data = preserved.wrapped && isValue ? part.data["value"] : part.data;
      // `data: null` is a value here, not an absent member.
      return { ...compact({ ...preserved.fields, metadata }), data };
    }
    default:
      return part satisfies never;
  }
}

/** 1.0's content is a `oneof`: of raw and url together a strict reader takes neither. */
function withoutContent(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { url: _url, ...rest } = fields;
  return rest;
}

/** A part of no known kind is carried whole, so that a client may still make sense of it. */
const foreignPart = (raw: unknown): Part => {
  const metadata = attachPreserved(undefined, { foreign: true });
  return compact({ kind: "data", data: { value: raw }, metadata });
};

/** `raw` or `url`, or the file as 0.3 and drafts of 1.0 nest it: `{bytes | uri | fileWith…, mimeType, name}`. */
function fileOf({ raw, url, file }: Pick<WirePart, "raw" | "url" | "file">): FileContent | undefined {
  const bytes = raw || (file?.bytes ?? file?.fileWithBytes) || (url ? undefined : raw);
  const uri = url || file?.uri || file?.fileWithUri;
  const about = { mimeType: file?.mimeType ?? file?.mediaType, name: file?.name ?? file?.filename };
  if (typeof bytes === "string") return compact({ bytes: standardBase64(bytes) ?? bytes, ...about });
  return typeof uri === "string" && uri !== "" ? compact({ uri, ...about }) : undefined;
}

/**
 * An artifact or a chunk of one. The chunk flags that servers put inside are read by the event (`events.ts`); in an
 * artifact of a Task they mean nothing.
 */
export function toCanonicalArtifact(artifact: WireArtifact): AgentArtifact {
  const { artifactId, name, description, parts, extensions, metadata, ...rest } = artifact;
  const { append: _append, lastChunk: _last, ...fields } = rest;
  return compact({
    artifactId,
    name,
    description,
    parts: (parts ?? []).map(toCanonicalPart),
    extensions: nonEmptyList(extensions),
    metadata: attachPreserved(metadata, { fields }),
  });
}

export function fromCanonicalArtifact(artifact: AgentArtifact) {
  const { metadata, preserved } = extractPreserved(artifact.metadata);
  return compact({
    ...preserved.fields,
    artifactId: artifact.artifactId,
    name: artifact.name,
    description: artifact.description,
    parts: artifact.parts.map(fromCanonicalPart),
    extensions: artifact.extensions,
    metadata,
  });
}

/** ProtoJSON's default for a list says nothing. */
export const nonEmptyList = <T>(list: readonly T[] | null | undefined): T[] | undefined =>
  list && list.length > 0 ? [...list] : undefined;
