/**
 * Objects of every dialect with every field that it has. The value of a field is its title between two @, by which it is found
 * again, whatever has become of the object around it.
 */
import { respelled } from "../adapters/a2a-snake/spelling.ts";

/** What a client of a dialect sends: params of the method that opens a stream, one for each kind of part. */
export type Sent = readonly object[];

/** What an agent of a dialect answers: results of JSON-RPC. */
export interface Answers {
  /** To a message, without a stream. */
  readonly reply?: object;
  /** In a stream. */
  readonly events: readonly object[];
  /** A status update in a state. */
  readonly inState: (state: string) => object;
  /** The states that the dialect has, in its own words. */
  readonly states: readonly string[];
}

const noted = (title: string): object => ({ note: `@metadata of ${title}@` });
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const about10 = (title: string): object => ({
  mediaType: `@media type of ${title}@`,
  filename: `@filename of ${title}@`,
  metadata: noted(title),
});
const PARTS10: readonly object[] = [
  { text: "@text@", ...about10("text") },
  { raw: base64("@bytes@"), ...about10("a file by its bytes") },
  { url: "https://files.example/@URI@", ...about10("a file by its URI") },
  { data: { my_key: "@data@" }, ...about10("data") },
  { data: ["@data that is no object@"] },
];

const named = (name: string, title: string): object => ({ mimeType: `@media type of ${title}@`, name });
const partsBy = (kind: "kind" | "type"): readonly object[] => [
  { [kind]: "text", text: "@text@", metadata: noted("text") },
  {
    [kind]: "file",
    file: {
      bytes: base64("@bytes@"),
      ...named("@filename of a file by its bytes@", "a file by its bytes"),
    },
    metadata: noted("a file by its bytes"),
  },
  {
    [kind]: "file",
    file: {
      uri: "https://files.example/@URI@",
      ...named("@filename of a file by its URI@", "a file by its URI"),
    },
    metadata: noted("a file by its URI"),
  },
  { [kind]: "data", data: { my_key: "@data@" }, metadata: noted("data") },
];

const message = (role: string, parts: readonly object[], more: object = {}): object => ({
  messageId: "@messageId@",
  role,
  parts,
  referenceTaskIds: ["@referenceTaskIds@"],
  extensions: ["@extensions of a message@"],
  metadata: noted("a message"),
  ...more,
});
const artifact = (parts: readonly object[]): object => ({
  artifactId: "@artifactId@",
  name: "@name of an artifact@",
  description: "@description of an artifact@",
  parts,
  extensions: ["@extensions of an artifact@"],
  metadata: noted("an artifact"),
});

const IDS = { taskId: "task", contextId: "context" };
const AT = "2026-01-02T03:04:05.678Z";

const sentAs = (role: string, parts: readonly object[], more: object = {}): Sent =>
  parts.map((part) => ({
    message: message(role, [part], more),
    configuration: { acceptedOutputModes: ["@acceptedOutputModes@"] },
    metadata: noted("a call"),
  }));

const task = (parts: readonly object[], role: string, completed: string): object => ({
  id: "task",
  contextId: "context",
  status: { state: completed, message: message(role, parts), timestamp: AT },
  artifacts: [artifact(parts)],
  history: [message(role, parts)],
  metadata: noted("a task"),
});

const STATES10 = ["SUBMITTED", "WORKING", "INPUT_REQUIRED", "AUTH_REQUIRED", "COMPLETED", "CANCELED"]
  .concat("FAILED", "REJECTED")
  .map((state) => `TASK_STATE_${state}`);
const STATES01 = ["submitted", "working", "input-required", "completed", "canceled", "failed"];
const STATES03 = [...STATES01, "auth-required", "rejected"];

const ANSWERS10: Answers = {
  reply: { task: task(PARTS10, "ROLE_AGENT", "TASK_STATE_COMPLETED") },
  events: [
    { artifactUpdate: { ...IDS, artifact: artifact(PARTS10), metadata: noted("an artifact update") } },
    {
      statusUpdate: {
        ...IDS,
        status: { state: "TASK_STATE_WORKING", message: message("ROLE_AGENT", PARTS10), timestamp: AT },
        metadata: noted("a status update"),
      },
    },
  ],
  states: STATES10,
  inState: (state) => ({ statusUpdate: { ...IDS, status: { state, timestamp: AT } } }),
};

const PARTS03 = partsBy("kind");
const update03 = (more: object): object => ({ kind: "status-update", ...IDS, final: false, ...more });
const artifact03 = (parts: readonly object[]): object => ({
  kind: "artifact-update",
  ...IDS,
  artifact: artifact(parts),
  metadata: noted("an artifact update"),
});
const statusOf = (state: string, parts: readonly object[]): object => ({
  status: { state, message: message("agent", parts, { kind: "message" }), timestamp: AT },
  metadata: noted("a status update"),
});

const PARTS01 = partsBy("type");
const message01 = (role: string, parts: readonly object[]): object => ({
  role,
  parts,
  metadata: noted("a message"),
});
const artifact01 = {
  name: "@name of an artifact@",
  description: "@description of an artifact@",
  parts: PARTS01,
  index: 0,
  metadata: noted("an artifact"),
};
const IDS01 = { id: "task", sessionId: "context" };
const update01 = (state: string, more: object = {}): object => ({
  ...IDS01,
  status: { state, timestamp: AT, ...more },
  final: false,
  metadata: noted("a status update"),
});

/** By the client's dialect. */
export const SENT: Readonly<Record<string, Sent>> = {
  "a2a-0.3": sentAs("user", PARTS03, { kind: "message" }),
  "a2a-1.0": sentAs("ROLE_USER", PARTS10),
  "a2a-snake": sentAs("ROLE_USER", PARTS10).map((params) =>
    Object.assign(Object(respelled(params)), { "a2a-version": "1.0" }),
  ),
  "a2a-0.1": PARTS01.map((part) => ({
    ...IDS01,
    message: message01("user", [part]),
    acceptedOutputModes: ["@acceptedOutputModes@"],
    metadata: noted("a call"),
  })),
};

/** By the agent's dialect. */
export const ANSWERS: Readonly<Record<string, Answers>> = {
  // It sends no Task.
  appbuilder: {
    events: [artifact03(PARTS03), update03(statusOf("working", PARTS03))],
    states: STATES03,
    inState: (state) => update03({ status: { state, timestamp: AT } }),
  },
  "a2a-0.3": {
    reply: { kind: "task", ...task(PARTS03, "agent", "completed") },
    events: [artifact03(PARTS03), update03(statusOf("working", PARTS03))],
    states: STATES03,
    inState: (state) => update03({ status: { state, timestamp: AT } }),
  },
  "a2a-1.0": ANSWERS10,
  "a2a-snake": {
    reply: Object(respelled(ANSWERS10.reply)),
    events: ANSWERS10.events.map((event) => Object(respelled(event))),
    states: STATES03,
    inState: (state) => ({ statusUpdate: { task_id: "task", context_id: "context", status: { state } } }),
  },
  "a2a-0.1": {
    reply: {
      ...IDS01,
      status: { state: "completed", message: message01("agent", PARTS01), timestamp: AT },
      artifacts: [artifact01],
      history: [message01("agent", PARTS01)],
      metadata: noted("a task"),
    },
    events: [
      { ...IDS01, artifact: artifact01, metadata: noted("an artifact update") },
      update01("working", { message: message01("agent", PARTS01) }),
    ],
    states: STATES01,
    inState: (state) => update01(state),
  },
};
