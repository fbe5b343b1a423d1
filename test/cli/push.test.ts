import { join } from "node:path";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { adapters } from "../../adapters/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { taskRecord } from "../store/records.ts";
import { createWorld, withFile } from "./support.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "push-cli-"));
  path = join(folder, "proxy.db");
});
afterEach(() => rm(folder, { recursive: true }));

const openStore = () => openSqliteStore({ path, synchronous: "normal" });

/** Two notifications, "1" and "2", given up; resolves with their ids. */
async function giveUpTwo(): Promise<string[]> {
  const store = await openStore();
  const origin = "https://a.example";
  const config = {
    agent: "planner",
    taskId: "task-1",
    id: "default",
    principal: "alice",
    origin,
    json: "{}",
  };
  await store.push.putConfig({ ...config, createdAt: 0 }, 1);
  for (const json of ["1", "2"]) await store.putTask(taskRecord({ json }), { notify: true });
  for (const now of [Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 2)]) {
    const [head] = await store.push.claim(now, 1);
    if (head) await store.push.bury(head, "HTTP 500", now);
  }
  const letters = await store.push.deadLetters(10);
  await store.close();
  return letters.map(({ id }) => id);
}

async function run(...args: string[]) {
  const world = createWorld({ adapters });
  const agent = { adapter: "a2a-0.3", url: "http://127.0.0.1:1" };
  const document = stringify({ store: { path }, agents: { planner: agent } });
  const code = await withFile(document, (file) => world.run("push", ...args, "--config", file));
  return { code, out: world.out.text, err: world.err.text };
}

describe("push", () => {
  test("lists what was given up", async () => {
    const [first = "", second = ""] = await giveUpTwo();
    const { code, out } = await run("list");
    expect(code).toBe(0);
    expect(
      out
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((row) => row.split(/\s{2,}/)),
    ).toEqual([
      [first, "2025-01-01T00:00:00.000Z", "planner", "task-1", "default", "https://a.example", "HTTP 500"],
      [second, "2025-01-02T00:00:00.000Z", "planner", "task-1", "default", "https://a.example", "HTTP 500"],
    ]);
  });

  test("replays all, in order, for the next start", async () => {
    await giveUpTwo();
    expect(await run("replay", "--all")).toMatchObject({ code: 0, out: "2 replayed\n" });
    expect((await run("list")).out).toBe("no notifications were given up\n");
    const store = await openStore();
    expect((await store.push.claim(Date.now(), 9)).map(({ json }) => json)).toEqual(["1"]);
    await store.close();
  });

  test("drops those that are named, and says which there are not", async () => {
    const [first = ""] = await giveUpTwo();
    const { code, out, err } = await run("drop", first, "no-such-id");
    expect([code, out]).toEqual([1, "1 dropped\n"]);
    expect(err).toContain("no-such-id: no such dead letter");
  });

  test("wants ids, or --all", async () => {
    await giveUpTwo();
    expect(await run("drop")).toMatchObject({
      code: 1,
      err: expect.stringContaining("name the notifications by their ids, or say --all"),
    });
  });

  test("works beside a proxy that has the store open", async () => {
    const [first = ""] = await giveUpTwo();
    const store = await openStore();
    expect((await run("list")).out).toContain(first);
    expect((await run("replay", first)).out).toBe("1 replayed\n");
    expect((await store.push.claim(Date.now(), 9)).map(({ json }) => json)).toEqual(["1"]);
    await run("list");
    // What the proxy has taken is still its own.
    expect(await store.push.claim(Date.now(), 9)).toEqual([]);
    await store.close();
  });

  test("lists the webhooks that fail", async () => {
    await giveUpTwo();
    const store = await openStore();
    await store.putTask(taskRecord({ json: "3" }), { notify: true });
    const [head] = await store.push.claim(Date.now(), 1);
    const at = Date.UTC(2025, 0, 3);
    if (head) await store.push.retry(head, at, { reason: "ECONNREFUSED", isOff: true, blockedUntil: at }, at);
    await store.close();
    const { out } = await run("list");
    expect(
      out
        .split("\n")
        .slice(0, 2)
        .map((row) => row.split(/ {2,}/)),
    ).toEqual([
      ["failing since", "caller", "webhooks at", "last failure"],
      [
        "2025-01-03T00:00:00.000Z",
        "alice",
        "https://a.example",
        "ECONNREFUSED",
        "switched off 2025-01-03T00:00:00.000Z",
      ],
    ]);
  });

  test("makes no store where there is none", async () => {
    const { code, err } = await run("list");
    expect(code).toBe(1);
    expect(err).toContain(`there is no store at ${path}`);
  });
});
