/** Credentials that are no good, shown again and again. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { status } from "@grpc/grpc-js";
import { sourceOf, trustOf } from "../../src/auth/source.ts";
import { load, faultsOf, withAgent } from "../config/support.ts";
import { GrpcClient } from "../northbound/grpc-harness.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { apiKeys } from "./support.ts";

const { keys, hashes } = apiKeys("alice");
let proxy: TestProxy;
afterEach(() => proxy.stop());

async function start(rateLimits: object, server: object = {}) {
  proxy = await startTestProxy(
    { agent: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    {
      default: "agent",
      server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 }, ...server },
      auth: { apiKeys: { keys: { alice: { hash: hashes.alice } } } },
      rateLimits,
    },
  );
}

/** A request with this key, which comes from this address by way of a reverse proxy on this machine. */
const get = (key?: string, from = "192.0.2.1") =>
  fetch(`${proxy.agent("agent")}v1/tasks/none`, {
    headers: { ...(key !== undefined && { "x-api-key": key }), "x-forwarded-for": from },
  });

const statusesOf = async (count: number, ...request: Parameters<typeof get>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await get(...request)).status);
  return statuses;
};

describe("an address that shows credentials that are no good", () => {
  test("is told to come back later once it has done so too often, over HTTP and gRPC alike", async () => {
    await start({ failedLogins: 3, per: "1h" });
    expect(await statusesOf(3, "wrong")).toEqual([401, 401, 401]);
    const refused = await get("wrong");
    expect(refused.status).toBe(429);
    const retryAfter = Number(refused.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(3500);
    expect(await refused.json()).toMatchObject({ code: -32603, data: { limit: 3, retryAfter } });
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    const call = async (key: string) =>
      (await client.call("GetTask", { name: "tasks/none" }, { "x-api-key": key })).error?.code;
    expect(await call("wrong")).toBe(status.RESOURCE_EXHAUSTED);
    expect(await call(keys.alice)).toBe(status.NOT_FOUND);
  });

  test("does not keep good credentials out, and those that show none are not counted", async () => {
    await start({ failedLogins: 2, per: "1h" });
    expect(await statusesOf(4)).toEqual([401, 401, 401, 401]);
    expect(await statusesOf(3, "wrong")).toEqual([401, 401, 429]);
    expect(await statusesOf(2, keys.alice)).toEqual([404, 404]);
    expect(await statusesOf(2)).toEqual([401, 401]);
  });

  test("is that of the connection, whatever X-Forwarded-For says", async () => {
    await start({ failedLogins: 1, per: "1h" });
    expect(await statusesOf(1, "wrong", "192.0.2.1")).toEqual([401]);
    expect(await statusesOf(1, "wrong", "192.0.2.2")).toEqual([429]);
  });

  test("is the one that a trusted reverse proxy names", async () => {
    await start({ failedLogins: 1, per: "1h" }, { trustProxy: ["127.0.0.1", "10.0.0.0/8"] });
    expect(await statusesOf(2, "wrong", "192.0.2.1")).toEqual([401, 429]);
    expect(await statusesOf(1, "wrong", "192.0.2.2")).toEqual([401]);
    // What the client has written itself is not looked at.
    expect(await statusesOf(1, "wrong", "192.0.2.9, 192.0.2.1, 10.1.2.3")).toEqual([429]);
  });

  test("may do so for ever where that is configured", async () => {
    await start({ failedLogins: 0 });
    expect(new Set(await statusesOf(120, "wrong"))).toEqual(new Set([401]));
  });
});

describe("the source of a request", () => {
  const from = (address: string | undefined, forwarded?: string, trusted = ["10.0.0.0/8", "fd00::/8"]) =>
    sourceOf({ address, headers: { "x-forwarded-for": forwarded } }, trustOf(trusted));

  test.each([
    ["192.0.2.1", undefined, "192.0.2.1"],
    ["192.0.2.1", "198.51.100.1", "192.0.2.1"],
    ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["::ffff:10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    ["10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1, nonsense", "10.0.0.1"],
    ["fd00::1", "[2001:db8:1:2:3:4:5:6]:80", "8193:3512:1:2"],
    ["2001:db8:1:2:ffff::1", undefined, "8193:3512:1:2"],
    [undefined, "198.51.100.1", "unknown"],
  ])("%s, forwarded for %s, is %s", (address, forwarded, source) => {
    expect(from(address, forwarded)).toBe(source);
  });
});

test("only addresses and ranges can be trusted", async () => {
  const good = await load(`server: { trustProxy: [127.0.0.1, "::1", 10.0.0.0/8] }\n${withAgent()}`);
  expect(good.config.server.trustProxy).toEqual(["127.0.0.1", "::1", "10.0.0.0/8"]);
  expect(await faultsOf(`server: { trustProxy: [localhost, 10.0.0.0/99] }\n${withAgent()}`)).toEqual([
    "1:24 server.trustProxy[0]: must be an IP address, or a range as in 10.0.0.0/8",
    "1:35 server.trustProxy[1]: must be an IP address, or a range as in 10.0.0.0/8",
  ]);
});
