/** Listing over HTTP+JSON as a client sees it: with real tasks, in the engine and in the store. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createCanonicalDemo } from "../../src/demo/canonical.ts";
import { startVendorServer, type RunningVendors } from "../../src/demo/server.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { rpc, userMessage } from "../support/client.ts";

interface Page {
  tasks: {
    id: string;
    contextId: string;
    status: { state: string; timestamp?: string };
    history: unknown[];
    artifacts?: unknown[];
  }[];
  nextPageToken: string;
  pageSize: number;
  totalSize?: number;
}

let vendors: RunningVendors;
let proxy: TestProxy;
/** In the order in which they were last changed. */
const ids: string[] = [];

beforeAll(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/canonical", create: createCanonicalDemo }]);
  const planner = { adapter: "a2a-0.3", url: `${vendors.url}/canonical` };
  proxy = await startTestProxy({ planner, other: planner });
  for (const text of ["Beijing", "fail", "Xian"]) ids.push(await send(userMessage(text)));
  ids.push(await send({ ...userMessage("slow"), configuration: { blocking: false } }));
});
afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

async function send(params: unknown): Promise<string> {
  const { result } = await rpc(proxy.agent("planner"), "message/send", params);
  return (result as { id: string }).id;
}

async function list(query: string, agent = "planner"): Promise<Page> {
  const response = await fetch(`${proxy.agent(agent)}v1/tasks${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

test("tasks come newest first, without artifacts unless they are asked for", async () => {
  const page = await list("");
  expect(page.tasks.map(({ id }) => id)).toEqual(ids.toReversed());
  expect([page.nextPageToken, page.pageSize]).toEqual(["", 50]);
  expect(page.tasks.map(({ artifacts }) => artifacts)).toEqual([undefined, undefined, undefined, undefined]);
  const full = await list("?includeArtifacts=true");
  expect(full.tasks.at(-1)?.artifacts).toHaveLength(1);
});

test("pages follow one another without a gap and without a task twice", async () => {
  const seen: string[] = [];
  let token = "";
  do {
    const page = await list(`?pageSize=3&pageToken=${token}`);
    seen.push(...page.tasks.map(({ id }) => id));
    token = page.nextPageToken;
  } while (token !== "");
  expect(seen).toEqual(ids.toReversed());
});

async function list10(params: Record<string, string>): Promise<Page> {
  const headers = { "A2A-Version": "1.0" };
  const response = await fetch(`${proxy.agent("planner")}tasks?${new URLSearchParams(params).toString()}`, {
    headers,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

test("a client of 1.0 is told on each page how many tasks there are, one of 0.3 is not", async () => {
  const pages: Page[] = [];
  do pages.push(await list10({ pageSize: "3", pageToken: pages.at(-1)?.nextPageToken ?? "" }));
  while (pages.at(-1)?.nextPageToken !== "");
  expect(pages.map(({ tasks, totalSize }) => [tasks.length, totalSize])).toEqual([
    [3, 4],
    [1, 4],
  ]);
  expect(await list10({ status: "TASK_STATE_COMPLETED", pageSize: "1" })).toMatchObject({ totalSize: 2 });
  expect(Object.keys(await list("?withTotal=true"))).toEqual(["tasks", "nextPageToken", "pageSize"]);
});

test("tasks since a time are those with a newer status, and the running one if its status is", async () => {
  const [running, ...ended] = (await list("")).tasks;
  const idsSince = async (statusTimestampAfter = "") =>
    (await list10({ statusTimestampAfter })).tasks.map(({ id }) => id);
  expect(await idsSince(ended[0]?.status.timestamp)).toEqual([ids[3], ids[2]]);
  expect(await idsSince(running?.status.timestamp)).toEqual([ids[3]]);
  expect(await idsSince("2999-01-01T00:00:00Z")).toEqual([]);
  const bad = await fetch(`${proxy.agent("planner")}v1/tasks?statusTimestampAfter=yesterday`);
  expect(await bad.json()).toMatchObject({ code: -32602, data: { path: "statusTimestampAfter" } });
});

test("states are those of now, also of a task that is running", async () => {
  const idsIn = async (state: string) => (await list(`?status=${state}`)).tasks.map(({ id }) => id);
  expect(await idsIn("TASK_STATE_FAILED")).toEqual([ids[1]]);
  expect(await idsIn("completed")).toEqual([ids[2], ids[0]]);
  const [running] = (await list("?pageSize=1")).tasks;
  expect(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"]).toContain(running?.status.state);
  expect(await idsIn("submitted,working")).toEqual([ids[3]]);
});

test("a context has its own tasks, an agent too, and the history is as long as asked", async () => {
  const [, , , first] = (await list("")).tasks;
  const page = await list(`?contextId=${first?.contextId}&historyLength=1`);
  expect(page.tasks.map(({ id, history }) => [id, history.length])).toEqual([[ids[0], 1]]);
  expect((await list("?contextId=unknown")).tasks).toEqual([]);
  expect((await list("", "other")).tasks).toEqual([]);
});

test.each(["x", "%00", "eyJhIjoxfQ"])("a page token that was not given out is refused: %j", async (token) => {
  const response = await fetch(`${proxy.agent("planner")}v1/tasks?pageToken=${token}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: -32602, data: { path: "pageToken" } });
});
