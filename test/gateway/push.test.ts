import { describe, expect, test } from "@jest/globals";
import { UrlGuard } from "../../src/net/guard.ts";
import type { TaskStore } from "../../src/store/store.ts";
import { code, fedStream, status, task } from "../support/agent-events.ts";
import { asTask, callerOf, gatewayOver, params, reader } from "../support/fake-agent.ts";

const rules = { allowHttp: false, allowPrivate: false, allowHosts: [], allowPorts: [443] };
const push = {
  guard: new UrlGuard(rules, async () => ["93.184.216.34"]),
  credentialsFault: () => undefined,
  configsPerTask: 10,
  wake: () => {},
};
const url = "https://hooks.example/";

/** Every state that was queued, in order. */
async function queued(store: TaskStore): Promise<string[]> {
  const states: string[] = [];
  for (;;) {
    const [next] = await store.push.claim(Number.MAX_SAFE_INTEGER, 1);
    if (!next) return states;
    const { status } = JSON.parse(next.json) as { status: { state: string } };
    states.push(status.state);
    await store.push.delivered(next, 0);
  }
}

describe("a push config", () => {
  test("is its task's owner's alone", async () => {
    const { gateway } = await gatewayOver({ send: async () => task("v1", "completed") }, { push });
    const config = { pushNotificationConfig: { url } };
    const { id } = asTask(await gateway.sendMessage(params("hi", {}, config), callerOf("alice").caller));
    const { caller } = callerOf("bob");
    const refused = await Promise.all([
      gateway.setPushConfig({ taskId: id, ...config }, caller).catch(code),
      gateway.getPushConfig({ id }, caller).catch(code),
      gateway.listPushConfigs({ id }, caller).catch(code),
      gateway.deletePushConfig({ id, pushNotificationConfigId: "default" }, caller).catch(code),
    ]);
    expect(refused).toEqual(refused.map(() => "task-not-found"));
    expect(await gateway.listPushConfigs({ id }, callerOf("alice").caller)).toHaveLength(1);
  });

  test("that comes with a message does not reach the vendor", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source, { push });
    source.push(task("v1", "completed"));
    source.end();
    const configuration = { blocking: true, pushNotificationConfig: { url, token: "secret" } };
    await gateway.sendMessage(params("hi", {}, configuration), callerOf().caller);
    expect(source.calls[0]?.params.configuration).toEqual({ blocking: true });
  });

  test("is refused before the message is sent, where its URL is", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source, { push });
    const configuration = { pushNotificationConfig: { url: "https://10.0.0.1/" } };
    const sent = gateway.sendMessage(params("hi", {}, configuration), callerOf().caller);
    expect(await sent.catch(code)).toBe("invalid-params");
    expect(source.calls).toEqual([]);
  });

  test("is forgotten where the answer is a lone Message", async () => {
    const reply = {
      kind: "message" as const,
      role: "agent" as const,
      parts: [{ kind: "text" as const, text: "hi" }],
    };
    const { gateway, store } = await gatewayOver({ send: async () => reply }, { push });
    const configuration = { pushNotificationConfig: { url } };
    await gateway.sendMessage(params("hi", {}, configuration), callerOf().caller);
    expect(await store.push.nextDue()).toBeUndefined();
  });
});

describe("notifications", () => {
  test("are queued for each state, once, also where a turn is read by nobody", async () => {
    const source = fedStream();
    const { gateway, store } = await gatewayOver(source, { push });
    source.push(task("v1", "submitted"), status("working"), status("working"), status("completed"));
    source.end();
    const configuration = { pushNotificationConfig: { url } };
    await gateway.sendMessage(params("hi", {}, configuration), callerOf().caller);
    expect(await queued(store)).toEqual(["submitted", "working", "completed"]);
  });

  test("are queued for what comes after the config was set", async () => {
    const source = fedStream();
    const { gateway, store } = await gatewayOver(source, { push });
    const { caller } = callerOf();
    source.push(task("v1", "working"));
    const events = reader(await gateway.streamMessage(params("hi"), caller));
    await events.next();
    await gateway.setPushConfig({ taskId: "v1", pushNotificationConfig: { url } }, caller);
    source.push(status("completed"));
    source.end();
    await events.rest();
    expect(await queued(store)).toEqual(["completed"]);
  });

  test("are queued for a task that the proxy itself cancels", async () => {
    const source = fedStream();
    const { gateway, store } = await gatewayOver(source, { push });
    const { caller } = callerOf();
    source.push(task("v1", "working"));
    const configuration = { pushNotificationConfig: { url } };
    const events = reader(await gateway.streamMessage(params("hi", {}, configuration), caller));
    await events.next();
    await gateway.cancelTask({ id: "v1" }, caller);
    expect(await queued(store)).toEqual(["working", "canceled"]);
  });
});
