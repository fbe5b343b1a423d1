/** Clients of dialects that are not served learn from the message, which is all that they show, what this URL speaks. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { adapters } from "../../adapters/index.ts";
import { post, rpc } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

let proxy: TestProxy;

beforeAll(async () => {
  const none = new Map([...adapters].map(([name, { serves: _serves, ...adapter }]) => [name, adapter]));
  proxy = await startTestProxy(
    { jester: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    {},
    { adapters: none },
  );
});

afterAll(() => proxy.stop());

test.each([
  ["tasks/send", "message/send"],
  ["tasks/sendSubscribe", "message/stream"],
  ["tasks/pushNotification/set", "tasks/pushNotificationConfig/set"],
  ["a2a.sendMessage", "message/send"],
  ["a2a.createTaskPushNotificationConfig", "tasks/pushNotificationConfig/set"],
])("%s", async (method, instead) => {
  const { error } = await rpc(proxy.agent("jester"), method, { id: "t" });
  expect(error).toEqual({
    code: -32601,
    message: `Method not found: ${method} (this URL speaks A2A 0.3.0: ${instead})`,
  });
});

test("the JavaScript client of A2A 0.1, which reads every 200 as a stream, gets an event", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "tasks/sendSubscribe", params: { id: "t" } };
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const response = await post(proxy.agent("jester"), body, { headers });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(await response.text()).toMatch(/^data: \{"jsonrpc":"2.0","id":1,"error":\{"code":-32601,.*\}\n\n$/);
});
