/**
 * Agents read more names than 0.3.0 has: the Python SDK takes `task_id`, Go ignores case. So no member of a request that
 * the proxy has not read may reach one, by whatever adapter and transport; what is the client's own to fill must.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { adapters } from "../../adapters/index.ts";
import { post } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { startRecordingAgent, type RecordingAgent } from "./recording-agent.ts";

/** Agents by their names here, with what says how they are called. */
const AGENTS = {
  "json-rpc": { adapter: "a2a-0.3", options: { transport: "jsonrpc" } },
  rest: { adapter: "a2a-0.3", options: { transport: "http+json" } },
  grpc: { adapter: "a2a-0.3", options: {} },
  auto: { adapter: "auto" },
  legacy: { adapter: "a2a-0.1" },
  snake: { adapter: "a2a-snake" },
  "1.0": { adapter: "a2a-1.0" },
  appbuilder: { adapter: "appbuilder" },
};

let agent: RecordingAgent;
let proxy: TestProxy;

beforeAll(async () => {
  agent = await startRecordingAgent();
  const agents = Object.entries(AGENTS).map(([name, entry]) => [
    name,
    { ...entry, url: name === "grpc" ? agent.grpcUrl : agent.url },
  ]);
  proxy = await startTestProxy(Object.fromEntries(agents));
});
afterAll(async () => {
  await proxy.stop();
  agent.stop();
});

const SMUGGLED = "smuggled-value";
const KEPT = "kept-value";

/** What 0.3.0 and other dialects name, and agents read under more than one spelling. */
const NAMES = [
  ["task", "id"],
  ["context", "id"],
  ["session", "id"],
  ["conversation", "id"],
  ["reference", "task", "ids"],
  ["message", "id"],
  ["push", "notification", "config"],
  ["push", "notification"],
  ["task", "push", "notification", "config"],
  ["history", "length"],
  ["return", "immediately"],
  ["mime", "type"],
  ["media", "type"],
  ["file", "with", "uri"],
  ["metadata"],
  ["parts"],
  ["content"],
  ["request"],
  ["id"],
  ["tenant"],
  ["url"],
  ["raw"],
  ["type"],
  ["role"],
  ["name"],
];

/** As 0.3.0 has them, or in snake_case, they are read: they are no unknown members. */
const READ = new Set(
  [
    ["message", "configuration", "metadata", "messageId", "kind", "role", "parts", "taskId", "contextId"],
    ["referenceTaskIds", "extensions", "text", "file", "data", "name", "mimeType", "bytes", "uri"],
    ["acceptedOutputModes", "blocking", "historyLength", "pushNotificationConfig", "url", "token", "id"],
    // The members' names in ProtoJSON, which HTTP+JSON reads.
    ["content", "request", "pushNotification", "fileWithUri", "fileWithBytes"],
    // Those of 1.0.
    ["raw", "mediaType", "filename", "taskPushNotificationConfig", "returnImmediately"],
  ]
    .flat()
    .flatMap((name) => [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
);

const upper = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
const STYLES: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.map((word, index) => (index === 0 ? word : upper(word))).join(""),
  (words) => words.map(upper).join(""),
  (words) => words.join("_"),
  (words) => words.join("-"),
  (words) => words.join(""),
  (words) => words.join("_").toUpperCase(),
  (words) => words.map((word) => (word === "id" ? "ID" : upper(word))).join(""),
  (words) => words.map(upper).join("_"),
  // Go folds the long s and the Kelvin sign to s and k.
  (words) => words.join("_").replaceAll("s", "ſ").replaceAll("k", "K"),
];
const unknownName = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...STYLES))
  .map(([words, style]) => style(words))
  .filter((name) => !READ.has(name));
const anyName = fc
  .string({ minLength: 1, maxLength: 12 })
  .filter((name) => !READ.has(name) && name !== "messageId" && name !== "__proto__");

