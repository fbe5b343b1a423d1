/**
 * A stream where one answer was asked for. Some servers answer message/send with `text/event-stream` (§7.1 asks for one
 * Task or Message): what its events come to is the answer.
 */
import type { AgentArtifact, AgentEvent, AgentReply, AgentTask } from "../../src/adapter.ts";

/** An answer that was folded from a stream, which is read already. */
export class Folded {
  readonly reply: AgentReply;

  constructor(reply: AgentReply) {
    this.reply = reply;
  }
}

/** The Task with what was said after it, else the last Message; undefined where there is neither. */
export function foldedReply(events: readonly AgentEvent[]): AgentReply | undefined {
  const snapshot = events.findLastIndex(({ kind }) => kind === "task");
  let task: AgentTask | undefined;
  for (const event of snapshot < 0 ? events : events.slice(snapshot)) {
    if (event.kind === "task") task = event;
    else if (event.kind !== "message") task = withUpdate(task ?? unannounced(event), event);
  }
  return task ?? events.findLast((event) => event.kind === "message");
}

type Update = Exclude<AgentEvent, AgentReply>;

/** A task of which only updates are there. */
const unannounced = ({ taskId, contextId }: Update): AgentTask => ({
  kind: "task",
  ...(taskId !== undefined && { id: taskId }),
  ...(contextId !== undefined && { contextId }),
  status: { state: "working" },
});

function withUpdate(task: AgentTask, update: Update): AgentTask {
  if (update.kind === "artifact-update") {
    const { artifact, append = false } = update;
    return { ...task, artifacts: withArtifact(task.artifacts ?? [], artifact, append) };
  }
  const { message } = task.status;
  const history = [...(task.history ?? []), ...(message ? [message] : [])];
  return { ...task, status: update.status, ...(history.length > 0 && { history }) };
}

function withArtifact(
  artifacts: readonly AgentArtifact[],
  later: AgentArtifact,
  append: boolean,
): AgentArtifact[] {
  const place = artifacts.findIndex(({ artifactId }) => artifactId === later.artifactId);
  const known = artifacts[place];
  if (known === undefined) return [...artifacts, later];
  return artifacts.with(
    place,
    append ? { ...known, ...later, parts: [...known.parts, ...later.parts] } : later,
  );
}
