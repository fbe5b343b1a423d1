/** Callers of the program as it is shipped, in front of an agent whose SDK reads members by several spellings. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newApiKey } from "../../src/auth/api-key.ts";
import { Task } from "../../src/protocol/model.ts";
import { startProgram } from "../e2e/program.ts";
import { userMessage } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import type { Ready, RunningAgent } from "./peer.ts";
import { urlsOf } from "./urls.ts";

const KEYS = { ann: newApiKey(), bob: newApiKey() };

/** Ways to name a task or a context of the agent's own. */
const SPELLINGS = [
  "task_id",
  "TaskID",
  "taskid",
  "context_id",
  "ContextID",
  "reference_task_ids",
  "sessionId",
];
/** Ways to name a webhook that the proxy would have to check. */
const HOOKS = ["push_notification_config", "pushNotification", "task_push_notification_config"];

export function describeIsolation(peer: string, agent: Ready<RunningAgent>): void {
  const { peer: running, skipped } = agent;
  if (running === undefined) {
    test.skip(`callers of an agent of ${peer}: ${skipped}`, () => {});
    return;
  }
  describe(`callers of an agent of ${peer}, behind the shipped program,`, () => {
    let folder: string;
    let program: Awaited<ReturnType<typeof startProgram>>;
    let url: string;

    async function send(who: keyof typeof KEYS, message: object, configuration?: object): Promise<unknown> {
      const response = await fetch(`${url}/agents/peer/`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": KEYS[who].key },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "message/send",
          params: { message, configuration },
        }),
      });
      return await response.json();
    }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "interop-"));
      const keys = Object.fromEntries(Object.entries(KEYS).map(([name, { hash }]) => [name, { hash }]));
      const agents = { peer: { adapter: "a2a-0.3", url: urlsOf(running.said)["JSONRPC"] } };
      program = await startProgram(folder, { auth: { apiKeys: { keys } }, agents });
      url = await program.url;
    });
    afterAll(async () => {
      await program.kill("SIGTERM");
      await rm(folder, { recursive: true });
    });

    test("reach no task of another by any spelling of its ids", async () => {
      const { message } = userMessage("ask", { metadata: { secret: "SECRET-OF-ANN" } });
      const asked = Object(await send("ann", message));
      const { id, contextId } = Task.parse(asked.result);
      for (const name of SPELLINGS) {
        const value = /context|session/i.test(name) ? contextId : name.includes("ids") ? [id] : id;
        const answer = Object(await send("bob", userMessage("ids", { [name]: value }).message));
        // A spelling that the proxy reads names a task that Bob does not have; the others are dropped.
        if (answer.error?.code === -32001) continue;
        const read = textOf(Task.parse(answer.result));
        // What the agent has read: neither Ann's task nor her context.
        expect({ name, read }).toEqual({ name, read: expect.not.stringContaining(id) });
        expect({ name, read }).toEqual({ name, read: expect.not.stringContaining(contextId) });
        expect(JSON.stringify(answer)).not.toContain("SECRET-OF-ANN");
      }
      const { messageId, ...more } = userMessage("answer", { taskId: id, contextId }).message;
      const answer = Object(await send("ann", { messageId, ...more }));
      expect(Task.parse(answer.result)).toMatchObject({ id, contextId, status: { state: "completed" } });
      expect(JSON.stringify(answer)).not.toContain('"ids"');
    });

    test("give it no webhook by any spelling", async () => {
      for (const name of HOOKS) {
        const hook = { url: "http://169.254.169.254/", token: "t" };
        const answer = Object(await send("bob", userMessage("hooked").message, { [name]: hook }));
        // A spelling that the proxy reads is refused, as every http URL is; the others are dropped.
        if (answer.error?.code === -32602) continue;
        const { id, status } = Task.parse(answer.result);
        expect(status.state).toBe("completed");
        expect(await hooksAtAgent(id)).toEqual([]);
      }
    });

    /** What the agent itself knows of webhooks of a task. */
    async function hooksAtAgent(id: string): Promise<unknown> {
      const response = await fetch(urlsOf(running?.said)["JSONRPC"] ?? "", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tasks/pushNotificationConfig/list",
          params: { id },
        }),
      });
      const { result, error } = Object(await response.json());
      expect(error).toBeUndefined();
      return result;
    }
  });
}
