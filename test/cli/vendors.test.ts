import { describe, expect, test } from "@jest/globals";
import { createServer } from "node:http";
import { once } from "node:events";
import { startVendorServer, type Vendor } from "../../src/demo/server.ts";

const echo = (name: string, prefix: string): Vendor => ({
  prefix,
  create:
    ({ baseUrl }) =>
    (request, response) => {
      response.end(JSON.stringify({ name, baseUrl, url: request.url }));
    },
});

describe("the demo vendors' server", () => {
  test("gives each vendor its base URL and what follows its prefix", async () => {
    const server = await startVendorServer(0, [echo("a", "/v2/a"), echo("b", "/b")]);
    const get = async (path: string): Promise<unknown> => (await fetch(server.url + path)).json();
    const base = server.url;
    expect(base).toBe(`http://127.0.0.1:${server.port}`);
    expect(await get("/v2/a")).toStrictEqual({ name: "a", baseUrl: `${base}/v2/a`, url: "/" });
    expect(await get("/v2/a/?x=1")).toStrictEqual({ name: "a", baseUrl: `${base}/v2/a`, url: "/?x=1" });
    expect(await get("/b?x=1")).toStrictEqual({ name: "b", baseUrl: `${base}/b`, url: "/?x=1" });
    expect(await get("/b/.well-known/agent.json")).toMatchObject({ url: "/.well-known/agent.json" });
    const missing = await fetch(`${base}/bb`);
    expect([missing.status, await missing.json()]).toStrictEqual([
      404,
      { error: "There is no demo vendor here" },
    ]);
    await server.stop();
  });

  test("answers 500 for a vendor that fails", async () => {
    const failing: Vendor = { prefix: "/x", create: () => () => Promise.reject(new Error("oops")) };
    const failures: unknown[] = [];
    const server = await startVendorServer(0, [failing], { onFailure: (failure) => failures.push(failure) });
    const response = await fetch(`${server.url}/x`);
    expect([response.status, await response.json()]).toStrictEqual([
      500,
      { error: "The demo vendor failed" },
    ]);
    expect(failures).toMatchObject([{ message: "oops" }]);
    await server.stop();
  });

  test("stops with streams still open", async () => {
    const open: Vendor = { prefix: "/x", create: () => (_request, response) => void response.write("…") };
    const server = await startVendorServer(0, [open]);
    const response = await fetch(`${server.url}/x`);
    await server.stop();
    await expect(response.text()).rejects.toThrow("terminated");
  });

  test("rejects with the system's error where the port is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(startVendorServer(port, [])).rejects.toMatchObject({ code: "EADDRINUSE", port });
    taken.close();
  });
});
