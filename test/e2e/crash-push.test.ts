/** A webhook that is down while the proxy is killed: in the end it has been told of every final state, as recorded. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startVendors } from "../../src/demo/vendors.ts";
import type { RunningVendors } from "../../src/demo/server.ts";
import { Task } from "../../src/protocol/model.ts";
import { isFinal } from "../../src/protocol/states.ts";
import { LOOPBACK_PUSH, Webhook } from "../push/webhook.ts";
import { rpc, streamResults, userMessage } from "../support/client.ts";
import { startProgram } from "./program.ts";
import { VENDORS } from "./transports.ts";

/** What comes of each message; "slow" outlasts the program, and ends in whatever way its vendor can tell of. */
const MESSAGES = [
  ["tell me", "completed"],
  ["fail", "failed"],
  ["ask", "input-required"],
] as const;

let folder: string;
let vendors: RunningVendors;
let webhook: Webhook;
let leftovers: (() => Promise<unknown>)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "e2e-"));
  vendors = await startVendors(0, { pace: 30 });
  webhook = await Webhook.start();
  leftovers = [];
});

afterEach(async () => {
  for (const stop of leftovers) await stop();
  await webhook.close();
  await vendors.stop();
  await rm(folder, { recursive: true });
});

async function start() {
  const agents = Object.fromEntries(
    VENDORS.map(({ vendor, path }) => [vendor, { adapter: vendor, url: vendors.url + path }]),
  );
  // As if it were a minute: a webhook that is down for longer than many attempts take is not given up.
  const push = { ...LOOPBACK_PUSH, retryMax: "100ms" };
  const program = await startProgram(folder, { agents, push });
  leftovers.push(() => program.kill("SIGKILL"));
  const base = await program.url;
  return { program, agent: (name: string) => `${base}/agents/${name}/` };
}

/** What the webhook has been told last of each task. */
const lastTold = (): Map<string, unknown> =>
  new Map(
    webhook.received
      .map(({ body }): unknown => JSON.parse(body))
      .map((task): [string, unknown] => [Task.parse(task).id, task]),
  );

test("a webhook that was down for a minute, across a kill -9 of the proxy, still receives every final state exactly as recorded", async () => {
  const first = await start();
  await webhook.close();
  const recorded = new Map<string, unknown>();
  const running: [vendor: string, id: string][] = [];
  for (const { vendor } of VENDORS) {
    const url = first.agent(vendor);
    const send = async (text: string, blocking: boolean): Promise<Task> => {
      const configuration = { blocking, pushNotificationConfig: { url: webhook.url } };
      return Task.parse((await rpc(url, "message/send", { ...userMessage(text), configuration })).result);
    };
    for (const [text, state] of MESSAGES) {
      const { id, status } = await send(text, true);
      expect(status.state).toBe(state);
      recorded.set(id, (await rpc(url, "tasks/get", { id })).result);
    }
    running.push([vendor, (await send("slow", false)).id]);
  }
  expect(await first.program.kill("SIGKILL")).toMatchObject({ signal: "SIGKILL" });

  const second = await start();
  for (const [vendor, id] of running) {
    await streamResults(second.agent(vendor), "tasks/resubscribe", { id });
    const { result } = await rpc(second.agent(vendor), "tasks/get", { id });
    expect(isFinal(Task.parse(result).status.state)).toBe(true);
    recorded.set(id, result);
  }
  expect(webhook.received).toEqual([]);
  await webhook.listen();
  await webhook.until(() =>
    [...recorded].every(([id, task]) => JSON.stringify(lastTold().get(id)) === JSON.stringify(task)),
  );
  expect(lastTold()).toEqual(recorded);
});
