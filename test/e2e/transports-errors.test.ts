/** The same suite of refusals over JSON-RPC, HTTP+JSON and gRPC against every demo vendor: the same errors. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { status } from "@grpc/grpc-js";
import { Task } from "../../src/protocol/model.ts";
import { Refused, type TransportClient, type Transport } from "../support/transports/transport.ts";
import { collect } from "../support/collect.ts";
import { params } from "../support/fake-agent.ts";
import { PAIRS, startSlow, startTransports } from "./transports.ts";

const transports = await startTransports({ pace: 100 });
afterAll(() => transports.stop());

type Kind =
  | "notFound"
  | "notCancelable"
  | "invalidParams"
  | "unknownMethod"
  | "malformed"
  | "unauthenticated";

/** What each error is: the transport's own status, and the code of A2A. */
const REFUSALS: Readonly<Record<Transport, Readonly<Record<Kind, readonly [number, number | undefined]>>>> = {
  JSONRPC: {
    notFound: [200, -32001],
    notCancelable: [200, -32002],
    invalidParams: [200, -32602],
    unknownMethod: [200, -32601],
    malformed: [200, -32700],
    unauthenticated: [401, -32041],
  },
  "HTTP+JSON": {
    notFound: [404, -32001],
    notCancelable: [409, -32002],
    invalidParams: [400, -32602],
    unknownMethod: [404, -32601],
    malformed: [400, -32700],
    unauthenticated: [401, -32041],
  },
  GRPC: {
    notFound: [status.NOT_FOUND, -32001],
    notCancelable: [status.FAILED_PRECONDITION, -32002],
    invalidParams: [status.INVALID_ARGUMENT, -32602],
    // An RPC that the service does not have is refused by gRPC itself, which knows nothing of A2A's codes.
    unknownMethod: [status.UNIMPLEMENTED, undefined],
    malformed: [status.INVALID_ARGUMENT, -32700],
    unauthenticated: [status.UNAUTHENTICATED, -32041],
  },
};

const WEBHOOK = { url: "http://127.0.0.1:9/" };

/** Every method about the task, with whatever it needs besides. */
const ABOUT_A_TASK = [
  ["get", (client: TransportClient, id: string) => client.get(id)],
  ["cancel", (client: TransportClient, id: string) => client.cancel(id)],
  ["resubscribe", (client: TransportClient, id: string) => collect(client.resubscribe(id))],
  ["resubscribe with an id", (client: TransportClient, id: string) => collect(client.resubscribe(id, "0"))],
  ["send", (client: TransportClient, id: string) => client.send(params("more", { taskId: id }))],
  ["stream", (client: TransportClient, id: string) => collect(client.stream(params("more", { taskId: id })))],
  ["setPush", (client: TransportClient, id: string) => client.setPush(id, WEBHOOK)],
  ["getPush", (client: TransportClient, id: string) => client.getPush(id, "default")],
  ["listPush", (client: TransportClient, id: string) => client.listPush(id)],
  ["deletePush", (client: TransportClient, id: string) => client.deletePush(id, "default")],
] as const;

/** Every method that is not about a task. */
const OTHERS = [
  ["send", (client: TransportClient) => client.send(params("tell me"))],
  ["stream", (client: TransportClient) => collect(client.stream(params("tell me")))],
  ["extendedCard", (client: TransportClient) => client.extendedCard()],
] as const;

async function refusalOf(call: Promise<unknown>): Promise<Refused> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown;
    throw thrown;
  }
  throw new Error("the call was not refused");
}

describe.each(PAIRS)("$vendor over $transport", ({ vendor, transport }) => {
  const client = transports.client(vendor, transport);
  const refusals = REFUSALS[transport];

  async function expectRefusal(call: Promise<unknown>, kind: Kind): Promise<Refused> {
    const refused = await refusalOf(call);
    expect([refused.status, refused.code]).toEqual(refusals[kind]);
    return refused;
  }

  test.each(ABOUT_A_TASK)("%s of a task that there is not", async (_, call) => {
    const { message: words } = await expectRefusal(call(client, "no-such-task"), "notFound");
    expect(words).toBe("Task not found");
  });

  test("of a task that has ended: no cancel, no further message", async () => {
    const { id } = Task.parse(await client.send(params("tell me")));
    const canceling = await expectRefusal(client.cancel(id), "notCancelable");
    expect(canceling.message).toBe("Task cannot be canceled");
    const more = params("more", { taskId: id });
    await expectRefusal(client.send(more), "invalidParams");
    await expectRefusal(collect(client.stream(more)), "invalidParams");
  });

  test("of params that are not allowed: the path of the fault is told", async () => {
    const { id, contextId } = Task.parse(await client.send(params("ask")));
    const { message: proper } = params("tell me");
    const faults = [
      [client.get(id, -1), "historyLength"],
      [client.send({ message: { ...proper, parts: [] } }), "message.parts"],
      [collect(client.stream({ message: { ...proper, parts: [] } })), "message.parts"],
      [client.send(params("x", { taskId: id, contextId: `not-${contextId}` })), "message.contextId"],
      [client.setPush(id, { url: "ftp://127.0.0.1/" }), "pushNotificationConfig.url"],
      [
        client.send(params("x", {}, { pushNotificationConfig: { url: "no url" } })),
        "configuration.pushNotificationConfig.url",
      ],
    ] as const;
    const refused = await Promise.all(faults.map(([call]) => expectRefusal(call, "invalidParams")));
    expect(refused.map(({ data }) => data)).toMatchObject(faults.map(([, path]) => ({ path })));
  });

  test("of what does not exist, and of what cannot be read", async () => {
    await expectRefusal(client.callUnknown(), "unknownMethod");
    await expectRefusal(client.sendMalformed(), "malformed");
  });

  test("of a push config that there is not", async () => {
    const { id } = Task.parse(await client.send(params("ask")));
    await expectRefusal(client.getPush(id, "none"), "notFound");
  });

  test("another caller finds nothing of a task, running or not", async () => {
    const bob = transports.client(vendor, transport, "bob");
    const { id, events } = await startSlow(client);
    await client.setPush(id, WEBHOOK);
    const { contextId } = Task.parse(await client.get(id));
    for (const [, call] of ABOUT_A_TASK) {
      const { message: words } = await expectRefusal(call(bob, id), "notFound");
      expect(words).toBe("Task not found");
    }
    expect(JSON.stringify((await bob.list?.()) ?? [])).not.toContain(id);
    const canceled = Task.parse(await client.cancel(id));
    expect(canceled.status.state).toBe("canceled");
    await collect(events);
    for (const [, call] of ABOUT_A_TASK) await expectRefusal(call(bob, id), "notFound");
    expect(await client.listPush(id)).toHaveLength(1);
    // A context is a caller's own as well: the agent does not tell one of the other's turns.
    const alices = Task.parse(await client.send(params("tell me", { contextId })));
    expect(alices.contextId).toBe(contextId);
    const bobs = Task.parse(await bob.send(params("tell me", { contextId })));
    expect(JSON.stringify(bobs.artifacts)).not.toMatch(/turn \d/i);
    await expectRefusal(client.get(bobs.id), "notFound");
  });

  test("nobody may call anything", async () => {
    const nobody = transports.client(vendor, transport, "nobody");
    const { id } = Task.parse(await client.send(params("ask")));
    const calls = [
      ...ABOUT_A_TASK.map(([, call]) => call(nobody, id)),
      ...OTHERS.map(([, call]) => call(nobody)),
      ...(nobody.list ? [nobody.list()] : []),
    ];
    await Promise.all(calls.map((call) => expectRefusal(call, "unauthenticated")));
  });
});
