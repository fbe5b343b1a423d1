/**
 * Which artifact a chunk or a snapshot belongs to, and whether it opens, continues or replaces it: stream invariant 3,
 * whatever ids and `append` flags the vendor sends.
 *
 * - The first chunk of an artifact is never `append`, later ones are, unless the vendor really replaces the content.
 * - A replacement that begins with what is there is sent as the rest: cumulative snapshots become deltas.
 * - `append` to an id never seen opens an artifact. Only for a vendor whose ids change from chunk to chunk
 *   (https://github.com/a2aproject/a2a-python/issues/1038) it continues the last open artifact of the same name.
 * - What comes after `lastChunk` opens an artifact with an id of its own, unless it repeats what is there.
 * - What a Task says of an artifact is read by the rules of parts.ts. An artifact that was streamed completely,
 *   up to its `lastChunk` and without a gap, stays as it was streamed, whatever a Task says of it.
 * - While events may be missing, `lastChunk` is not passed on, since the vendor's record may still change the artifact.
 */
import type { AgentArtifact, AgentArtifactUpdate } from "../../adapter.ts";
import type { Artifact, TaskArtifactUpdateEvent } from "../../protocol/model.ts";
import type { Ids, Mint } from "./fill-missing.ts";
import { ContinuityTracker, type NoteRepair } from "./repairs.ts";
import { joinParts, partsAfter, readSnapshot } from "./parts.ts";
import type { TaskState } from "./state.ts";

export interface ArtifactAssemblerOptions {
  readonly ids: Ids;
  readonly mint: Mint;
  readonly note: NoteRepair;
  /** The vendor's artifact ids change from chunk to chunk. */
  readonly idsChange: boolean;
  /** The task is followed: its artifacts belong to the turn. */
  readonly isFollowed: boolean;
}

export class ArtifactAssembler {
  readonly continuity = new ContinuityTracker();
  readonly #state: TaskState;
  readonly #options: ArtifactAssemblerOptions;
  /** Ids that continue an artifact opened under another id. */
  readonly #aliases = new Map<string, string>();
  /** Ids that went on after `lastChunk`, to the artifacts that took over, in order. */
  readonly #reopened = new Map<string, string[]>();
  /** Artifacts without an id of the vendor's, in their order. */
  readonly #unnamed: string[] = [];
  /** Artifacts of this turn. */
  readonly #touched: Set<string>;
  /** Artifacts whose `lastChunk` was not passed on. */
  readonly #ended = new Set<string>();
  #last: string | undefined;

  constructor(state: TaskState, options: ArtifactAssemblerOptions) {
    this.#state = state;
    this.#options = options;
    this.#touched = new Set(options.isFollowed ? state.artifactIds : []);
  }

