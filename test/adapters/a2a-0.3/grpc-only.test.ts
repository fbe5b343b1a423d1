/** Agents that serve nothing over HTTP, not even a card: known by their url, or found out. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerCredentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "@jest/globals";
import { adapters } from "../../../adapters/index.ts";
import { parseConfig } from "../../../src/config/load.ts";
import { authority, certificate } from "../../auth/support.ts";
import { createWorld, withFile } from "../../cli/support.ts";
import { startSdk10Server } from "../../e2e/sdk10-server.ts";
import { cleanUp, serve } from "../../southbound/loopback.ts";
import { rpc, streamResults, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { CARD, startGrpcAgent, type Agent } from "./grpc-agent.ts";

const EXTENDED = { ...CARD, name: "Files and more", skills: [] };

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await cleanUp();
});

async function startAgent(options: Parameters<typeof startGrpcAgent>[0] = {}): Promise<Agent> {
  const agent = await startGrpcAgent(options);
  stops.push(() => agent.stop());
  return agent;
}

async function fronted(agent: Record<string, unknown>): Promise<string> {
  const proxy = await startTestProxy({ files: agent });
  stops.push(() => proxy.stop());
  return proxy.agent("files");
}

const cardOf = async (url: string): Promise<Response> => fetch(`${url}.well-known/agent-card.json`);

async function expectAnswers(url: string): Promise<void> {
  const { result, error } = await rpc(url, "message/send", userMessage("go"));
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ kind: "task", status: { state: "completed" } });
  const events = await streamResults(url, "message/stream", userMessage("go"));
  expect(events.at(-1)).toMatchObject({ kind: "status-update", final: true, status: { state: "completed" } });
}

describe.each(["a2a-0.3", "auto"])("an agent with a grpc:// url, behind the adapter %s,", (adapter) => {
  test("says its card over gRPC, which is served as the proxy's", async () => {
    const { port } = await startAgent({ extended: EXTENDED });
    const url = await fronted({ adapter, url: `grpc://127.0.0.1:${port}` });
    expect(await (await cardOf(url)).json()).toMatchObject({
      name: "Files and more",
      url: "http://proxy.test/agents/files/",
      preferredTransport: "JSONRPC",
    });
    await expectAnswers(url);
  });

  test("answers without a card, too; that there is none is said to who asks for it", async () => {
    const { port } = await startAgent();
    const url = await fronted({ adapter, url: `grpc://127.0.0.1:${port}` });
    await expectAnswers(url);
    const response = await cardOf(url);
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { message: expect.stringContaining("no card over gRPC; write it into the configuration") } },
    ]);
  });
});

describe("where the configuration names an HTTP url", () => {
  test("the card is asked for over gRPC if that is the transport and HTTP has none", async () => {
    const { port } = await startAgent({ extended: EXTENDED });
    const http = await serve((_request, response) => void response.writeHead(404).end());
    const options = { transport: "grpc", grpcUrl: `grpc://127.0.0.1:${port}` };
    const url = await fronted({ adapter: "a2a-0.3", url: http, options });
    expect(await (await cardOf(url)).json()).toMatchObject({ name: "Files and more" });
    await expectAnswers(url);
  });

  test("`auto` finds out that the server speaks gRPC alone, and `check` says so", async () => {
    const { port } = await startAgent({ extended: EXTENDED });
    const agent = { adapter: "auto", url: `http://127.0.0.1:${port}` };
    const url = await fronted(agent);
    await expectAnswers(url);
    expect(await (await cardOf(url)).json()).toMatchObject({ name: "Files and more" });
    const world = createWorld({ adapters });
    await withFile(JSON.stringify({ store: { path: ":memory:" }, agents: { files: agent } }), (file) =>
      world.run("check", "--config", file),
    );
    expect(world.out.text).toContain("The agent speaks a2a-0.3 over gRPC: it does not answer HTTP");
  });

  test("`auto` finds that out over TLS as well", async () => {
    const folder = await mkdtemp(join(tmpdir(), "grpc-only-"));
    stops.push(() => rm(folder, { recursive: true }));
    const ca = await authority();
    const { cert, key } = await certificate("agent", ca);
    await writeFile(join(folder, "ca.pem"), ca.cert);
    const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
    const { port } = await startAgent({ credentials: ServerCredentials.createSsl(null, [pair]) });
    const tls = { ca: join(folder, "ca.pem") };
    await expectAnswers(await fronted({ adapter: "auto", url: `https://127.0.0.1:${port}`, tls }));
    await expectAnswers(await fronted({ adapter: "a2a-0.3", url: `grpcs://127.0.0.1:${port}`, tls }));
  });

  test("`auto` does not take a server of something else for one of gRPC", async () => {
    const http = await serve((_request, response) => void response.writeHead(503).end("down"));
    const { error } = await rpc(
      await fronted({ adapter: "auto", url: http }),
      "message/send",
      userMessage("go"),
    );
    expect(error).toMatchObject({ message: "The agent answers HTTP 503", data: { stage: "probe" } });
  });
});

describe("a gRPC server that speaks A2A 1.0 alone, behind `auto`,", () => {
  test.each(["grpc", "http"])("is found out by a probe at an url of %s", async (scheme) => {
    const server = await startSdk10Server("GRPC");
    stops.push(() => server.stop());
    const url = server.grpcUrl.replace("grpc:", `${scheme}:`);
    const agent = await fronted({ adapter: "auto", url });
    await expectAnswers(agent);
    expect(server.agent.received.map(({ text }) => text)).toEqual(["go", "go"]);
  });

  test("is asked again if it was down", async () => {
    const first = await startGrpcAgent();
    const { port } = first;
    first.stop();
    const proxy = await startTestProxy({ files: { adapter: "auto", url: `grpc://127.0.0.1:${port}` } });
    stops.push(() => proxy.stop());
    const { error } = await rpc(proxy.agent("files"), "message/send", userMessage("go"));
    expect(error).toMatchObject({ data: { stage: "connect" } });
    await startAgent({ port });
    await expectAnswers(proxy.agent("files"));
  });
});

test.each([
  [
    { adapter: "a2a-snake", url: "grpc://a.example:1" },
    "is that of a gRPC server, which a2a-snake does not call",
  ],
  [
    { adapter: "auto", url: "grpc://a.example" },
    "must be grpc://host:port or grpcs://host:port, without a path",
  ],
  [
    { adapter: "auto", url: "grpcs://a.example:1/x" },
    "must be grpc://host:port or grpcs://host:port, without a path",
  ],
  [
    { adapter: "auto", url: "grpc://u:p@a.example:1" },
    "must not hold credentials: put them under `credentials`",
  ],
])("%j is a fault of the configuration", async (agent, message) => {
  const text = JSON.stringify({ agents: { files: agent } });
  await expect(parseConfig(text, "test.yaml", { adapters, env: {} })).rejects.toMatchObject({
    faults: [{ path: "agents.files.url", message }],
  });
});
