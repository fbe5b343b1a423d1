/**
 * Artifacts. AppBuilder's metadata says what the content is, who may see it and how the event stands; 0.3.0 has fields
 * for none of it, so it is kept whole under one key.
 */
import type { AgentArtifact } from "../../src/adapter.ts";
import type { Metadata, Part } from "../../src/protocol/model.ts";
import { compact, isRecord } from "../shared/object.ts";
import { fromCanonicalContent, toCanonicalContent } from "./content.ts";
import { fromCanonicalPart } from "./parts.ts";
import { EXTENSION, type WireArtifact } from "./wire.ts";

/** @param parts the content, where it has been read already */
export function toCanonicalArtifact(
  wire: WireArtifact,
  parts: Part[] = toCanonicalContent(wire, false).parts,
): AgentArtifact {
  return compact({ ...wire, parts, metadata: toCanonicalMetadata(wire.metadata) });
}

/** An artifact that did not come from AppBuilder gets the metadata that AppBuilder would give it. */
export function fromCanonicalArtifact(artifact: AgentArtifact): WireArtifact {
  const { parts, metadata, extensions: _extensions, ...rest } = artifact;
  return {
    ...rest,
    parts: parts.map(fromCanonicalPart),
    metadata: fromCanonicalMetadata(metadata) ?? fromCanonicalContent(parts, artifact.name),
  };
}

export const toCanonicalMetadata = (wire: Metadata | null | undefined): Metadata | undefined =>
  wire ? { [EXTENSION]: wire } : undefined;

/** What AppBuilder has said itself; metadata of others has no place on its wire. */
export function fromCanonicalMetadata(metadata: Metadata | undefined): Metadata | undefined {
  const wire = metadata?.[EXTENSION];
  return isRecord(wire) ? wire : undefined;
}
