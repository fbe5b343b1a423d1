/** gRPC over TLS, with client certificates where their CA is configured. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { credentials, status } from "@grpc/grpc-js";
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
