/** docs/adapters.md shows the very files of example-adapter/, and they make a working agent. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import type { RunningProxy } from "../../src/index.ts";
import { rpc, streamResults, userMessage } from "../support/client.ts";
import { expectValidStream } from "../support/invariants.ts";
import { start } from "./example-adapter/start.ts";
import { startParrot, type Parrot } from "./parrot.ts";

const EXAMPLE = join(import.meta.dirname, "example-adapter");
const DOCUMENT = join(import.meta.dirname, "../../docs/adapters.md");

test("docs/adapters.md shows every file of the example as it is", async () => {
  const document = await readFile(DOCUMENT, "utf8");
  const shown = [...document.matchAll(/^`([\w-]+\.ts)`.*\n\n```ts\n([^]*?)^```$/gm)].map(([, name, code]) => [
    name,
    code,
  ]);
  const names = (await readdir(EXAMPLE)).toSorted();
  const files = names.map(async (name) => [name, await readFile(join(EXAMPLE, name), "utf8")]);
  expect(Object.fromEntries(shown)).toStrictEqual(Object.fromEntries(await Promise.all(files)));
});

describe("the example adapter through the proxy", () => {
  let vendor: Parrot;
  let proxy: RunningProxy;
  let folder: string;
  let url: string;

  beforeAll(async () => {
    vendor = await startParrot();
    folder = await mkdtemp(join(tmpdir(), "parrot-"));
    const file = join(folder, "config.yaml");
    const document = {
      server: { port: 0 },
      store: { path: ":memory:" },
      log: { level: "silent" },
      agents: { polly: { adapter: "parrot", url: vendor.url, options: { voice: "shrill" } } },
    };
    await writeFile(file, stringify(document));
    proxy = await start(file);
    url = `${proxy.url}/agents/polly/`;
  });

  afterAll(async () => {
    await proxy.stop();
    await vendor.stop();
    await rm(folder, { recursive: true });
  });

  test("streams a valid stream", async () => {
    const events = await streamResults(url, "message/stream", userMessage("hello out there"));
    expect([...expectValidStream(events)]).toStrictEqual([["answer", "hello out there"]]);
    expect(events.at(0)).toMatchObject({ kind: "task", id: "run-1", contextId: "chat-1" });
    expect(events.at(-1)).toMatchObject({ status: { state: "completed" }, final: true });
    expect(vendor.heard.at(-1)).toStrictEqual({ lines: ["hello out there"], voice: "shrill" });
  });

  test("has the methods that the vendor lacks", async () => {
    const { result } = await rpc(url, "message/send", userMessage("once more"));
    const sent = expect.objectContaining({
      kind: "task",
      artifacts: [{ artifactId: "answer", parts: [{ kind: "text", text: "once more" }] }],
    });
    expect(result).toStrictEqual(sent);
    const id = `run-${vendor.heard.length}`;
    expect((await rpc(url, "tasks/get", { id })).result).toStrictEqual(result);
    expect((await rpc(url, "tasks/cancel", { id })).error?.code).toBe(-32002);
  });

  test("answers a question in the same run", async () => {
    const { result } = await rpc(url, "message/send", userMessage("what"));
    const taskId = `run-${vendor.heard.length}`;
    expect(result).toMatchObject({ id: taskId, status: { state: "input-required" } });
    const answered = await rpc(url, "message/send", userMessage("this", { taskId }));
    expect(answered.result).toMatchObject({ id: taskId, status: { state: "completed" } });
    expect(vendor.heard.at(-1)).toMatchObject({ lines: ["this"], run: taskId, chat: "chat-1" });
  });

  test("tells what the vendor refuses, and what it would lose", async () => {
    const refused = await rpc(url, "message/send", userMessage(""));
    expect(refused.error).toMatchObject({
      code: -32006,
      message: "Parrot says: I heard nothing",
      data: { agent: "polly", stage: "response", status: 400, vendor: { oops: "I heard nothing" } },
    });
    const parts = [{ kind: "data", data: { seeds: 3 } }];
    expect((await rpc(url, "message/send", userMessage("", { parts }))).error?.code).toBe(-32005);
  });
});
