import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { client01 } from "../../../adapters/a2a-0.1/client.ts";
import { acceptSendParams } from "../../../src/protocol/accept.ts";
import type { StreamEvent, Task } from "../../../src/protocol/model.ts";

const rules = { maxParts: 100, newId: () => "minted", isDecoded: true };
const IDS = { taskId: "internal", contextId: "c" };
const working = { state: "working" } as const;

function writer(method: "stream" | "resubscribe") {
  const { events } = client01;
  if (!("open" in events)) throw new Error("the dialect writes by stream");
  return events.open(method, { id: "chosen" });
}

describe("params of a client of 0.1", () => {
  const send = (params: object) => acceptSendParams(client01.toParams("send", params), rules);

  test("have their ids in the message, and want no history unless they say so", () => {
    const message = { role: "user", parts: [{ type: "text", text: "hi", metadata: null }], metadata: null };
    const read = send({ id: "t", sessionId: "s", message, historyLength: null, pushNotification: null });
    expect(read).toEqual({
      message: {
        kind: "message",
        messageId: "minted",
        role: "user",
        parts: [{ kind: "text", text: "hi" }],
        taskId: "t",
        contextId: "s",
      },
      configuration: { historyLength: 0 },
    });
    expect(send({ id: "t", message, historyLength: 3 }).configuration).toEqual({ historyLength: 3 });
  });

  test("are read as far as 0.1 names them; what only the proxy writes is left out", () => {
    const own = { "urn:a2a-compat-proxy:a2a-1.0": { fields: { taskId: "another" } }, mine: 1 };
    const strange = {
      task_id: "another",
      taskId: "another",
      contextId: "another",
      referenceTaskIds: ["another"],
    };
    const part = { type: "text", text: "hi", metadata: own, ...strange };
    const message = { role: "user", parts: [part], metadata: own, ...strange };
    const text = JSON.stringify(send({ id: "t", message, metadata: own, ...strange }));
    expect(text).not.toContain("another");
    expect(text.match(/"mine":1/g)).toHaveLength(3);
  });

  test.each([
    [{}, "id"],
    [{ id: "" }, "id"],
    [{ id: "t" }, "message"],
    [{ id: "t", message: { role: "system", parts: [] } }, "message"],
    [{ id: "t", message: { role: "user", parts: [] } }, "message.parts"],
  ])("%j are invalid", (params, path) => {
    expect(() => send(params)).toThrow(
      expect.objectContaining({
        code: "invalid-params",
        data: expect.objectContaining({ path: expect.stringContaining(path) }),
      }),
    );
  });
});

const artifactIds = fc.array(
  fc.oneof(fc.constantFrom("artifact-0", "artifact-1", "artifact-0-2", "report"), fc.string()),
  { maxLength: 8 },
);

describe("a stream to a client of 0.1", () => {
  test("gives each artifact a number of its own, the one that it has in the task", () => {
    fc.assert(
      fc.property(artifactIds, (ids) => {
        const write = writer("stream");
        const known = [...new Set(ids)];
        const indexOf = (artifactId: string): unknown => {
          const artifact = { artifactId, parts: [] };
          const [event] = write({ kind: "artifact-update", ...IDS, artifact }, false);
          return Reflect.get(Reflect.get(event ?? {}, "artifact"), "index");
        };
        const numbers = new Map(ids.map((id) => [id, indexOf(id)]));
        expect(new Set(numbers.values()).size).toBe(known.length);
        const artifacts = known.map((artifactId) => ({ artifactId, parts: [] }));
        const task: Task = { kind: "task", id: "internal", contextId: "c", status: working, artifacts };
        const wire = client01.fromResult("getTask", task, { id: "chosen" });
        expect(wire).toMatchObject({
          id: "chosen",
          artifacts: known.map((id) => ({ index: numbers.get(id) })),
        });
      }),
    );
  });

  test("has the client's id in every event, and no Task; taken up again, it begins with the artifacts", () => {
    const artifact = { artifactId: "report", parts: [{ kind: "text" as const, text: "so far" }] };
    const task: StreamEvent = {
      kind: "task",
      id: "internal",
      contextId: "c",
      status: working,
      artifacts: [artifact],
    };
    const status = { id: "chosen", status: working, final: false };
    expect(writer("stream")(task, false)).toEqual([status]);
    const parts = [{ type: "text", text: "so far" }];
    expect(writer("resubscribe")(task, false)).toEqual([
      { id: "chosen", artifact: { parts, index: 0, append: false } },
      status,
    ]);
    expect(writer("resubscribe")(task, true).at(-1)).toEqual({ ...status, final: true });
  });
});
