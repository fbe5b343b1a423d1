import { once } from "node:events";
import { createServer } from "node:http";
import type { LookupAddress } from "node:dns";
import { afterEach, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { request, type Agent } from "undici";
import { addressFault } from "../../src/net/addresses.ts";
import { UrlGuard, type GuardRules, type Resolve } from "../../src/net/guard.ts";

const STRICT: GuardRules = { allowHttp: false, allowPrivate: false, allowHosts: [], allowPorts: [443] };
const ANY_PORT: GuardRules = { ...STRICT, allowHttp: true, allowPorts: "any" };
const nothing: Resolve = async () => [];

type Octets = readonly [number, number, number, number];
const octet = fc.integer({ min: 0, max: 255 });
const hex = (value: number): string => `0x${value.toString(16)}`;
const octal = (value: number): string => `0${value.toString(8)}`;
const numberOf = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d;

/** Everything that a URL parser takes for the address. */
const NOTATIONS: Readonly<Record<string, (octets: Octets) => string>> = {
  dotted: (octets) => octets.join("."),
  "absolute dotted": (octets) => `${octets.join(".")}.`,
  octal: (octets) => octets.map(octal).join("."),
  hex: (octets) => octets.map(hex).join("."),
  "one decimal number": (octets) => String(numberOf(octets)),
  "one hex number": (octets) => hex(numberOf(octets)),
  "one octal number": (octets) => octal(numberOf(octets)),
  "three parts": ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  "two parts": ([a, b, c, d]) => `${hex(a)}.${(b * 256 + c) * 256 + d}`,
  "full-width digits": (octets) =>
    octets.join(".").replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  "IPv4-mapped": (octets) => `[::ffff:${octets.join(".")}]`,
  "IPv4-compatible": (octets) => `[::${octets.join(".")}]`,
  NAT64: (octets) => `[64:ff9b::${octets.join(".")}]`,
  "local NAT64": (octets) => `[64:ff9b:1::${octets.join(".")}]`,
  "6to4": ([a, b, c, d]) => `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`,
};

const forbidden: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  fc.tuple(fc.constant(198), fc.constantFrom(18, 19), octet, octet),
  fc.constantFrom<Octets>([168, 63, 129, 16], [192, 0, 0, 192]),
);

const open: fc.Arbitrary<Octets> = fc.tuple(
  fc.constantFrom(1, 8, 93, 151, 203),
  fc.constant(1),
  octet,
  octet,
);

describe("a URL", () => {
  test.each(Object.entries(NOTATIONS))("with a forbidden address is refused, written %s", (_, write) => {
    const guard = new UrlGuard(STRICT, nothing);
    fc.assert(
      fc.property(forbidden, (octets) => {
        const url = `https://${write(octets)}/`;
        expect([url, guard.fault(url)]).not.toEqual([url, undefined]);
      }),
    );
  });

  test.each(Object.entries(NOTATIONS).slice(0, 10))(
    "with a public address is allowed, written %s",
    (_, write) => {
      const guard = new UrlGuard(STRICT, nothing);
      fc.assert(
        fc.property(open, (octets) => {
          const url = `https://${write(octets)}/`;
          expect([url, guard.fault(url)]).toEqual([url, undefined]);
        }),
      );
    },
  );

  test.each([
    "::",
    "::1",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "5f00::1",
    "4000::1",
    "fd00:ec2::254",
    "0:0:0:0:0:ffff:7f00:1",
    "::7f00:1",
  ])("with the IPv6 address %s is refused", (address) => {
    expect(new UrlGuard(STRICT, nothing).fault(`https://[${address}]/`)).toMatch(/ is a /);
  });

  test("with a public IPv6 address is allowed", () => {
    expect(new UrlGuard(STRICT, nothing).fault("https://[2606:2800:220:1::1]/")).toBeUndefined();
  });

  test.each([
    ["ftp://hooks.example/", "must be an https URL"],
    ["file:///etc/passwd", "must be an https URL"],
    ["hooks.example", "must be a URL of at most 2048 characters"],
    [`https://hooks.example/${"x".repeat(2048)}`, "must be a URL of at most 2048 characters"],
    ["http://hooks.example/", "must be an https URL"],
    ["https://user@hooks.example/", "must not hold credentials"],
    ["https://hooks.example:22/", "port 22 is not allowed"],
  ])("like %s is refused", (url, reason) => {
    expect(new UrlGuard(STRICT, nothing).fault(url)).toBe(reason);
  });

  test.each([
    ["https://hooks.example/", undefined],
    ["https://HOOKS.example./", undefined],
    ["https://a.b.partner.example/", undefined],
    ["https://partner.example/", "the host is not allowed"],
    ["https://evilpartner.example/", "the host is not allowed"],
    ["https://hooks.example.evil.example/", "the host is not allowed"],
  ])("is held to the list of hosts: %s", (url, reason) => {
    const guard = new UrlGuard({ ...STRICT, allowHosts: ["hooks.example", "*.partner.example"] }, nothing);
    expect(guard.fault(url)).toBe(reason);
  });
});

