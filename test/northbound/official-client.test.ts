/** The official JavaScript client of 0.3, which is strict about ids, content types and data lines. */
import { describe, expect, test } from "@jest/globals";
import { ClientFactory, JsonRpcTransportFactory } from "a2a03/client";
import { A2AError } from "../../src/protocol/errors.ts";
import { collect } from "../support/collect.ts";
import {
  FakeSubscription,
  TASK,
  URL_PATH,
  event,
  fakeGateway,
  recording,
  start,
  type Harness,
} from "./harness.ts";

const clientOf = (proxy: Harness) =>
  new ClientFactory({ transports: [new JsonRpcTransportFactory()] }).createFromAgentCard({
    protocolVersion: "0.3.0",
    name: "Planner",
    description: "Plans trips.",
    version: "1",
    url: proxy.origin + URL_PATH,
    preferredTransport: "JSONRPC",
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  });

const params = {
  message: {
    kind: "message" as const,
    messageId: "m",
    role: "user" as const,
    parts: [{ kind: "text" as const, text: "hi" }],
  },
};

describe("the official client", () => {
  test("gets the answer of a call", async () => {
    await using proxy = await start({ gateway: recording().gateway });
    const client = await clientOf(proxy);
    expect(await client.getTask({ id: "t-1" })).toEqual(TASK);
  });

  test("gets the events of a stream", async () => {
    const update = {
      kind: "status-update",
      taskId: "t-1",
      contextId: "c-1",
      status: { state: "completed" },
      final: true,
    };
    const gateway = fakeGateway({
      streamMessage: async () =>
        new FakeSubscription(
          [event(JSON.stringify(TASK))],
          [event(JSON.stringify(update), 1, true)],
          undefined,
        ),
    });
    await using proxy = await start({ gateway });
    const client = await clientOf(proxy);
    expect(await collect(client.sendMessageStream(params))).toEqual([TASK, update]);
  });

  test("learns why a stream has failed, before its first event and after it", async () => {
    const error = new A2AError("task-not-cancelable", { message: "the reason" });
    const gateway = fakeGateway({
      streamMessage: () => Promise.reject(error),
      resubscribe: async () => new FakeSubscription([event(JSON.stringify(TASK))], error),
    });
    await using proxy = await start({ gateway });
    const client = await clientOf(proxy);
    await expect(collect(client.sendMessageStream(params))).rejects.toThrow("the reason");
    await expect(collect(client.resubscribeTask({ id: "t-1" }))).rejects.toThrow("the reason");
  });
});
