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
 * An artifact that was streamed completely is not compared at all: see artifact-order.ts.
 */
import { isDeepStrictEqual } from "node:util";
import type { Part } from "../../protocol/model.ts";
import { joinParts, partsAfter, sizeOf } from "./parts.ts";

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
