/** gRPC over TLS, with client certificates where their CA is configured. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { credentials, status } from "@grpc/grpc-js";
import { pino } from "pino";
import { authority, certificate } from "../auth/support.ts";
import { startTestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";

test("a connection needs a certificate of the CA, and its answer is the same", async () => {
  const ca = await authority();
  const [server, client] = [await certificate("server", ca), await certificate("client", ca)];
  const directory = await mkdtemp(join(tmpdir(), "grpc-tls-"));
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  const tls = {
    cert: await file("cert.pem", server.cert),
    key: await file("key.pem", server.key),
    clientCa: await file("ca.pem", ca.cert),
  };
  const proxy = await startTestProxy(
    { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    {
      server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0, tls } },
      default: "planner",
    },
  );
  try {
    const root = Buffer.from(ca.cert);
    const port = proxy.grpcPort ?? 0;
    using known = new GrpcClient(
      port,
      {},
      credentials.createSsl(root, Buffer.from(client.key), Buffer.from(client.cert)),
    );
    using stranger = new GrpcClient(port, {}, credentials.createSsl(root));
    const call = async (one: GrpcClient) => (await one.call("GetTask", { name: "tasks/none" })).error?.code;
    expect(await call(known)).toBe(status.NOT_FOUND);
    expect(await call(stranger)).toBe(status.UNAVAILABLE);
  } finally {
    await proxy.stop();
    await rm(directory, { recursive: true });
  }
});

test("a certificate that is renewed on disk is taken up, one that cannot be used is not", async () => {
  const [before, after] = [await authority(), await authority()];
  const directory = await mkdtemp(join(tmpdir(), "grpc-tls-"));
  const tls = { cert: join(directory, "cert.pem"), key: join(directory, "key.pem"), reload: "10ms" };
  const store = async ({ cert, key }: { cert: string; key: string }): Promise<void> => {
    await writeFile(tls.key, key);
    await writeFile(tls.cert, cert);
  };
  await store(await certificate("server", before));
  const { lines, next } = collected();
  const proxy = await startTestProxy(
    { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    {
      server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0, tls } },
      default: "planner",
    },
    { log: pino({ base: null }, { write: (line: string) => lines(String(JSON.parse(line).msg)) }) },
  );
  const codeBy = async (ca: string) => {
    using client = new GrpcClient(proxy.grpcPort ?? 0, {}, credentials.createSsl(Buffer.from(ca)));
    return (await client.call("GetTask", { name: "tasks/none" })).error?.code;
  };
  try {
    expect(await codeBy(before.cert)).toBe(status.NOT_FOUND);
    const refused = next("the TLS certificate of gRPC has changed and cannot be used; the old one stays");
    await writeFile(tls.cert, "no certificate");
    await refused;
    expect(await codeBy(before.cert)).toBe(status.NOT_FOUND);
    const takenUp = next("reloaded TLS certificate of gRPC");
    await store(await certificate("server", after));
    await takenUp;
    expect(await codeBy(after.cert)).toBe(status.NOT_FOUND);
    expect(await codeBy(before.cert)).toBe(status.UNAVAILABLE);
  } finally {
    await proxy.stop();
    await rm(directory, { recursive: true });
  }
});

/** Lines of a log, and a wait for the next that says something. */
function collected() {
  let waiting: { text: string; found: () => void } | undefined;
  return {
    lines: (line: string): void => {
      if (line === waiting?.text) waiting.found();
    },
    next: (text: string) => new Promise<void>((found) => void (waiting = { text, found })),
  };
}