  /** Events were lost. */
  broke(): void {
    this.continuity.broke([...this.#touched].filter((id) => !this.#state.isClosed(id)));
  }

  /** Applies what was streamed to the state and gives the event to send; undefined where it adds nothing. */
  accept(update: AgentArtifactUpdate): TaskArtifactUpdateEvent | undefined {
    const append = update.append === true;
    if (this.#isReplayed(update)) return undefined;
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

  /** Applies the artifacts of a Task; with `isFinal`, its state is one that ends the turn. */
  applySnapshot(artifacts: readonly AgentArtifact[], isFinal: boolean): TaskArtifactUpdateEvent[] {
    const shown = new Set<string>();
    const events: TaskArtifactUpdateEvent[] = [];
    const listed = new Set(artifacts.map(({ artifactId }) => artifactId));
    let unnamed = 0;
    for (const artifact of artifacts) {
      const id =
        artifact.artifactId === undefined
          ? this.#unnamedAt(unnamed++, artifact, listed)
          : this.#named(artifact.artifactId, artifact, listed);
      const event = this.#snapshot({ ...artifact, artifactId: id }, shown, isFinal);
      if (event) events.push(event);
    }
    this.continuity.settle(shown, isFinal);
    return events;
  }

  /** After a gap, a vendor may begin again with what the client has completely. */
  #isReplayed({ artifact: { artifactId } }: AgentArtifactUpdate): boolean {
    return this.continuity.level !== "whole" && artifactId !== undefined && this.#state.isClosed(artifactId);
  }

  #resolve(update: AgentArtifactUpdate, append: boolean): string {
    const { artifactId } = update.artifact;
    if (artifactId === undefined) {
      return append && this.#last && !this.#state.isClosed(this.#last) ? this.#last : this.#newUnnamed();
    }
    const alias = this.#aliases.get(artifactId);
    // An id that once continued another artifact and now announces itself is an artifact of its own after all.
    if (alias !== undefined && !append) this.#aliases.delete(artifactId);
    const id = append ? (alias ?? artifactId) : artifactId;
    if (this.#state.isClosed(id)) return this.#afterClose(update, id);
    const continued = id === artifactId && append ? this.#continuedBy(update, artifactId) : undefined;
    if (continued === undefined) return id;
    this.#aliases.set(artifactId, continued);
    this.#options.note("artifact-ids-merged", continued);
    return continued;
  }

  /** The artifact that a chunk under an unknown id goes on with, at a vendor whose ids change. */
  #continuedBy({ artifact: { name } }: AgentArtifactUpdate, artifactId: string): string | undefined {
    if (!this.#options.idsChange || this.#state.artifact(artifactId) || this.#last === undefined)
      return undefined;
    const last = this.#state.artifact(this.#last);
    if (!last || this.#state.isClosed(this.#last)) return undefined;
    return name !== undefined && last.name !== undefined && name !== last.name ? undefined : this.#last;
  }

  #newUnnamed(): string {
    const id = this.#options.mint.newId();
    this.#unnamed.push(id);
    return id;
  }

  /** The id of an artifact that a Task lists without one. */
  #unnamedAt(position: number, artifact: AgentArtifact, listed: ReadonlySet<string | undefined>): string {
    const known = this.#unnamed[position];
    if (known !== undefined) return known;
    const renamed = this.#renamed(artifact, listed);
    if (renamed !== undefined) this.#unnamed.push(renamed);
    return renamed ?? this.#newUnnamed();
  }

  /** The id of an artifact that a Task lists under this one. */
  #named(artifactId: string, artifact: AgentArtifact, listed: ReadonlySet<string | undefined>): string {
    const known = this.#aliases.get(artifactId) ?? (this.#state.artifact(artifactId) && artifactId);
    if (known !== undefined) return known;
    const renamed = this.#renamed(artifact, listed);
    if (renamed === undefined) return artifactId;
    this.#aliases.set(artifactId, renamed);
    return renamed;
  }

  /** The artifact of this turn that goes on in this one, which the Task lists under another id alone. */
  #renamed({ parts }: AgentArtifact, listed: ReadonlySet<string | undefined>): string | undefined {
    const whole = joinParts(parts);
    return [...this.#touched].find((id) => {
      const known = this.#state.artifact(id)?.parts ?? [];
      return !listed.has(id) && known.length > 0 && partsAfter(known, whole) !== undefined;
    });
  }

  /** A repetition of a finished artifact stays with it; anything else goes on under `<id>-2`, `<id>-3`, … */
  #afterClose(update: AgentArtifactUpdate, id: string): string {
    const known = this.#state.artifact(id);
    if (known && update.append !== true) {
      const rest = partsAfter(known.parts, joinParts(update.artifact.parts));
      if (rest?.length === 0) return id;
    }
    const later = this.#reopened.get(id) ?? [];
    const last = later.at(-1);
    if (last !== undefined && !this.#state.isClosed(last)) return last;
    let next = `${id}-2`;
    for (let turn = 3; this.#state.isClosed(next); turn++) next = `${id}-${turn}`;
    this.#reopened.set(id, [...later, next]);
    return next;
  }

  #snapshot(artifact: Artifact, shown: Set<string>, isFinal: boolean): TaskArtifactUpdateEvent | undefined {
    const { artifactId: id } = artifact;
    const known = this.#state.artifact(id);
    if (known && this.#state.isClosed(id)) return this.#closedSnapshot(artifact, shown);
    const since = this.continuity.since(id);
    const reading = known ? readSnapshot(known.parts, artifact.parts, since) : undefined;
    if (reading?.isCertain !== false) shown.add(id);
    const lastChunk = isFinal && shown.has(id) && this.#ended.has(id);
    const update: AgentArtifactUpdate = {
      kind: "artifact-update",
      artifact,
      ...(lastChunk && { lastChunk }),
    };
    if (!known || !reading) return this.#send(update, artifact, false);
    if (reading.repair === "stored-twice") this.#options.note("stored-twice", id);
    const rest = partsAfter(known.parts, reading.parts);
    if (rest) {
      const news = rest.length > 0 || hasNewFields(artifact, known);
      return news ? this.#send(update, { ...artifact, parts: rest }, true) : undefined;
    }
    this.#options.note(since ? "hole-closed" : "artifact-replaced", id);
    return this.#send(update, { ...artifact, parts: [...reading.parts] }, false);
  }

  /** What a Task says of an artifact that was streamed up to its `lastChunk`, and of those that took over from it. */
  #closedSnapshot(artifact: Artifact, shown: Set<string>): TaskArtifactUpdateEvent | undefined {
    const { artifactId: id } = artifact;
    const chain = [id, ...(this.#reopened.get(id) ?? [])];
    const parts = joinParts(chain.flatMap((each) => this.#state.artifact(each)?.parts ?? []));
    const rest = partsAfter(parts, joinParts(artifact.parts));
    if (rest) for (const each of chain) shown.add(each);
    if (rest?.length === 0) return undefined;
    const isComplete = chain.length === 1 && this.continuity.level === "whole";
    if (rest && !isComplete) {
      const update = {
        kind: "artifact-update",
        append: true,
        artifact: { ...artifact, parts: rest },
      } as const;
      return this.#append(update, { ...update.artifact, artifactId: this.#afterClose(update, id) });
    }
    this.#options.note("record-ignored", id);
    return undefined;
  }

  #open(update: AgentArtifactUpdate, artifact: Artifact): TaskArtifactUpdateEvent {
    this.continuity.streamed(artifact.artifactId, artifact.parts, true);
    return this.#send(this.#held(update, artifact), artifact, false);
  }

  #replace(update: AgentArtifactUpdate, artifact: Artifact): TaskArtifactUpdateEvent | undefined {
    if (this.#state.isClosed(artifact.artifactId)) return undefined;
    return this.#open(update, artifact);
  }

  #append(update: AgentArtifactUpdate, artifact: Artifact): TaskArtifactUpdateEvent | undefined {
    if (this.#state.isClosed(artifact.artifactId)) return undefined;
    this.continuity.streamed(artifact.artifactId, artifact.parts, false);
    return this.#send(this.#held(update, artifact), artifact, true);
  }

  /** The update without its `lastChunk` where the artifact may still change. */
  #held(update: AgentArtifactUpdate, { artifactId }: Artifact): AgentArtifactUpdate {
    if (!update.lastChunk || this.continuity.level === "whole") return update;
    this.#ended.add(artifactId);
    return { ...update, lastChunk: false };
  }

  #send(update: AgentArtifactUpdate, artifact: Artifact, append: boolean): TaskArtifactUpdateEvent {
    const { artifactId } = artifact;
    if (append) this.#state.appendArtifact(artifact);
    else this.#state.replaceArtifact(artifact);
    this.#last = artifactId;
    this.#touched.add(artifactId);
    if (update.lastChunk) this.#state.close(artifactId);
    return { ...update, ...this.#options.ids, artifact, append };
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
