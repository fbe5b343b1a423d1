/** What pages of other sites can have a browser send to the proxy without asking: a POST that has no body. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RunningVendors } from "../../src/demo/server.ts";
import { startVendors } from "../../src/demo/vendors.ts";
import { apiKeys } from "../auth/support.ts";
import { rpc, userMessage } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

const PAGE = "https://app.example";
const EVIL = "https://evil.example";

let vendors: RunningVendors;
const running: TestProxy[] = [];
beforeAll(async () => {
  vendors = await startVendors(0);
});
afterAll(async () => {
  for (const proxy of running) await proxy.stop();
  await vendors.stop();
});

async function start(cors?: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const where = { host: "127.0.0.1", port: 0, publicUrl: "https://proxy.example", shutdownGrace: "1ms" };
  const server = cors ? { ...where, cors } : where;
  const agents = { planner: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` } };
  const proxy = await startTestProxy(agents, { server, default: "planner", ...more });
  running.push(proxy);
  return proxy;
}

const stateOf = async (proxy: TestProxy, id: string): Promise<unknown> =>
  (await rpc(proxy.agent("planner"), "tasks/get", { id })).result;

/** A task that waits for its user, whom another page plays. */
async function startTask(proxy: TestProxy): Promise<string> {
  const { result } = await rpc(proxy.agent("planner"), "message/send", userMessage("ask me first"));
  return (result as { id: string }).id;
}

const cancel = (
  proxy: TestProxy,
  id: string,
  headers: Record<string, string>,
  base = proxy.agent("planner"),
) => fetch(`${base}v1/tasks/${id}:cancel`, { method: "POST", headers });

describe("a proxy on loopback that asks for no credentials", () => {
  test.each([
    ["of another site", EVIL],
    ["of another port of this machine", "http://127.0.0.1:1"],
    ["without an origin of its own", "null"],
    ["whose origin is none", "evil"],
  ])("does not let a page %s cancel a task", async (_page, origin) => {
    const proxy = await start();
    const id = await startTask(proxy);
    const response = await cancel(proxy, id, { origin });
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        error: {
          code: 403,
          status: "forbidden",
          message: expect.any(String),
          data: { reason: expect.stringContaining("server.cors") },
        },
      },
    ]);
    expect(await stateOf(proxy, id)).toMatchObject({ status: { state: "input-required" } });
  });

  test.each([
    ["no page, but a program", () => ({})],
    ["a page of its own", (url: string) => ({ origin: url })],
    ["a page of its public URL", () => ({ origin: "https://proxy.example" })],
  ])("lets %s cancel it", async (_who, headers) => {
    const proxy = await start();
    const response = await cancel(proxy, await startTask(proxy), headers(proxy.url));
    expect(response.status).toBe(200);
  });

  test("lets pages cancel that CORS lets call, and no others", async () => {
    const proxy = await start({ origins: [PAGE] });
    const id = await startTask(proxy);
    expect((await cancel(proxy, id, { origin: EVIL })).status).toBe(403);
    expect((await cancel(proxy, id, { origin: PAGE })).status).toBe(200);
    const open = await start({ origins: "*" });
    expect((await cancel(open, await startTask(open), { origin: EVIL })).status).toBe(200);
  });

  test.each(["", "agents/planner/"])(
    "refuses every POST of theirs, also for the default agent (/%s)",
    async (base) => {
      const proxy = await start();
      const headers = { origin: EVIL };
      const statuses: number[] = [];
      for (const path of [
        "",
        "v1/tasks/t:subscribe",
        "v1/tasks/t/pushNotificationConfigs",
        "v1/message:send",
      ]) {
        const response = await fetch(`${proxy.url}/${base}${path}`, { method: "POST", headers });
        statuses.push(response.status);
      }
      expect(statuses).toEqual([403, 403, 403, 403]);
    },
  );

  test("answers what they read; the browser keeps it from them", async () => {
    const proxy = await start();
    const response = await fetch(`${proxy.url}/agents`, { headers: { origin: EVIL } });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });
});

test("a caller who shows a key is not asked where it is from: no browser adds one by itself", async () => {
  const { keys, hashes } = apiKeys("alice");
  const proxy = await start(undefined, { auth: { apiKeys: { keys: { alice: { hash: hashes.alice } } } } });
  const headers = { origin: EVIL, "x-api-key": keys.alice };
  expect((await cancel(proxy, "none", headers)).status).toBe(404);
  expect((await cancel(proxy, "none", { origin: EVIL })).status).toBe(401);
});
