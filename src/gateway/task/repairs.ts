/**
 * The one place through which the gateway notes that it has changed what an agent said. The codes are stable, so that
 * they can be searched for and counted.
 */
import type { Logger } from "pino";

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
