/** `strict: true`: what is otherwise repaired is refused, on every transport. The agent is not reached in either case. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { post, rpc } from "../support/client.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";

const NOBODY = { adapter: "a2a-0.3", url: "http://127.0.0.1:9/", card: { name: "Nobody" } };
const MESSAGE = { role: "user", parts: [{ kind: "text", text: "hi" }] };
const PROTO = { role: "ROLE_USER", content: [{ text: "hi" }] };

let proxy: TestProxy;
let grpc: GrpcClient;

beforeAll(async () => {
  const agents = { strict: { ...NOBODY, strict: true }, lenient: NOBODY };
  proxy = await startTestProxy(agents, { server: SERVER_WITH_GRPC });
  grpc = new GrpcClient(proxy.grpcPort ?? 0);
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await proxy.stop();
});

/** The message of the error that a message without an id, or with this one, is answered with. */
const ANSWERS = {
  "JSON-RPC": async (agent: string, id: object) =>
    (await rpc(proxy.agent(agent), "message/send", { message: { ...MESSAGE, kind: "message", ...id } })).error
      ?.message,
  "HTTP+JSON": async (agent: string, id: object) => {
    const response = await post(`${proxy.agent(agent)}v1/message:send`, { message: { ...PROTO, ...id } });
    return JSON.parse(await response.text()).message;
  },
  gRPC: async (agent: string, id: object) =>
    (await grpc.call("SendMessage", { message: { ...PROTO, ...id } }, { "a2a-agent": agent })).error?.details,
};

describe.each(Object.entries(ANSWERS))("a message over %s", (_transport, answer) => {
  test("without a messageId is refused by an agent that is strict, with the reason", async () => {
    expect(await answer("strict", {})).toMatch(/^Invalid parameters: message\.messageId: ./);
    expect(await answer("strict", { messageId: "m-1" })).toMatch(/refused the connection/);
  });

  test("without a messageId gets one from an agent that is not", async () => {
    expect(await answer("lenient", {})).toMatch(/refused the connection/);
  });
});
