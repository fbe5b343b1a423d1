/**
 * An artifact's content by its metadata `type`. AppBuilder puts it in `parts`, or leaves those empty and puts a
 * structure that depends on the type in `metadata.text`, `text_raw` or `raw_data` (in this order); 0.3.0 knows only
 * parts (§6.5). README.md has the table.
 */
import type { Part } from "../../src/protocol/model.ts";
import { compact, isRecord } from "../shared/object.ts";
import { dataPart, toCanonicalFilePart } from "./files.ts";
import { toCanonicalParts } from "./parts.ts";
import { EXTENSION, WireArtifactMetadata, type WireArtifact } from "./wire.ts";

type Value = Record<string, unknown>;
type Reader = (value: Value) => Part[];

const str = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const present = (...parts: (Part | undefined)[]): Part[] => parts.filter((part) => part !== undefined);

function text(...candidates: unknown[]): Part | undefined {
  const found = candidates.find((candidate) => typeof candidate === "string" && candidate !== "");
  return typeof found === "string" ? { kind: "text", text: found } : undefined;
}

function parseJson(raw: unknown): unknown {
  if (typeof raw !== "string") return raw;
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

const readInfo: Reader = (value) => present(text(value["info"]));

function readFile(value: Value): Part | undefined {
  return toCanonicalFilePart({
    name: str(value["filename"]),
    uri: str(value["url"]),
    bytes: str(value["base64"]),
    mimeType: str(value["mime_type"]),
    // The native API takes this id back in `file_ids`.
    metadata: value["file_id"] ? { [EXTENSION]: { file_id: value["file_id"] } } : undefined,
  });
}

/** A file with neither address nor content, such as a bare `file_id`, is kept as data. */
const readFiles: Reader = (value) => [readFile(value) ?? dataPart(value)];

function readJson(value: Value): Part[] {
  const data = "data" in value ? parseJson(value["data"]) : value;
  if (data === undefined || data === null || data === "") return [];
  return [dataPart(isRecord(data) ? data : { value: data })];
}

function readPlan(value: Value): Part[] {
  const tasks = list(value["tasks"]).filter(isRecord);
  const lines = tasks.map((task, index) => {
    const status = str(task["status"]);
    return `${index + 1}. ${str(task["name"]) ?? ""}${status ? ` (${status})` : ""}`;
  });
  const goal = str(value["goal"]);
  return present(text([...(goal ? [goal] : []), ...lines].join("\n")), dataPart(value));
}

function readProgress(value: Value): Part[] {
  return present(text(value["message"], value["step"]), dataPart(value));
}

function readBrowser(value: Value): Part[] {
  const result = isRecord(value["result"]) ? value["result"] : {};
  const screenshot = isRecord(value["screenshot"]) ? readFile(value["screenshot"]) : undefined;
  return present(text(result["answer"]), screenshot, dataPart(value));
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["text", readInfo],
  ["oral_text", readInfo],
  ["reasoning_content", readInfo],
  ["code", (value) => present(text(value["code"], value["info"]))],
  ["files", readFiles],
  ["image", readFiles],
  ["audio", readFiles],
  ["urls", (value) => present(text(value["url"]), dataPart(value))],
  [
    "references",
    (value) =>
      list(value["references"] ?? [value])
        .filter(isRecord)
        .map(dataPart),
  ],
  ["chart", (value) => [dataPart("data" in value ? { ...value, data: parseJson(value["data"]) } : value)]],
  ["json", readJson],
  ["plan", readPlan],
  ["progress", readProgress],
  ["browser", readBrowser],
]);

/** Types whose content is plain text: a string in place of the structure is the text, even where it looks like JSON. */
const TEXTUAL: ReadonlySet<string> = new Set(["text", "oral_text", "reasoning_content", "code"]);

/** One of `metadata.text`, `text_raw`, `raw_data`, to parts; empty where it holds nothing. */
function readSource(type: string, source: unknown): Part[] {
  if (source === undefined || source === null || isPlaceholder(source)) return [];
  if (typeof source === "string") {
    const value = TEXTUAL.has(type) ? source : parseJson(source);
    return isRecord(value) || Array.isArray(value) ? readSource(type, value) : present(text(source));
  }
  if (Array.isArray(source)) return source.flatMap((item) => readSource(type, item));
  if (!isRecord(source)) return [dataPart({ value: source })];
  if (Object.values(source).every((value) => value === "" || value === null)) return [];
  return (READERS.get(type) ?? ((value) => [dataPart(value)]))(source);
}