const value = fc.constantFrom<unknown>(
  SMUGGLED,
  [SMUGGLED],
  { url: SMUGGLED, id: SMUGGLED, taskId: SMUGGLED },
  { [SMUGGLED]: true },
);
const extras = fc.dictionary(fc.oneof(unknownName, anyName), value, { maxKeys: 4 });
/** Under the keys by which adapters keep what 0.3.0 has no field for. */
const marks = fc.dictionary(
  fc
    .constantFrom("a2a-0.1", "a2a-0.3", "a2a-1.0", "a2a-snake", "appbuilder", "resume", "anything")
    .map((name) => `urn:a2a-compat-proxy:${name}`),
  fc.constantFrom<unknown>(
    { taskId: SMUGGLED, sessionId: SMUGGLED, role: SMUGGLED, file: { url: SMUGGLED } },
    { fields: { task_id: SMUGGLED, contextId: SMUGGLED, url: SMUGGLED } },
    { verbatim: true, foreign: true, fields: { x: SMUGGLED } },
    SMUGGLED,
  ),
);
const metadata = marks.map((own) => Object.assign({ taskId: KEPT, Context_ID: KEPT }, own));

const request = fc.record({ params: extras, message: extras, configuration: extras, part: extras, metadata });
type Given = typeof request extends fc.Arbitrary<infer T> ? T : never;

const paramsOf = (given: Given) => ({
  ...given.params,
  message: {
    ...given.message,
    kind: "message",
    messageId: "m",
    role: "user",
    metadata: given.metadata,
    parts: [
      { ...given.part, kind: "text", text: "hi", metadata: given.metadata },
      { ...given.part, kind: "file", file: { ...given.part, name: "f", uri: "https://f.test/" } },
      { ...given.part, kind: "data", data: { task_id: KEPT, taskId: KEPT } },
    ],
  },
  configuration: { ...given.configuration, blocking: true },
  metadata: given.metadata,
});

/** The same as a client of 1.0 sends it. */
const paramsOf10 = (given: Given) => ({
  ...given.params,
  message: {
    ...given.message,
    messageId: "m",
    role: "ROLE_USER",
    metadata: given.metadata,
    parts: [
      { ...given.part, text: "hi", mediaType: "text/plain", metadata: given.metadata },
      { ...given.part, url: "https://f.test/", filename: "f" },
      { ...given.part, data: { task_id: KEPT, taskId: KEPT } },
    ],
  },
  configuration: given.configuration,
  metadata: given.metadata,
});

const NORTHBOUND = {
  "JSON-RPC": (name: string, given: Given) =>
    post(proxy.agent(name), { jsonrpc: "2.0", id: 1, method: "message/send", params: paramsOf(given) }),
  "HTTP+JSON": (name: string, given: Given) => post(`${proxy.agent(name)}v1/message:send`, paramsOf(given)),
  "JSON-RPC of 1.0": (name: string, given: Given) =>
    post(proxy.agent(name), { jsonrpc: "2.0", id: 1, method: "SendMessage", params: paramsOf10(given) }),
  "HTTP+JSON of 1.0": (name: string, given: Given) =>
    post(`${proxy.agent(name)}a2a-1.0/message:send`, paramsOf10(given)),
};

test("every adapter is among those that are tried", () => {
  const tried = Object.values(AGENTS).map(({ adapter }) => adapter);
  expect(new Set(tried)).toEqual(new Set(adapters.keys()));
});

describe.each(Object.entries(NORTHBOUND))("what comes over %s", (_transport, send) => {
  test.each(Object.keys(AGENTS))("reaches %s without a member that nobody has read", async (name) => {
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        agent.received.length = 0;
        await send(name, given);
        const sent = Buffer.concat(agent.received).toString();
        expect(sent).not.toContain(SMUGGLED);
        expect(sent).toContain(KEPT);
      }),
      { numRuns: 60 },
    );
  });
});
