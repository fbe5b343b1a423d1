/**
 * How the parts of an artifact grow. Text that arrives in pieces is one text: a plain TextPart that follows a plain
 * TextPart in a later chunk continues it. Parts with metadata or fields of their own are never joined.
 */
import { isDeepStrictEqual } from "node:util";
import type { Metadata, Part, TextPart } from "../../protocol/model.ts";

function isPlainText(part: Part | undefined): part is TextPart {
  if (part?.kind !== "text") return false;
  for (const key of Object.keys(part)) {
    if (key === "kind" || key === "text") continue;
    if (key !== "metadata" || Object.keys(part.metadata ?? {}).length > 0) return false;
  }
  return true;
}

/** Adds a chunk's parts in place; `parts` must be the caller's own array, made by this function. */
export function appendParts(parts: Part[], chunk: readonly Part[]): void {
  let tail = parts.at(-1);
  for (const part of chunk) {
    if (isPlainText(part) && isPlainText(tail)) {
      tail.text += part.text;
    } else {
      tail = part.kind === "text" ? { ...part } : part;
      parts.push(tail);
    }
  }
}

/** A copy in which adjacent plain texts are one. */
export function joinParts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  appendParts(joined, parts);
  return joined;
}

/**
 * What must be appended to `known` to make it `wanted`; undefined where `wanted` does not begin with `known`, so that
 * nothing but a replacement will do. Both are as `joinParts` leaves them.
 */
export function partsAfter(known: readonly Part[], wanted: readonly Part[]): Part[] | undefined {
  if (known.length > wanted.length) return undefined;
  const lastKnown = known.length - 1;
  for (let index = 0; index < lastKnown; index++) {
    if (!isDeepStrictEqual(known[index], wanted[index])) return undefined;
  }
  const tail = known[lastKnown];
  const match = wanted[lastKnown];
  if (!tail || !match) return [...wanted];
  const rest = wanted.slice(known.length);
  if (isPlainText(tail) && isPlainText(match)) {
    if (!match.text.startsWith(tail.text)) return undefined;
    const text = match.text.slice(tail.text.length);
    return text === "" ? rest : [{ kind: "text", text }, ...rest];
  }
  return isDeepStrictEqual(tail, match) ? rest : undefined;
}

/** Of metadata, as JSON. */
export const weight = (metadata: Metadata | undefined): number =>
  metadata === undefined ? 0 : JSON.stringify(metadata).length;

/** By how much metadata grows where `later` is laid over it. */
export function growth(metadata: Metadata = {}, later: Metadata | undefined): number {
  if (later === undefined) return 0;
  const replaced = Object.entries(metadata).filter(([key]) => Object.hasOwn(later, key));
  return weight(later) - weight(Object.fromEntries(replaced));
}

/**
 * Roughly how much memory and wire the parts take, in UTF-16 units: text and bytes by length, data and metadata by
 * their JSON.
 */
export function sizeOf(parts: readonly Part[]): number {
  let size = 0;
  for (const part of parts) {
    size += weight(part.metadata);
    switch (part.kind) {
      case "text":
        size += part.text.length;
        break;
      case "file":
        size += (part.file.bytes ?? part.file.uri ?? "").length;
        break;
      case "data":
        size += JSON.stringify(part.data).length;
        break;
      default:
        part satisfies never;
    }
  }
  return size;
}
