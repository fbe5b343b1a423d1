/**
 * Which artifact a chunk belongs to, and whether it opens, continues or replaces it: stream invariant 3, whatever ids
 * and `append` flags the vendor sends.
 *
 * - The first chunk of an artifact is never `append`, later ones are, unless the vendor really replaces the content.
 * - A replacement that begins with what is there is sent as the rest: cumulative snapshots become deltas.
 * - `append` to an id never seen continues the last open artifact of the same name (ids that change from event to
 *   event, https://github.com/a2aproject/a2a-python/issues/1038), else it opens a new one.
 * - What comes after `lastChunk` opens an artifact with an id of its own, unless it repeats what is there.
 */
import type { AgentArtifactUpdate } from "../adapter.ts";
import type { Artifact, TaskArtifactUpdateEvent } from "../protocol/model.ts";
import { joinParts, partsAfter } from "./parts.ts";
import type { Ids, Mint } from "./complete.ts";
import type { TaskState } from "./task-state.ts";

export class ArtifactOrder {
  readonly #state: TaskState;
  readonly #ids: Ids;
  readonly #mint: Mint;
  /** Ids that continue an artifact opened under another id. */
  readonly #aliases = new Map<string, string>();
  /** Ids that went on after `lastChunk`, to the artifact that took over. */
  readonly #reopened = new Map<string, string>();
  #last: string | undefined;

  constructor(state: TaskState, ids: Ids, mint: Mint) {
    this.#state = state;
    this.#ids = ids;
    this.#mint = mint;
  }

  /** Applies the update to the state and gives the event to send; undefined where it adds nothing. */
  accept(update: AgentArtifactUpdate): TaskArtifactUpdateEvent | undefined {
    const append = update.append === true;
    const id = this.#resolve(update, append);
    const known = this.#state.artifact(id);
    const artifact: Artifact = { ...update.artifact, artifactId: id };
    if (!known) return this.#open(update, artifact);
    if (append) return this.#append(update, artifact);
    const rest = partsAfter(known.parts, joinParts(artifact.parts));
    if (!rest) return this.#replace(update, artifact);
    const news = rest.length > 0 || update.lastChunk === true || hasNewFields(artifact, known);
    return news ? this.#append(update, { ...artifact, parts: rest }) : undefined;
  }

  #resolve(update: AgentArtifactUpdate, append: boolean): string {
    const { artifactId, name } = update.artifact;
    if (artifactId === undefined) {
      return append && this.#last && !this.#state.isClosed(this.#last) ? this.#last : this.#mint.newId();
    }
    const alias = this.#aliases.get(artifactId);
    // An id that once continued another artifact and now announces itself is an artifact of its own after all.
    if (alias !== undefined && !append) this.#aliases.delete(artifactId);
    const id = append ? (alias ?? artifactId) : artifactId;
    if (this.#state.isClosed(id)) return this.#afterClose(update, id);
    if (id !== artifactId) return id;
    if (this.#state.artifact(artifactId) || !append || this.#last === undefined) return artifactId;
    const last = this.#state.artifact(this.#last);
    if (!last || this.#state.isClosed(this.#last)) return artifactId;
    if (name !== undefined && last.name !== undefined && name !== last.name) return artifactId;
    this.#aliases.set(artifactId, this.#last);
    return this.#last;
  }

  /** A repetition of a finished artifact stays with it; anything else goes on under `<id>-2`, `<id>-3`, … */
  #afterClose(update: AgentArtifactUpdate, id: string): string {
    const known = this.#state.artifact(id);
    if (known && update.append !== true) {
      const rest = partsAfter(known.parts, joinParts(update.artifact.parts));
      if (rest?.length === 0) return id;
    }
    let next = this.#reopened.get(id) ?? `${id}-2`;
    for (let turn = 3; this.#state.isClosed(next); turn++) next = `${id}-${turn}`;
    this.#reopened.set(id, next);
    return next;
  }

  #open(update: AgentArtifactUpdate, artifact: Artifact): TaskArtifactUpdateEvent {
    this.#state.replaceArtifact(artifact);
    return this.#event(update, artifact, false);
  }

  #replace(update: AgentArtifactUpdate, artifact: Artifact): TaskArtifactUpdateEvent | undefined {
    if (this.#state.isClosed(artifact.artifactId)) return undefined;
    return this.#open(update, artifact);
  }

  #append(update: AgentArtifactUpdate, artifact: Artifact): TaskArtifactUpdateEvent | undefined {
    if (this.#state.isClosed(artifact.artifactId)) return undefined;
    this.#state.appendArtifact(artifact);
    return this.#event(update, artifact, true);
  }

  #event(update: AgentArtifactUpdate, artifact: Artifact, append: boolean): TaskArtifactUpdateEvent {
    this.#last = artifact.artifactId;
    if (update.lastChunk) this.#state.close(artifact.artifactId);
    return { ...update, ...this.#ids, artifact, append };
  }
}

/** Name, description or metadata that the artifact does not have yet. */
function hasNewFields(artifact: Artifact, known: Artifact): boolean {
  const { parts: _parts, ...fields } = artifact;
  const before = new Map<string, unknown>(Object.entries(known));
  return Object.entries(fields).some(
    ([key, value]) => JSON.stringify(before.get(key)) !== JSON.stringify(value),
  );
}
