/**
 * What may be missing from what an agent has streamed, and what the gateway has changed in it. Events are lost where a
 * connection breaks, and where one cannot be read; only the agent's own record shows what they said.
 */
import type { Logger } from "pino";
import { OWN_KEYS } from "../../protocol/client-members.ts";
import type { Metadata, Part } from "../../protocol/model.ts";

/**
 * What the gateway notes when it has changed what an agent said; nothing else notes it. The codes are stable, so that
 * they can be searched for and counted.
 */
type Repair =
  /** The agent's record contradicted what had been streamed, and replaced it. */
  | "artifact-replaced"
  /** Text was missing from the stream; the agent's record filled it in. */
  | "hole-closed"
  /** The agent's record held chunks twice; each is kept once. */
  | "stored-twice"
  /** The agent's record differed from an artifact that was streamed completely; the stream was kept. */
  | "record-ignored"
  /** A chunk under an unknown id continued the artifact before it (`artifactIds: changing`). */
  | "artifact-ids-merged"
  /** Events are missing, and the agent's record could not show which. */
  | "events-lost";

export type NoteRepair = (repair: Repair, artifactId?: string) => void;

export const noteNothing: NoteRepair = () => {};

export const logRepairs =
  (log: Logger, taskId: string): NoteRepair =>
  (repair, artifactId) =>
    log.debug({ repair, taskId, artifactId }, "repaired what the agent sent");

export type Continuity =
  /** Nothing is missing. */
  | "whole"
  /** A snapshot has filled the gap; whether the stream after it follows without another gap is not known. */
  | "seam"
  /** Events may be missing. */
  | "hole";

export class ContinuityTracker {
  #level: Continuity = "whole";
  /** The chunks since the gap of each artifact that may lack something. */
  readonly #since = new Map<string, Part[]>();

  get level(): Continuity {
    return this.#level;
  }

  /** Events were lost; from each of the `open` artifacts, chunks may be missing. */
  broke(open: Iterable<string>): void {
    this.#level = "hole";
    for (const id of open) if (!this.#since.has(id)) this.#since.set(id, []);
  }

  /** Parts of an artifact were streamed; with `replaces`, they are all that it has. */
  streamed(id: string, parts: readonly Part[], replaces: boolean): void {
    if (this.#level === "whole") return;
    const known = this.#since.get(id);
    if (known && !replaces) for (const part of parts) known.push(part);
    else this.#since.set(id, [...parts]);
  }

  /** The chunks since the gap; undefined for an artifact that lacks nothing. */
  since(id: string): readonly Part[] | undefined {
    return this.#since.get(id);
  }

  /** A Task was read that showed these artifacts as the agent has them; with `isFinal`, nothing follows it. */
  settle(shown: ReadonlySet<string>, isFinal: boolean): void {
    if (this.#level === "whole") return;
    const isShown = [...this.#since.keys()].every((id) => shown.has(id));
    if (!isShown) return;
    this.#level = isFinal ? "whole" : "seam";
    if (isFinal) this.#since.clear();
  }

  /** The agent has no record to compare with: a seam counts as whole. */
  trust(): void {
    if (this.#level === "seam") this.#level = "whole";
  }
}

/** The metadata key for everything about resuming. */
export const RESUME_KEY = `${OWN_KEYS}resume`;

/** In the metadata of a Task or event: events before it can no longer be replayed, or never arrived. */
export const EVENTS_LOST: Metadata = { [RESUME_KEY]: { eventsLost: true } };
