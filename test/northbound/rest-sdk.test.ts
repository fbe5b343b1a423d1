/** The official clients over HTTP+JSON, through the proxy, to a demo vendor that speaks JSON-RPC alone. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Client } from "a2a03/client";
import { createCanonicalDemo } from "../../src/demo/canonical.ts";
import { startVendorServer, type RunningVendors } from "../../src/demo/server.ts";
import { collect } from "../support/collect.ts";
import { client03, client10, message03, message10 } from "../support/official-client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

const PLAN =
  "Day 1: the Forbidden City, Tiananmen and Wangfujing. Day 2: the Great Wall at Badaling and the Summer Palace. " +
  "Day 3: Nanluoguxiang and Houhai.";

let vendors: RunningVendors;
let proxy: TestProxy;
const paths: string[] = [];

beforeAll(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/canonical", create: createCanonicalDemo }]);
  proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` } });
});
afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

describe("the official client of 0.3 over HTTP+JSON", () => {
  let client: Client;
  beforeAll(async () => {
    const onPath = (path: string): void => void paths.push(path);
    client = await client03(proxy, { agent: "planner", transport: "HTTP+JSON", onPath });
  });

  test("finds its transport in the card and gets the plan, in a stream and in one piece", async () => {
    const events = await collect(client.sendMessageStream(message03("Beijing")));
    // This client drops `append` when it reads HTTP+JSON, so the pieces are all that can be looked at.
    const pieces = events.flatMap((event) => (event.kind === "artifact-update" ? event.artifact.parts : []));
    expect(pieces.map((part) => (part.kind === "text" ? part.text : "")).join("")).toBe(PLAN);
    expect(events[0]?.kind).toBe("task");
    expect(events.at(-1)).toMatchObject({ status: { state: "completed" }, final: true });
    const task = await client.sendMessage(message03("Beijing"));
    expect(task).toMatchObject({ kind: "task", status: { state: "completed" } });
    expect(paths).toContain("/agents/planner/v1/message:stream");
  });

  test("goes on with a task that asks back, and gets it with its history", async () => {
    const asking = await client.sendMessage(message03("ask"));
    if (asking.kind !== "task") throw new Error("a task was expected");
    expect(asking.status.state).toBe("input-required");
    const done = await client.sendMessage(
      message03("Beijing", { taskId: asking.id, contextId: asking.contextId }),
    );
    expect(done).toMatchObject({ id: asking.id, status: { state: "completed" } });
    const full = await client.getTask({ id: asking.id });
    const last = await client.getTask({ id: asking.id, historyLength: 1 });
    expect(full.history?.length).toBeGreaterThan(1);
    expect(last.history).toEqual(full.history?.slice(-1));
  });

  test("joins a running task, cancels it, and sees it end", async () => {
    const stream = client.sendMessageStream(message03("slow"));
    const { value: first } = await stream.next();
    if (first?.kind !== "task") throw new Error("a task was expected");
    const joined = collect(client.resubscribeTask({ id: first.id }));
    const canceled = await client.cancelTask({ id: first.id });
    expect(canceled.status.state).toBe("canceled");
    expect((await joined).at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
    expect((await collect(stream)).at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
    await expect(client.cancelTask({ id: first.id })).rejects.toMatchObject({
      name: "TaskNotCancelableError",
    });
  });

  test("learns what is wrong, before a stream begins as well", async () => {
    const unknown = { name: "TaskNotFoundError", message: "Task not found" };
    await expect(client.getTask({ id: "nobody/knows:cancel" })).rejects.toMatchObject(unknown);
    await expect(collect(client.resubscribeTask({ id: "unknown" }))).rejects.toMatchObject(unknown);
  });
});

describe("the official client of 1.0, speaking 0.3 over HTTP+JSON", () => {
  const newClient = () => client10(proxy, { agent: "planner", transport: "HTTP+JSON" });

  test("gets the plan in a stream", async () => {
    const client = await newClient();
    const events = await collect(client.sendMessageStream(message10("Beijing")));
    const text = events.flatMap(({ payload }) =>
      payload?.$case === "artifactUpdate"
        ? (payload.value.artifact?.parts ?? []).map(({ content }) =>
            content?.$case === "text" ? content.value : "",
          )
        : [],
    );
    expect(text.join("")).toBe(PLAN);
    expect(events[0]?.payload?.$case).toBe("task");
  });

  test("learns what is wrong", async () => {
    const client = await newClient();
    await expect(client.getTask({ tenant: "", id: "unknown" })).rejects.toThrow("Task not found");
  });
});
