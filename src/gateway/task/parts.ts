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

/**
 * What a snapshot of an artifact, as an agent's Task holds it, says beyond the chunks that were streamed. Chunks may be
 * missing from what is known, the snapshot may be older than the chunks, and some servers store chunks twice. The
 * first rule that fits decides:
 *
 * 1. The snapshot holds all chunks that followed the gap twice, each time in their order: they count once. a2a-sdk
 *    0.3.26 stores an artifact once for every subscriber, so that a stream which was resumed is stored twice.
 * 2. The snapshot begins with what is known: the rest is new.
 * 3. What is known begins with the snapshot: the snapshot is older and adds nothing.
 * 4. The snapshot is what is known, but for parts at its end that are stored twice: it adds nothing.
 * 5. Anything else contradicts what is known, and replaces it.
 *
 * An artifact that was streamed completely is not compared at all: see artifact-assembler.ts.
 */
export interface Reading {
  /** The artifact's whole content. */
  readonly parts: readonly Part[];
  /** Nothing that the agent had stored is missing or doubled. */
  readonly isCertain: boolean;
  readonly repair?: "stored-twice" | "artifact-replaced";
}

/**
 * @param known the artifact so far, as `joinParts` leaves it
 * @param sent the snapshot's parts, as the agent sent them
 * @param resumed the chunks since the gap, which are the end of `known`; empty if there was none
 */
export function readSnapshot(
  known: readonly Part[],
  sent: readonly Part[],
  resumed: readonly Part[] = [],
): Reading {
  const once = storedOnce(known, sent, resumed);
  if (once) return once;
  const whole = joinParts(sent);
  if (partsAfter(known, whole)) return { parts: whole, isCertain: true };
  if (partsAfter(whole, known)) return { parts: known, isCertain: false };
  if (endsTwice(known, sent)) return { parts: known, isCertain: true, repair: "stored-twice" };
  return { parts: whole, isCertain: true, repair: "artifact-replaced" };
}

function isSame(one: Part | undefined, other: Part | undefined): boolean {
  if (one?.kind === "text" && other?.kind === "text" && one.text !== other.text) return false;
  return isDeepStrictEqual(one, other);
}

function storedOnce(
  known: readonly Part[],
  sent: readonly Part[],
  resumed: readonly Part[],
): Reading | undefined {
  if (resumed.length === 0) return undefined;
  const length = 2 * resumed.length;
  for (let start = sent.length - length; start >= 0; start--) {
    if (!isInterleaved(sent, start, resumed)) continue;
    const after = sent.slice(start + length);
    const parts = joinParts([...sent.slice(0, start), ...resumed, ...after]);
    if (sizeOf(parts) < sizeOf(known)) continue;
    // An agent that did say the same chunks twice, the first time in the gap, would have stored the same.
    const isAmbiguous =
      after.length === 0 ? holdsAt(sent, sent.length - resumed.length, resumed) : holds(sent, resumed);
    return { parts, isCertain: !isAmbiguous, repair: "stored-twice" };
  }
  return undefined;
}

/** Whether two writers, each with all of `chunks` in their order, have made the parts from `start` on. */
function isInterleaved(sent: readonly Part[], start: number, chunks: readonly Part[]): boolean {
  let first = 0;
  let second = 0;
  for (const part of sent.slice(start, start + 2 * chunks.length)) {
    if (first < chunks.length && isSame(part, chunks[first])) first += 1;
    else if (second < first && isSame(part, chunks[second])) second += 1;
    else return false;
  }
  return second === chunks.length;
}

const holdsAt = (sent: readonly Part[], start: number, chunks: readonly Part[]): boolean =>
  chunks.every((chunk, index) => isSame(sent[start + index], chunk));

const holds = (sent: readonly Part[], chunks: readonly Part[]): boolean =>
  sent.some((_part, start) => holdsAt(sent, start, chunks));

/** Whether `sent` is `known`, once of each pair of equal parts at its end one is taken away. */
function endsTwice(known: readonly Part[], sent: readonly Part[]): boolean {
  let surplus = sizeOf(sent) - sizeOf(known);
  let end = sent.length;
  const halves: Part[] = [];
  while (surplus > 0) {
    const last = sent[end - 1];
    if (!last || !isSame(sent[end - 2], last)) return false;
    halves.unshift(last);
    surplus -= sizeOf([last]);
    end -= 2;
  }
  return surplus === 0 && isDeepStrictEqual(joinParts([...sent.slice(0, end), ...halves]), [...known]);
}
