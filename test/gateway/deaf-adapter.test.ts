/** An adapter that does not look at the signal of its calls: every time holds all the same. */
import { describe, expect, test } from "@jest/globals";
import type { AgentEvent, Backend } from "../../src/adapter.ts";
import type { Timeouts } from "../../src/config/config.ts";
import { chunk, code, status, task } from "../support/agent-events.ts";
import { callerOf, gatewayOver, params, reader } from "../support/fake-agent.ts";

const never = (): Promise<never> => new Promise(() => {});

/** Sends these events, and then neither another nor an end. */
const deaf = (...events: AgentEvent[]): Partial<Backend> => ({
  async *stream() {
    yield* events;
    await never();
  },
});

async function streamed(backend: Partial<Backend>, timeouts: Partial<Timeouts>) {
  const { gateway } = await gatewayOver(backend, { timeouts: { poll: 5, ...timeouts } });
  return reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
}

const failed = { final: true, status: { state: "failed" } };

describe("an adapter that ignores its signal", () => {
  test("does not outlive the time for the first event", async () => {
    expect(await streamed(deaf(), { firstEvent: 20 }).catch(code)).toBe("agent-unavailable");
  });

  test("does not outlive the idle time", async () => {
    expect((await streamed(deaf(chunk("one")), { idle: 20 })).at(-1)).toMatchObject(failed);
  });

  test("does not outlive the total time", async () => {
    expect((await streamed(deaf(chunk("one")), { total: 20 })).at(-1)).toMatchObject(failed);
  });

  test("does not outlive the time of a request, when it is asked for a task", async () => {
    const backend = { ...deaf(task("v1", "working")), getTask: never };
    expect((await streamed(backend, { idle: 20, request: 20 })).at(-1)).toMatchObject(failed);
  });

  test("does not hold up a cancel, an answer to tasks/get or the proxy's stop", async () => {
    let sends = 0;
    const { gateway } = await gatewayOver(
      {
        ...deaf(chunk("one")),
        send: async () => task(`v${++sends}`, "input-required"),
        getTask: never,
        cancelTask: never,
      },
      { timeouts: { request: 20 } },
    );
    const { caller } = callerOf();
    await gateway.sendMessage(params("hi"), caller);
    expect((await gateway.getTask({ id: "v1" }, caller)).status.state).toBe("input-required");
    expect(await gateway.cancelTask({ id: "v1" }, caller).catch(code)).toBe("agent-unavailable");
    const events = reader(await gateway.streamMessage(params("hi"), caller));
    await gateway.stop(5);
    expect((await events.rest()).at(-1)).toMatchObject(failed);
  });

  test("does not hold up the end of a task that it never lets go of", async () => {
    const backend: Partial<Backend> = {
      async *stream() {
        try {
          yield task("v1", "working");
          yield status("completed");
        } finally {
          await never();
        }
      },
    };
    const end = (await streamed(backend, {})).at(-1);
    expect(end).toMatchObject({ final: true, status: { state: "completed" } });
  });
});
