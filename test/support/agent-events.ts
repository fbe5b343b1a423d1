/** What a written agent says, briefly. */
import type { AgentArtifactUpdate, AgentEvent, AgentTask, Call } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";

export const chunk = (text: string, append = true): AgentArtifactUpdate => ({
  kind: "artifact-update",
  append,
  artifact: { artifactId: "a", parts: [{ kind: "text", text }] },
});
export const status = (state: "working" | "completed" | "input-required"): AgentEvent => ({
  kind: "status-update",
  status: { state },
});
export const task = (id: string, state: AgentTask["status"]["state"], text?: string): AgentTask => ({
  kind: "task",
  id,
  contextId: "vendor-context",
  status: { state },
  ...(text === undefined ? {} : { artifacts: [{ artifactId: "a", parts: [{ kind: "text", text }] }] }),
});

/** A stream that a test feeds; it stays open until `end`. */
export function fedStream() {
  const queue: AgentEvent[] = [];
  let wake = Promise.withResolvers<void>();
  let ended = false;
  const calls: { params: MessageSendParams; call: Call }[] = [];
  return {
    calls,
    /** Events that nobody has taken yet. */
    get waiting(): number {
      return queue.length;
    },
    push(...events: AgentEvent[]) {
      queue.push(...events);
      wake.resolve();
    },
    end() {
      ended = true;
      wake.resolve();
    },
    stream: async function* stream(sent: MessageSendParams, call: Call): AsyncGenerator<AgentEvent> {
      calls.push({ params: sent, call });
      const aborted = new Promise<never>((_resolve, reject) => {
        call.signal.addEventListener("abort", () => reject(call.signal.reason as Error));
      });
      aborted.catch(() => {});
      for (;;) {
        const next = queue.shift();
        if (next) yield next;
        else if (ended) return;
        else {
          await Promise.race([wake.promise, aborted]);
          wake = Promise.withResolvers<void>();
        }
      }
    },
  };
}

/** For `catch`: the code of an A2AError, anything else as it is. */
export const code = (error: unknown): unknown => (error instanceof A2AError ? error.code : error);
