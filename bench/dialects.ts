/** The same agent in each dialect: what a fast vendor answers, and what the proxy is configured with. */

/** Words that a benchmark's answer is made of; about as long as a few tokens. */
export const WORDS = "The quick brown fox jumps over. ";

export interface Answer {
  readonly id: string;
  readonly taskId: string;
  readonly contextId: string;
}

export interface BenchDialect {
  readonly adapter: string;
  readonly options?: Record<string, unknown>;
  readonly card: (url: string) => Record<string, unknown>;
  readonly isStream: (method: string) => boolean;
  /** The whole reply to a send: a completed task with one artifact. */
  readonly reply: (answer: Answer) => unknown;
  /** The `index`-th of `count` events of a stream: first a task, then chunks, last the final status. */
  readonly event: (answer: Answer, index: number, count: number) => unknown;
}

const capabilities = { streaming: true, pushNotifications: false };
const skills = [{ id: "echo", name: "Echo", description: "Answers", tags: ["bench"] }];
const common = { name: "Bench", description: "A fast agent", version: "1.0.0", capabilities, skills };
const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
const textPart = { kind: "text", text: WORDS };

const canonical: BenchDialect = {
  adapter: "a2a-0.3",
  card: (url) => ({ ...common, ...modes, url, protocolVersion: "0.3.0", preferredTransport: "JSONRPC" }),
  isStream: (method) => method === "message/stream",
  reply: ({ taskId, contextId }) => ({
    kind: "task",
    id: taskId,
    contextId,
    status: { state: "completed", timestamp: "2026-01-01T00:00:00.000Z" },
    artifacts: [{ artifactId: "answer", parts: [textPart] }],
    history: [],
  }),
  event: ({ taskId, contextId }, index, count) => {
    if (index === 0)
      return { kind: "task", id: taskId, contextId, status: { state: "working" }, history: [] };
    if (index === count - 1) {
      return { kind: "status-update", taskId, contextId, status: { state: "completed" }, final: true };
    }
    const artifact = { artifactId: "answer", parts: [textPart] };
    return { kind: "artifact-update", taskId, contextId, artifact, append: index > 1 };
  },
};

const legacy: BenchDialect = {
  adapter: "a2a-0.1",
  card: (url) => ({ ...common, url, authentication: { schemes: ["none"] } }),
  isStream: (method) => method === "tasks/sendSubscribe",
  reply: ({ taskId, contextId }) => ({
    id: taskId,
    sessionId: contextId,
    status: { state: "completed", timestamp: "2026-01-01T00:00:00.000000" },
    artifacts: [{ index: 0, parts: [{ type: "text", text: WORDS }] }],
    history: [],
  }),
  event: ({ taskId }, index, count) => {
    if (index === 0) return { id: taskId, status: { state: "working" }, final: false };
    if (index === count - 1) return { id: taskId, status: { state: "completed" }, final: true };
    const artifact = { index: 0, parts: [{ type: "text", text: WORDS }], append: index > 1 };
    return { id: taskId, artifact };
  },
};

const snake: BenchDialect = {
  adapter: "a2a-snake",
  card: (url) => ({
    ...common,
    capabilities: { streaming: true, push_notifications: false },
    default_input_modes: ["text/plain"],
    default_output_modes: ["text/plain"],
    supported_interfaces: [{ url, protocol_binding: "jsonrpc", protocol_version: "1.0" }],
  }),
  isStream: (method) => method === "a2a.sendStreamingMessage",
  reply: ({ taskId, contextId }) => ({
    task: {
      id: taskId,
      context_id: contextId,
      status: { state: "completed", timestamp: "2026-01-01T00:00:00.000Z" },
      artifacts: [{ artifact_id: "answer", parts: [{ text: WORDS }] }],
    },
  }),
  event: ({ taskId, contextId }, index, count) => {
    const ids = { task_id: taskId, context_id: contextId };
    if (index === 0) return { task: { id: taskId, context_id: contextId, status: { state: "working" } } };
    if (index === count - 1) return { statusUpdate: { ...ids, status: { state: "completed" } } };
    const artifact = { artifact_id: "answer", parts: [{ text: WORDS }] };
    return { artifactUpdate: { ...ids, artifact, append: index > 1 } };
  },
};

const appbuilder: BenchDialect = {
  adapter: "appbuilder",
  options: { send: "send" },
  card: (url) => ({ ...common, ...modes, url, protocolVersion: "0.2.6" }),
  isStream: (method) => method === "message/stream",
  reply: canonical.reply,
  event: ({ taskId, contextId }, index, count) => {
    if (index === count - 1) {
      return { kind: "status-update", taskId, contextId, status: { state: "completed" }, final: true };
    }
    const event = { id: "event-1", name: "/chat/summary", status: "running" };
    const metadata = { event, type: "text", visible_scope: "all", name: "", metrics: {}, is_end: false };
    const artifact = { artifactId: "answer", name: "/chat/summary", parts: [textPart], metadata };
    const call = {
      conversation_id: contextId,
      message_id: "m",
      role: "tool",
      status: "running",
      trace_id: "t",
    };
    return { kind: "artifact-update", taskId, contextId, artifact, append: true, metadata: call };
  },
};

export const DIALECTS: Readonly<Record<string, BenchDialect>> = { canonical, legacy, snake, appbuilder };
