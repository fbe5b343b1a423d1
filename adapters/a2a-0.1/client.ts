/**
 * Clients of A2A 0.1. Every call is about one task, which the client has named: whatever the proxy calls it, the answers have
 * the client's name for it. 0.1 has no Message as an answer and no Task in a stream, see the README.
 */
import type { AgentStatusUpdate } from "../../src/adapter.ts";
import type { ClientDialect, UnaryResult, WriteEvent } from "../../src/dialect.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MethodName } from "../../src/protocol/methods.ts";
import type { Task, TaskArtifactUpdateEvent } from "../../src/protocol/model.ts";
import { ArtifactIndexes } from "./artifact-indexes.ts";
import { fromCanonicalCard } from "./card.ts";
import { taskIn, toParams } from "./client-params.ts";
import { fromCanonicalError } from "./errors.ts";
import { fromCanonicalArtifactUpdate, fromCanonicalStatusUpdate } from "./events.ts";
import { DIALECT } from "./extras.ts";
import { JSONRPC, fromCanonicalPushConfig } from "./params.ts";
import { fromCanonicalTask } from "./task.ts";
import type { WireTask } from "./wire.ts";

function fromResult(_method: MethodName, result: UnaryResult, params: unknown): unknown {
  const id = taskIn(params);
  if (result && "pushNotificationConfig" in result) {
    const { taskId, pushNotificationConfig } = result;
    return { id: id ?? taskId, pushNotificationConfig: fromCanonicalPushConfig(pushNotificationConfig) };
  }
  if (result && "kind" in result && result.kind === "task") return namedTask(result, id);
  throw new A2AError("internal-error", { message: "A2A 0.1 has no such answer" });
}

const namedTask = (task: Task, id: string | undefined): WireTask => ({
  ...fromCanonicalTask(task),
  id: id ?? task.id,
});

/**
 * A writer of one stream. A Task becomes its status. Of a stream that is taken up again it is all that the client has missed:
 * its artifacts come first, each to replace what the client has.
 */
function openStream(method: MethodName, params: unknown): WriteEvent {
  const named = taskIn(params);
  const indexes = new ArtifactIndexes();
  const artifactOf = (event: TaskArtifactUpdateEvent) =>
    fromCanonicalArtifactUpdate({ ...event, taskId: named ?? event.taskId }, indexes);
  const statusOf = (event: Omit<AgentStatusUpdate, "kind">) =>
    fromCanonicalStatusUpdate({ ...event, kind: "status-update", taskId: named ?? event.taskId });
  return (event, isLast) => {
    switch (event.kind) {
      case "task": {
        const { id: taskId, contextId, status, metadata, artifacts = [] } = event;
        const updates = artifacts.map((artifact) =>
          artifactOf({ kind: "artifact-update", taskId, contextId, artifact, append: false }),
        );
        const update = statusOf({ taskId, status, metadata, final: isLast });
        return method === "resubscribe" ? [...updates, update] : [update];
      }
      case "status-update":
        return [statusOf(event)];
      case "artifact-update":
        return [artifactOf(event)];
      case "message": {
        const { taskId } = event;
        return [statusOf({ taskId, status: { state: "completed", message: event }, final: true })];
      }
      default:
        return event satisfies never;
    }
  };
}

export const client01: ClientDialect = {
  name: DIALECT,
  jsonrpc: JSONRPC,
  extensionsHeader: "X-A2A-Extensions",
  clientMintsTaskIds: true,
  speaks: (version) => /^v?0\.1(\.\d+)?$/.test(version),
  toParams,
  fromResult,
  events: { open: openStream },
  notifications: { toBody: fromCanonicalTask },
  toRpcError: fromCanonicalError,
  fromCard: (card, { url }) => fromCanonicalCard({ ...card, url }),
};
