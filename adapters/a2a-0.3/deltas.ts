/**
 * Some servers send the answer twice: piece by piece as `working` status messages, then whole as an artifact. Both are
 * what 0.3.0 calls them, a status and a result, so by default both pass as they are. With `workingText: answer` the
 * pieces become the chunks of the answer artifact, and the whole that repeats them is left out.
 */
import type { AgentArtifactUpdate, AgentEvent, AgentStatusUpdate } from "../../src/adapter.ts";
import type { Part } from "../../src/protocol/model.ts";
import { compact } from "../shared/object.ts";

const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** The piece of the answer that a status holds, as a chunk; its timestamp and message id have no place there. */
function toChunk(event: AgentStatusUpdate, append: boolean): AgentArtifactUpdate | undefined {
  const { taskId, contextId, status } = event;
  const { state, message } = status;
  if (state !== "working" || !message?.parts.length) return undefined;
  if (!message.parts.every((part) => part.kind === "text")) return undefined;
  const artifact = { ...compact({ metadata: message.metadata }), parts: message.parts };
  return {
    ...compact({ taskId, contextId, metadata: event.metadata }),
    kind: "artifact-update",
    artifact,
    append,
  };
}

/** Holds the text streamed since the last artifact, to know its repetition by. */
export async function* answerFromStatuses(
  events: AsyncIterable<AgentEvent>,
): AsyncGenerator<AgentEvent, void, void> {
  let streamed = "";
  for await (const event of events) {
    if (event.kind === "status-update") {
      const chunk = toChunk(event, streamed !== "");
      if (chunk) streamed += textOf(chunk.artifact.parts);
      yield chunk ?? event;
    } else if (event.kind === "artifact-update") {
      const { artifact } = event;
      const text = textOf(artifact.parts).trimEnd();
      const repeated = text !== "" && streamed.trimEnd().endsWith(text);
      if (repeated) {
        streamed = "";
        const parts = artifact.parts.filter((part) => part.kind !== "text");
        // Without the vendor's id, it ends the artifact that its pieces have become.
        const { artifactId: _id, ...rest } = artifact;
        yield { ...event, artifact: { ...rest, parts }, append: true, lastChunk: true };
      } else {
        yield event;
      }
    } else {
      yield event;
    }
  }
}