describe("allowPrivate", () => {
  test.each(["127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1"])(
    "opens %s",
    (address) => expect(addressFault(address, true)).toBeUndefined(),
  );

  test.each([
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "fe80::1",
    "fd00:ec2::254",
    "224.0.0.1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "0.0.0.0",
    "255.255.255.255",
  ])("does not open %s", (address) => expect(addressFault(address, true)).toMatch(/^is a/));
});

describe("a name", () => {
  const lookup = (guard: UrlGuard, all: boolean) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      guard.lookup("hooks.example", { all }, (error, address) => (error ? reject(error) : resolve(address)));
    });

  test("is refused when one of its addresses is; why, only those hear who connect", async () => {
    const guard = new UrlGuard(STRICT, async () => ["93.184.216.34", "10.0.0.1"]);
    await expect(guard.admit("https://hooks.example/", "url")).rejects.toMatchObject({
      code: "invalid-params",
      data: { path: "url", reason: "the host has no address that webhooks may go to" },
      cause: new Error("10.0.0.1 is a private address"),
    });
    await expect(lookup(guard, true)).rejects.toThrow("10.0.0.1 is a private address");
    await expect(lookup(guard, false)).rejects.toThrow("10.0.0.1 is a private address");
  });

  test("that cannot be resolved is refused in the same words", async () => {
    const guard = new UrlGuard(STRICT, () => Promise.reject(new Error("ENOTFOUND")));
    await expect(guard.admit("https://hooks.example/", "url")).rejects.toMatchObject({
      data: { reason: "the host has no address that webhooks may go to" },
    });
  });

  test("is connected to by its checked addresses", async () => {
    const guard = new UrlGuard(STRICT, async () => ["93.184.216.34", "2606:2800:220:1::1"]);
    expect(await lookup(guard, false)).toBe("93.184.216.34");
    expect(await lookup(guard, true)).toEqual([
      { address: "93.184.216.34", family: 4 },
      { address: "2606:2800:220:1::1", family: 6 },
    ]);
  });
});

describe("a connection", () => {
  let agent: Agent | undefined;
  afterEach(() => agent?.destroy());

  test.each(["127.0.0.1", "rebound.example"])("to %s is refused before it is made", async (host) => {
    let connections = 0;
    const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
    server.on("connection", () => (connections += 1));
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    agent = new UrlGuard(ANY_PORT, async () => ["127.0.0.1"]).agent({ connections: 1, connectTimeout: 1000 });
    const sent = request(`http://${host}:${port}/`, { dispatcher: agent });
    await expect(sent).rejects.toThrow("127.0.0.1 is a loopback address");
    expect(connections).toBe(0);
    server.close();
  });
});