/** Nothing, the two characters `""`, or the word `null`: what AppBuilder writes where it has no text. */
const isPlaceholder = (value: unknown): boolean =>
  value === "" || value === '""' || value === "null" || value === null;

/**
 * Drops text that says nothing. In the middle of a stream of deltas the word `null` may be part of the answer, and in
 * code so may `""`; there they stay.
 */
function withoutPlaceholders(parts: Part[], type: string, append: boolean): Part[] {
  const isEmpty = (value: string): boolean =>
    append ? value === "" || (value === '""' && type !== "code") : isPlaceholder(value);
  return parts.filter((part) => part.kind !== "text" || !isEmpty(part.text));
}

/** Work on the way to the answer, as against a piece of it. */
const WORKING: ReadonlySet<string> = new Set(["function_call", "plan", "progress", "reasoning_content"]);

export interface Content {
  readonly type: string;
  readonly parts: Part[];
  /** Goes into a `working` status: progress, thinking, or not for the user's eyes (`visible_scope: llm`). */
  readonly working: boolean;
  readonly thought: boolean;
  /** `metadata.event.status`: preparing, running, done, error, interrupt or success. */
  readonly eventStatus: string | undefined;
  readonly errorMessage: string | undefined;
}

/** @param append whether the parts continue what was sent, as the vendor says */
export function toCanonicalContent(artifact: WireArtifact, append: boolean): Content {
  const metadata = WireArtifactMetadata.parse(artifact.metadata ?? {});
  const type = metadata.type || "text";
  const thought = type === "reasoning_content" || isThought(artifact.name) || isThought(metadata.event?.name);
  return {
    type,
    parts: readParts(artifact, metadata, type, append),
    working: thought || WORKING.has(type) || metadata.visible_scope === "llm",
    thought,
    eventStatus: metadata.event?.status ?? undefined,
    errorMessage: metadata.event?.error_message || undefined,
  };
}

const isThought = (name: string | null | undefined): boolean => name?.startsWith("/thought/") ?? false;

function readParts(
  artifact: WireArtifact,
  metadata: WireArtifactMetadata,
  type: string,
  append: boolean,
): Part[] {
  const parts = withoutPlaceholders(toCanonicalParts(artifact.parts), type, append);
  if (parts.length > 0) return structured(parts, type);
  for (const source of [metadata.text, metadata.text_raw, metadata.raw_data]) {
    const found = withoutPlaceholders(readSource(type, source), type, append);
    if (found.length > 0) return found;
  }
  return [];
}

/** The type's structure may also come as DataParts; then it is read like `metadata.text`. */
function structured(parts: Part[], type: string): Part[] {
  if (TEXTUAL.has(type) || !READERS.has(type)) return parts;
  return parts.flatMap((part) => {
    const read = part.kind === "data" ? readSource(type, part.data) : [];
    return read.length > 0 ? read : [part];
  });
}

/** One artifact for all references: the list as data, and a line each to read. */
export function toCanonicalReferences(references: readonly Value[]): Part[] {
  const lines = references.map((reference, index) => {
    const words = [str(reference["title"]), str(reference["url"])].filter((word) => word);
    return [`[${index + 1}]`, ...words].join(" ");
  });
  return [dataPart({ references }), { kind: "text", text: lines.join("\n") }];
}

/** The metadata that AppBuilder's own artifacts have at least, for an artifact from elsewhere. */
export function fromCanonicalContent(parts: readonly Part[], name: string | undefined): Value {
  const [first] = parts;
  const event = compact({ name, status: "running" });
  return { ...describe(first), visible_scope: "all", event };
}

function describe(part: Part | undefined): Value {
  if (!part) return { type: "text", text: { info: "" } };
  switch (part.kind) {
    case "file": {
      // The bytes stand in `parts`.
      const { name: filename, uri: url, mimeType: mime_type } = part.file;
      const family = mime_type?.split("/")[0];
      const type = family === "image" || family === "audio" ? family : "files";
      return { type, text: compact({ filename, url, mime_type }) };
    }
    case "data":
      return { type: "json", text: { data: JSON.stringify(part.data) } };
    case "text":
      return { type: "text", text: { info: part.text } };
    default:
      return part satisfies never;
  }
}
