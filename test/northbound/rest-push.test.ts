import { expect, test } from "@jest/globals";
import { fakeGateway, start } from "./harness.ts";
import { BASE, call } from "./rest-client.ts";

const CONFIGS = `${BASE}/tasks/t-1/pushNotificationConfigs`;
const config = { id: "c-1", url: "https://hook.example/", token: "secret" };
const canonical = { taskId: "t-1", pushNotificationConfig: config };
const proto = { name: "tasks/t-1/pushNotificationConfigs/c-1", pushNotificationConfig: config };

function recording() {
  const calls: unknown[][] = [];
  const note =
    <T>(name: string, result: T) =>
    async (params: unknown): Promise<T> => {
      calls.push([name, params]);
      return result;
    };
  const gateway = fakeGateway({
    setPushConfig: note("set", canonical),
    getPushConfig: note("get", canonical),
    listPushConfigs: note("list", [canonical]),
    deletePushConfig: note("delete", undefined),
  });
  return { calls, gateway };
}

test.each([
  ["a TaskPushNotificationConfig", proto],
  [
    "a create request",
    { parent: "tasks/t-1", configId: "c-1", config: { pushNotificationConfig: { ...config, id: "" } } },
  ],
  ["snake_case", { name: proto.name, push_notification_config: { ...config, id: undefined } }],
  ["the schema's JSON", canonical],
])("a config may be set by %s", async (_name, body) => {
  const { calls, gateway } = recording();
  await using proxy = await start({ gateway });
  const response = await call(proxy, "POST", CONFIGS, body);
  expect([response.status, await response.json()]).toEqual([200, proto]);
  expect(calls).toEqual([["set", canonical]]);
});

test.each([
  ["GET", CONFIGS, 200, { configs: [proto] }, ["list", { id: "t-1" }]],
  ["GET", `${CONFIGS}/c%2F1`, 200, proto, ["get", { id: "t-1", pushNotificationConfigId: "c/1" }]],
  ["DELETE", `${CONFIGS}/c-1`, 204, undefined, ["delete", { id: "t-1", pushNotificationConfigId: "c-1" }]],
])("%s %s", async (verb, path, status, body, called) => {
  const { calls, gateway } = recording();
  await using proxy = await start({ gateway });
  const response = await call(proxy, verb, path);
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(body === undefined ? "" : JSON.stringify(body));
  expect(calls).toEqual([called]);
});

test.each([
  ["nothing", undefined],
  ["no config", {}],
  ["a config without a URL", { pushNotificationConfig: { id: "c" } }],
])("a config cannot be set by %s", async (_name, body) => {
  const { calls, gateway } = recording();
  await using proxy = await start({ gateway });
  const response = await call(proxy, "POST", CONFIGS, body);
  expect([response.status, await response.json()]).toMatchObject([400, { code: -32602 }]);
  expect(calls).toEqual([]);
});
