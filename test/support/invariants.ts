/** The stream invariants a client may rely on, as one check over everything that a stream has sent. */
import { expect } from "@jest/globals";
import { StreamEvent, type Artifact } from "../../src/protocol/model.ts";
import { isFinal } from "../../src/protocol/states.ts";

/** Checks the invariants and returns the artifacts' text, by artifactId, as a client would put it together. */
export function expectValidStream(events: readonly unknown[]): Map<string, string> {
  const parsed = events.map((event) => StreamEvent.parse(event));
  const [first] = parsed;
  if (!first) throw new Error("a stream has at least one event");
  const texts = new Map<string, string>();
  if (first.kind === "message") {
    expect(parsed).toHaveLength(1);
    return texts;
  }
  if (first.kind !== "task") throw new Error(`a stream begins with a Task, not ${first.kind}`);
  const closed = new Set<string>();
  for (const artifact of first.artifacts ?? []) texts.set(artifact.artifactId, textOf(artifact));
  for (const [index, event] of parsed.slice(1).entries()) {
    const isLast = index === parsed.length - 2;
    if (event.kind !== "status-update" && event.kind !== "artifact-update") {
      throw new Error(`a second ${event.kind}`);
    }
    expect([event.taskId, event.contextId]).toEqual([first.id, first.contextId]);
    if (event.kind === "status-update") {
      expect(event.final).toBe(isLast);
      if (isLast) expect(isFinal(event.status.state)).toBe(true);
      expect(event.status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      continue;
    }
    expect(isLast).toBe(false);
    const { artifactId } = event.artifact;
    expect(closed.has(artifactId)).toBe(false);
    if (event.append) expect(texts.has(artifactId)).toBe(true);
    texts.set(artifactId, (event.append ? (texts.get(artifactId) ?? "") : "") + textOf(event.artifact));
    if (event.lastChunk) closed.add(artifactId);
  }
  expect(parsed.at(-1)?.kind).toBe("status-update");
  return texts;
}

const textOf = (artifact: Artifact): string =>
  artifact.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
