/** Push notifications over every transport for every demo vendor, also across a restart of webhook and proxy. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { Task } from "../../src/protocol/model.ts";
import { LOOPBACK_PUSH, Webhook } from "../push/webhook.ts";
import { params } from "../support/fake-agent.ts";
import { PAIRS, VENDORS, startTransports } from "./transports.ts";

const folder = await mkdtemp(join(tmpdir(), "transports-"));
const webhook = await Webhook.start();
// What a webhook misses while it is down is sent again soon, but not so soon that it is given up.
const push = { ...LOOPBACK_PUSH, retryMax: "200ms" };
const transports = await startTransports({
  pace: 20,
  more: { push, store: { driver: "sqlite", path: join(folder, "proxy.db") } },
});

afterAll(async () => {
  await transports.stop();
  await webhook.close();
  await rm(folder, { recursive: true });
});

/** What the webhook was told of the task in this state, as it came. */
const toldOf = (id: string, state: string): string[] =>
  webhook.received
    .map(({ body }) => body)
    .filter((body) => {
      const task = Task.parse(JSON.parse(body));
      return task.id === id && task.status.state === state;
    });

describe.each(PAIRS)("$vendor over $transport", ({ vendor, transport }) => {
  const client = transports.client(vendor, transport);

  test("configs are set, replaced, read, listed and deleted", async () => {
    const { id } = Task.parse(await client.send(params("ask")));
    const config = { id: "c-1", url: "http://127.0.0.1:9/one", token: "t" };
    const secured = {
      id: "c-2",
      url: "http://127.0.0.1:9/two",
      authentication: { schemes: ["Bearer"], credentials: "secret" },
    };
    const withTask = (pushNotificationConfig: object) => ({ taskId: id, pushNotificationConfig });
    expect(await client.setPush(id, config)).toEqual(withTask(config));
    expect(await client.setPush(id, secured)).toEqual(withTask(secured));
    expect(await client.setPush(id, { url: "http://127.0.0.1:9/" })).toEqual(
      withTask({ id: "default", url: "http://127.0.0.1:9/" }),
    );
    const replaced = { ...config, token: "another" };
    await client.setPush(id, replaced);
    expect(await client.getPush(id, "c-1")).toEqual(withTask(replaced));
    expect(await client.getPush(id, "c-2")).toEqual(withTask(secured));
    await client.deletePush(id, "default");
    await client.deletePush(id, "default");
    const listed = (await client.listPush(id)) as unknown[];
    expect(new Set(listed)).toEqual(new Set([withTask(replaced), withTask(secured)]));
  });

  test("a config that comes with the message is told of the end, as it was recorded", async () => {
    const pushNotificationConfig = { url: webhook.url, token: `${vendor} ${transport}` };
    const { id } = Task.parse(await client.send(params("tell me", {}, { pushNotificationConfig })));
    await webhook.until(() => toldOf(id, "completed").length > 0);
    const [body = ""] = toldOf(id, "completed");
    // Over JSON-RPC, since that has the object as it is.
    const stored = await transports.client(vendor, "JSONRPC").get(id);
    expect(JSON.parse(body)).toEqual(stored);
    const { headers } = webhook.received.find((received) => received.body === body) ?? {};
    expect(headers?.["x-a2a-notification-token"]).toBe(`${vendor} ${transport}`);
  });
});

test("a webhook that was down, while the proxy was restarted, is told every final state as it was recorded", async () => {
  await webhook.close();
  const stored = new Map<string, unknown>();
  for (const { vendor } of VENDORS) {
    const client = transports.client(vendor, "JSONRPC");
    const configuration = { pushNotificationConfig: { url: webhook.url } };
    for (const [text, state] of [
      ["tell me", "completed"],
      ["fail", "failed"],
      ["ask", "input-required"],
    ] as const) {
      const task = Task.parse(await client.send(params(text, {}, configuration)));
      expect(task.status.state).toBe(state);
      stored.set(task.id, await client.get(task.id));
    }
  }
  const before = webhook.received.length;
  await transports.stopProxy();
  await transports.startProxy();
  expect(webhook.received).toHaveLength(before);
  await webhook.listen();
  const told = () => new Map(webhook.received.slice(before).map(({ body }) => idAndTask(body)));
  await webhook.until(() =>
    [...stored].every(([id, task]) => JSON.stringify(told().get(id)) === JSON.stringify(task)),
  );
  expect(told()).toEqual(stored);
});

function idAndTask(body: string): [string, unknown] {
  const task: unknown = JSON.parse(body);
  return [Task.parse(task).id, task];
}
