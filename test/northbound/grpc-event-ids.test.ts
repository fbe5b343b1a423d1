/** The ids of events over gRPC: who asks for them gets them, and goes on from one. */
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import type { Metadata } from "@grpc/grpc-js";
import type { Gateway } from "../../src/gateway/gateway.ts";
import type { ProtoMessage } from "../../src/protocol/grpc-codec.ts";
import { GrpcClient, startGrpcHarness } from "./grpc-harness.ts";
import { FakeSubscription, TASK, event, fakeGateway } from "./harness.ts";

const RESUME = "urn:a2a-compat-proxy:resume";
const ids = { taskId: "t-1", contextId: "c-1" };
const lost = { ...TASK, metadata: { other: 1, [RESUME]: { eventsLost: true } } };
const status = { kind: "status-update", ...ids, status: { state: "completed" }, final: true };
const artifact = { kind: "artifact-update", ...ids, artifact: { artifactId: "a", parts: [] } };

/** Streams the events as number 7 and up, and remembers what came after which. */
function gatewayOf(events: readonly object[]): { gateway: Gateway; afters: unknown[] } {
  const afters: unknown[] = [];
  const open = async (_params: unknown, _caller: unknown, after?: number) => {
    afters.push(after);
    const last = events.length - 1;
    const batch = events.map((one, index) => event(JSON.stringify(one), 7 + index, index === last));
    return new FakeSubscription(batch, undefined);
  };
  return { gateway: fakeGateway({ resubscribe: open }), afters };
}

async function subscribe(events: readonly object[], metadata: Record<string, string>) {
  const { gateway, afters } = gatewayOf(events);
  await using proxy = await startGrpcHarness({ gateways: { planner: gateway } });
  using client = new GrpcClient(proxy.server.port);
  const stream = client.open("TaskSubscription", { name: "tasks/t-1" }, metadata);
  const answered: Promise<Metadata[]> = once(stream, "metadata");
  const messages: ProtoMessage[] = [];
  for await (const message of stream) messages.push(message);
  const told = messages.flatMap((message) =>
    Object.values(message).map((one) => (typeof one === "object" && one !== null ? one : {})),
  );
  return {
    afters,
    said: (await answered)[0]?.get("a2a-event-ids"),
    metadata: told.map((one): unknown => Reflect.get(one, "metadata")),
  };
}

test("each event has its id where the call asks for ids, beside the metadata that it has", async () => {
  const asked = { "a2a-event-ids": "1" };
  expect(await subscribe([lost, artifact, { ...status, metadata: { own: true } }], asked)).toEqual({
    afters: [undefined],
    said: ["1"],
    metadata: [
      { other: 1, [RESUME]: { eventsLost: true, eventId: "7" } },
      { [RESUME]: { eventId: "8" } },
      { own: true, [RESUME]: { eventId: "9" } },
    ],
  });
});

test.each([[{}], [{ "a2a-event-ids": "0" }]])("no event has an id where the call has %j", async (asked) => {
  expect(await subscribe([lost, artifact], asked)).toEqual({
    afters: [undefined],
    said: [],
    metadata: [lost.metadata, undefined],
  });
});

test.each([
  ["41", 41],
  ["0", 0],
  ["no id of ours", -1],
])("a client that comes back with %j goes on there", async (last, after) => {
  expect((await subscribe([status], { "last-event-id": last })).afters).toEqual([after]);
});
