/** gRPC through the whole proxy: the official 0.3 client, made from the card alone, against the demo vendors. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { ClientFactory, type Client } from "a2a03/client";
import { GrpcTransportFactory } from "a2a03/client/grpc";
import { AgentCard } from "../../src/protocol/card.ts";
import { Task } from "../../src/protocol/model.ts";
import { startVendors } from "../../src/demo/vendors.ts";
import { collect } from "../support/collect.ts";
import { textOf } from "../support/fake-agent.ts";
import { message03 } from "../support/official-client.ts";
import { SERVER_WITH_GRPC, startTestProxy } from "../support/proxy.ts";

/** Where each vendor is, and words of its answer. */
const VENDORS = [
  { adapter: "appbuilder", path: "/v2/a2a/demo-app", words: "light wind from the north" },
  { adapter: "a2a-0.1", path: "/legacy", words: "Why did the chicken cross the road?" },
  { adapter: "a2a-snake", path: "/snake", words: "UA 1514, 08:15 to 16:40." },
  { adapter: "a2a-0.3", path: "/canonical", words: "Day 1: the Forbidden City, Tiananmen" },
];

const vendors = await startVendors(0);
const agents = VENDORS.map(({ adapter, path }) => [
  adapter,
  { adapter, url: vendors.url + path, grpc: { port: 0 } },
]);
const proxy = await startTestProxy(Object.fromEntries(agents), {
  server: SERVER_WITH_GRPC,
});

afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

/** Speaks gRPC to whatever address the served card names for it. */
async function clientOf(agent: string): Promise<Client> {
  const response = await fetch(`${proxy.url}/agents/${agent}/.well-known/agent-card.json`);
  const card = AgentCard.parse(await response.json());
  const grpc = card.additionalInterfaces?.find(({ transport }) => transport === "GRPC");
  if (!grpc) throw new Error(`the card of ${agent} has no address for gRPC`);
  return new ClientFactory({ transports: [new GrpcTransportFactory()] }).createFromAgentCard({
    name: card.name,
    description: card.description,
    version: card.version,
    protocolVersion: "0.3.0",
    skills: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    capabilities: { streaming: true, pushNotifications: true },
    url: grpc.url,
    preferredTransport: "GRPC",
  });
}

describe.each(VENDORS)("the official client over gRPC, with $adapter behind", ({ adapter, words }) => {
  test("gets an answer, and the same task again", async () => {
    const client = await clientOf(adapter);
    const task = Task.parse(await client.sendMessage(message03("hi")));
    expect(textOf(task)).toContain(words);
    const again = Task.parse(await client.getTask({ id: task.id }));
    expect([again.id, again.status.state, textOf(again)]).toEqual([task.id, "completed", textOf(task)]);
    await expect(client.cancelTask({ id: task.id })).rejects.toThrow("Task cannot be canceled");
  });

  test("gets a stream: a Task first, one final status last", async () => {
    const client = await clientOf(adapter);
    const events = await collect(client.sendMessageStream(message03("hi")));
    expect(events[0]?.kind).toBe("task");
    expect(events.at(-1)).toMatchObject({
      kind: "status-update",
      final: true,
      status: { state: "completed" },
    });
    expect(JSON.stringify(events)).toContain(words.slice(0, 4));
  });

  test("learns that a task is not there", async () => {
    const client = await clientOf(adapter);
    await expect(client.getTask({ id: "nowhere" })).rejects.toThrow("Task not found");
    await expect(collect(client.resubscribeTask({ id: "nowhere" }))).rejects.toThrow("Task not found");
  });
});
