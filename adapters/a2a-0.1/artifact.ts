/**
 * Artifacts: 0.1 keys them by `index` (absent: 0) and carries the chunk flags `append` and `lastChunk` inside; 0.3.0
 * has an artifactId (§6.7) and the flags on the event (§7.2.3). `index` n becomes the id `artifact-n`; the number the
 * vendor sent stays in metadata.
 * Lossy towards the wire: an artifactId of any other form, and `extensions`.
 */
import type { AgentArtifact } from "../../src/adapter.ts";
import type { Artifact } from "../../src/protocol/model.ts";
import { compact } from "../shared/object.ts";
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

export function toCanonicalArtifact(artifact: WireArtifact): KeyedArtifact {
  const { index, name, description, parts, metadata, append: _a, lastChunk: _l, ...extras } = artifact;
  return compact({
    artifactId: `artifact-${index ?? 0}`,
    name,
    description,
    parts: toCanonicalParts(parts),
    metadata: withExtras(metadata, { ...extras, index }),
  });
}

/**
 * The artifacts of a whole Task. Some servers list every chunk they sent as an artifact of its own: those that say
 * `append` are put together again. Others leave every index at 0: these become `artifact-0`, `artifact-0-2`, ….
 */
export function toCanonicalArtifacts(
  artifacts: readonly WireArtifact[],
  mode: ArtifactMode,
): KeyedArtifact[] {
  const known = new Map<string, KeyedArtifact>();
  for (const wire of artifacts) {
    const artifact = toCanonicalArtifact(wire);
    const id = artifact.artifactId;
    const before = known.get(id);
    if (!before || mode === "cumulative") {
      known.set(id, artifact);
    } else if (isAppended(wire, mode)) {
      known.set(id, { ...before, ...artifact, parts: [...before.parts, ...artifact.parts] });
    } else {
      let next = 2;
      while (known.has(`${id}-${next}`)) next++;
      known.set(`${id}-${next}`, { ...artifact, artifactId: `${id}-${next}` });
    }
  }
  return [...known.values()];
}

/** @param position where the artifact stands among the task's; its index where its id does not tell one */
export function fromCanonicalArtifact(artifact: Artifact | KeyedArtifact, position: number): WireArtifact {
  const { metadata, extras } = splitExtras(artifact.metadata);
  const { name, description, parts } = artifact;
  const index = indexOf(artifact.artifactId) ?? position;
  return compact({ ...extras, name, description, parts: fromCanonicalParts(parts), index, metadata });
}

function indexOf(artifactId: string): number | undefined {
  const digits = /^artifact-(\d{1,9})$/.exec(artifactId)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
