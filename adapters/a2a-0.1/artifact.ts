/**
 * Artifacts: 0.1 keys them by `index` and carries the chunk flags `append` and `lastChunk` inside; 0.3.0 has an
 * artifactId (§6.7), which artifact-ids.ts makes, and the flags on the event (§7.2.3). The number the vendor sent stays
 * in metadata.
 * Lossy towards the wire: an artifactId of any other form, and `extensions`.
 */
import type { AgentArtifact } from "../../src/adapter.ts";
import type { Artifact } from "../../src/protocol/model.ts";
import { compact } from "../shared/object.ts";
import { ArtifactIds } from "./artifact-ids.ts";
import type { ArtifactIndexes } from "./artifact-indexes.ts";
import { splitExtras, withExtras } from "./extras.ts";
import { fromCanonicalParts, toCanonicalParts } from "./parts.ts";
import type { WireArtifact } from "./wire.ts";

/**
 * How a server sends an artifact that grows. `auto`: `append: true` adds, anything else replaces; the gateway turns a
 * replacement that begins with what is there into the rest. `delta`: every chunk adds, whatever it says.
 * `cumulative`: every chunk replaces, whatever it says.
 */
export type ArtifactMode = "auto" | "delta" | "cumulative";

/** The known artifact, its id set. */
export type KeyedArtifact = AgentArtifact & { artifactId: string };

export function isAppended(artifact: WireArtifact, mode: ArtifactMode): boolean {
  return mode === "delta" || (mode === "auto" && artifact.append === true);
}

/** @param ids of the stream or task that the artifact is from */
export function toCanonicalArtifact(
  artifact: WireArtifact,
  ids: ArtifactIds,
  mode: ArtifactMode,
): KeyedArtifact {
  const { index, name, description, parts: wire, metadata, append: _a, lastChunk: _l, ...extras } = artifact;
  const parts = toCanonicalParts(wire);
  const how = isAppended(artifact, mode) ? "append" : mode === "cumulative" ? "replace" : "whole";
  return compact({
    artifactId: ids.next(artifact, parts, how),
    name,
    description,
    parts,
    metadata: withExtras(metadata, { ...extras, index }),
  });
}

/**
 * The artifacts of a whole Task. Some servers list every chunk they sent as an artifact of its own: those that say
 * `append` are put together again.
 */
export function toCanonicalArtifacts(
  artifacts: readonly WireArtifact[],
  mode: ArtifactMode,
): KeyedArtifact[] {
  const ids = new ArtifactIds("task");
  const known = new Map<string, KeyedArtifact>();
  for (const wire of artifacts) {
    const artifact = toCanonicalArtifact(wire, ids, mode);
    const id = artifact.artifactId;
    const before = known.get(id);
    const parts = before && isAppended(wire, mode) ? [...before.parts, ...artifact.parts] : artifact.parts;
    known.set(id, { ...before, ...artifact, parts });
  }
  return [...known.values()];
}

/** @param indexes of the task or stream that the artifact is from */
export function fromCanonicalArtifact(
  artifact: Artifact | KeyedArtifact,
  indexes: ArtifactIndexes,
): WireArtifact {
  const { metadata, extras } = splitExtras(artifact.metadata);
  const { artifactId, name, description, parts } = artifact;
  const index = indexes.of(artifactId);
  return compact({ ...extras, name, description, parts: fromCanonicalParts(parts), index, metadata });
}
