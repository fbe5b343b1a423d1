/** A disk that is full for a while: nothing is told that is not stored, new work is refused, and all of it heals. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { status as grpcStatus } from "@grpc/grpc-js";
import { pino } from "pino";
import { z } from "zod";
import { cleanUp } from "../southbound/loopback.ts";
import { post, rpc, rpcStream, userMessage, type RpcAnswer } from "../support/client.ts";
import { params } from "../support/fake-agent.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { grpcClient } from "../support/transports/grpc.ts";
import { artifact, chunk, startPuppet, status, task } from "./puppet.ts";

/** More than is left once the disk is full. */
const LONG = "word ".repeat(60_000);

interface Disk {
  readonly store: Record<string, unknown>;
  fill(): Promise<void>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** A file that may not grow beyond a size, filled from beside the proxy. */
async function limitedFile(): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), "limited-"));
  const path = join(folder, "proxy.db");
  /** Once the proxy, which is in this process, has no transaction open. */
  const beside = async (sql: string): Promise<void> => {
    const db = new DatabaseSync(path, { timeout: 0 });
    for (;;) {
      try {
        db.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`);
        return db.close();
      } catch {
        await setImmediate();
      }
    }
  };
  return {
    store: { path, maxSize: "1MiB" },
    fill: () => beside("CREATE TABLE ballast (x); INSERT INTO ballast VALUES (zeroblob(2000000))"),
    empty: () => beside("DELETE FROM ballast"),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** A file system of a few megabytes. */
async function smallDisk(): Promise<Disk> {
  const folder = mount();
  if (folder === undefined) throw new Error("nothing can be mounted here");
  const ballast = join(folder, "ballast");
  return {
    store: { path: join(folder, "proxy.db") },
    fill: async () => {
      const block = Buffer.alloc(4096);
      try {
        for (;;) writeFileSync(ballast, block, { flag: "a" });
      } catch {
        // It is full.
      }
    },
    empty: async () => rmSync(ballast),
    remove: async () => unmount(folder),
  };
}

function mount(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

function unmount(folder: string): void {
  execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
}

const canMount = ((): boolean => {
  const folder = mount();
  if (folder !== undefined) unmount(folder);
  return folder !== undefined;
})();

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
  await cleanUp();
});

async function start(makeDisk: () => Promise<Disk>) {
  const disk = await makeDisk();
  undo.push(() => disk.remove());
  const [streaming, sending] = [await startPuppet(), await startPuppet()];
  const proxy = await startTestProxy(
    {
      streaming: { adapter: "a2a-0.3", url: streaming.url },
      sending: { adapter: "a2a-0.3", url: sending.url },
    },
    { store: disk.store, server: SERVER_WITH_GRPC },
  );
  undo.push(() => proxy.stop());
  return { disk, proxy, streaming, sending };
}

const readyz = async ({ url }: TestProxy): Promise<number> => (await fetch(`${url}/readyz`)).status;
const Told = z.object({
  kind: z.string(),
  status: z.object({ state: z.string() }).optional(),
  final: z.boolean().optional(),
});

async function refusals(proxy: TestProxy) {
  const url = proxy.agent("streaming");
  const json = await post(url, { jsonrpc: "2.0", id: 1, method: "message/send", params: userMessage("no") });
  const rest = await post(`${url}v1/message:send`, {
    message: { messageId: "m", role: "ROLE_USER", content: [{ text: "no" }] },
  });
  const client = grpcClient(proxy.grpcPort ?? 0, { agent: "streaming", key: undefined });
  const grpc = await client.send(params("no")).then(
    () => undefined,
    (error: unknown) => error,
  );
  client.close();
  return [
    [json.status, json.headers.get("retry-after"), ((await json.json()) as RpcAnswer).error?.code],
    [rest.status, rest.headers.get("retry-after"), ((await rest.json()) as { code: number }).code],
    grpc,
  ];
}

describe.each([
  ["a store that has reached its size", limitedFile, true],
  ["a disk that is full", smallDisk, canMount],
] as const)("%s", (_name, makeDisk, isPossible) => {
  (isPossible ? test : test.skip)(
    "holds the end of a stream back until it is stored, and refuses new work until then",
    async () => {
      const { disk, proxy, streaming } = await start(makeDisk);
      const url = proxy.agent("streaming");
      const events = rpcStream(url, "message/stream", userMessage("go"));
      const first = events.next();
      const turn = await streaming.turn();
      turn.stream(task("working"), chunk("one ", false));
      expect((await first).value).toMatchObject({ result: { kind: "task", id: "t-1" } });
      await disk.fill();
      turn.stream(chunk(LONG, true), status("completed"));
      turn.end();
      let text = "";
      while (text.length < 4 + LONG.length) {
        const { value } = await events.next();
        const { result } = z
          .object({
            result: z.object({ artifact: z.object({ parts: z.tuple([z.object({ text: z.string() })]) }) }),
          })
          .parse(value);
        text += result.artifact.parts[0].text;
      }
      const end = events.next();
      while ((await readyz(proxy)) !== 503) await setImmediate();
      const unavailable = [503, "1", -32603];
      expect(await refusals(proxy)).toEqual([
        unavailable,
        unavailable,
        expect.objectContaining({ status: grpcStatus.UNAVAILABLE, code: -32603 }),
      ]);
      expect(Told.parse((await rpc(url, "tasks/get", { id: "t-1" })).result).status?.state).toBe("working");
      const again = rpcStream(url, "tasks/resubscribe", { id: "t-1" });
      expect(Told.parse((await again.next()).value?.result)).toMatchObject({ status: { state: "working" } });
      const endAgain = again.next();
      await disk.empty();
      for (const told of [end, endAgain]) {
        expect(Told.parse((await told).value?.result)).toMatchObject({
          status: { state: "completed" },
          final: true,
        });
      }
      while ((await readyz(proxy)) !== 200) await setImmediate();
      expect((await rpc(url, "tasks/get", { id: "t-1" })).result).toMatchObject({
        status: { state: "completed" },
        artifacts: [{ parts: [{ text: `one ${LONG}` }] }],
      });
    },
  );

  (isPossible ? test : test.skip)("holds the answer of a send back until it is stored", async () => {
    const { disk, proxy, sending } = await start(makeDisk);
    const answer = rpc(proxy.agent("sending"), "message/send", userMessage("go"));
    const turn = await sending.turn();
    await disk.fill();
    turn.answer(task("completed", { artifacts: [artifact(LONG)] }));
    while ((await readyz(proxy)) !== 503) await setImmediate();
    await disk.empty();
    expect((await answer).result).toMatchObject({ id: "t-1", status: { state: "completed" } });
    expect((await rpc(proxy.agent("sending"), "tasks/get", { id: "t-1" })).result).toEqual(
      (await answer).result,
    );
  });

  (isPossible ? test : test.skip)(
    "does not tell an end that cannot be stored before the proxy stops either",
    async () => {
      const { disk, proxy, streaming } = await start(makeDisk);
      const events = rpcStream(proxy.agent("streaming"), "message/stream", userMessage("go"));
      const first = events.next();
      const turn = await streaming.turn();
      turn.stream(task("working"));
      await first;
      await disk.fill();
      turn.stream(chunk(LONG, false), status("completed"));
      turn.end();
      while ((await readyz(proxy)) !== 503) await setImmediate();
      await proxy.stop();
      const rest: RpcAnswer[] = [];
      for await (const event of events) rest.push(event);
      expect(rest.map(({ result, error }) => error?.code ?? Told.parse(result).kind)).toEqual([
        "artifact-update",
        -32603,
      ]);
      await disk.empty();
      const again = await startTestProxy(
        { streaming: { adapter: "a2a-0.3", url: streaming.url } },
        { store: disk.store },
      );
      undo.push(() => again.stop());
      const { result } = await rpc(again.agent("streaming"), "tasks/get", { id: "t-1" });
      expect(Told.parse(result).status?.state).toMatch(/working|failed/);
    },
  );
});

test("a store whose file is deleted is noticed, and new work refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "deleted-"));
  undo.push(() => rm(folder, { recursive: true }));
  const path = join(folder, "proxy.db");
  const { url } = await startPuppet();
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
  const proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url } }, { store: { path } }, { log });
  undo.push(() => proxy.stop());
  expect(await readyz(proxy)).toBe(200);
  await rename(path, `${path}.away`);
  while ((await readyz(proxy)) !== 503) await setImmediate();
  expect(lines.join("")).toContain(`The task store ${path}: the file is gone`);
  const params = userMessage("no");
  const refused = await post(proxy.agent("planner"), {
    jsonrpc: "2.0",
    id: 1,
    method: "message/send",
    params,
  });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  await rename(`${path}.away`, path);
  while ((await readyz(proxy)) !== 200) await setImmediate();
});
