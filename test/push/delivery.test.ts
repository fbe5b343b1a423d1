/** One attempt, at webhooks that answer badly, slowly, without end, or that must not be called. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { UrlGuard, type GuardRules, type Resolve } from "../../src/net/guard.ts";
import { Courier, type Outcome } from "../../src/push/delivery.ts";
import { NotificationForms } from "../../src/push/forms.ts";
import { cleanUp, deadOrigin, serve, serveTcp } from "../southbound/loopback.ts";

const OPEN: GuardRules = { allowHttp: true, allowPrivate: true, allowHosts: [], allowPorts: "any" };
const couriers: Courier[] = [];

afterEach(async () => {
  for (const courier of couriers.splice(0)) await courier.close();
  await cleanUp();
});

const deliver = (url: string, rules: Partial<GuardRules> = {}, resolve?: Resolve): Promise<Outcome> =>
  attempt(url, new UrlGuard({ ...OPEN, ...rules }, resolve));
const deliverWithin = (timeout: number, url: string): Promise<Outcome> =>
  attempt(url, new UrlGuard(OPEN), { timeout });

async function attempt(
  url: string,
  guard: UrlGuard,
  { timeout = 60_000, signal = new AbortController().signal } = {},
): Promise<Outcome> {
  const settings = { timeout, concurrencyPerHost: 1 };
  const forms = new NotificationForms([], pino({ level: "silent" }));
  const courier = new Courier({ guard, signer: undefined, forms, settings, now: () => 0 });
  couriers.push(courier);
  const config = {
    agent: "planner",
    taskId: "task-1",
    id: "default",
    principal: "alice",
    origin: new URL(url).origin,
    json: JSON.stringify({ url }),
    createdAt: 0,
  };
  const endpoint = { isGood: false, failures: 0, failingSince: undefined, offAt: undefined };
  const notification = { id: "n-1", config, queuedAt: 0, attempts: 0, json: "{}", endpoint };
  return await courier.deliver(notification, signal);
}

const TOO_LATE = { kind: "silent", reason: "no answer within 200 ms" };

describe("a webhook that answers", () => {
  test.each([
    [200, { kind: "delivered" }],
    [204, { kind: "delivered" }],
    [404, { kind: "failed", reason: "HTTP 404" }],
    [410, { kind: "refused", reason: "HTTP 410" }],
    [500, { kind: "failed", reason: "HTTP 500" }],
  ])("%i", async (status, outcome) => {
    const url = await serve((_request, response) => response.writeHead(status).end());
    expect(await deliver(url)).toEqual(outcome);
  });

  test.each([
    [200, { kind: "delivered" }],
    [503, { kind: "failed", reason: "HTTP 503" }],
  ])("%i with a body that never ends, drop by drop, has answered", async (status, outcome) => {
    const closed = Promise.withResolvers<unknown>();
    const url = await serve((_request, response) => {
      response.writeHead(status);
      const drops = setInterval(() => response.write("."), 20);
      response.on("close", () => {
        clearInterval(drops);
        closed.resolve(undefined);
      });
    });
    expect(await deliverWithin(1_000, url)).toEqual(outcome);
    await closed.promise;
  });

  test("with a body without end, as fast as it can, is not read to the end of the time", async () => {
    let sent = 0;
    const closed = Promise.withResolvers<unknown>();
    const url = await serve((_request, response) => {
      const block = Buffer.alloc(64 * 1024);
      const pour = (): void => {
        while (!response.destroyed && response.write(block)) sent += block.length;
      };
      response.writeHead(200).on("drain", pour).on("close", closed.resolve);
      pour();
    });
    expect(await deliver(url)).toEqual({ kind: "delivered" });
    await closed.promise;
    // What the sockets of both sides hold, and no more.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  test("headers drop by drop has not answered in time", async () => {
    const url = await serveTcp((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drops = setInterval(() => socket.write("X-Drop: 1\r\n"), 20);
      socket.on("close", () => clearInterval(drops));
    });
    expect(await deliverWithin(200, url)).toEqual(TOO_LATE);
  });

  test("nothing, having taken everything, has not answered in time", async () => {
    const url = await serve(() => {});
    expect(await deliverWithin(200, url)).toEqual(TOO_LATE);
  });

  test.each([
    ["headers without end", `HTTP/1.1 200 OK\r\n${"X-Pad: 0123456789\r\n".repeat(5000)}\r\n`],
    ["no HTTP", "SSH-2.0-OpenSSH\r\n"],
  ])("%s has failed, and nothing of it is told", async (_, bytes) => {
    const url = await serveTcp((socket) => void socket.once("data", () => socket.end(bytes)));
    const outcome = await deliver(url);
    expect(outcome).toMatchObject({ kind: "silent", reason: expect.stringMatching(/^\w+$/) });
  });

  test("from another place is not asked there", async () => {
    let visited = 0;
    const target = await serve((_request, response) => {
      visited += 1;
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(308, { location: target }).end());
    expect(await deliver(url)).toEqual({
      kind: "failed",
      reason: "HTTP 308; redirects are not followed",
    });
    expect(visited).toBe(0);
  });
});

describe("a webhook that is not to be called", () => {
  test.each([
    ["by its scheme", { allowHttp: false }, "must be an https URL"],
    ["by its port", { allowPorts: [443] }, /^port \d+ is not allowed$/],
    ["by its host", { allowHosts: ["*.hooks.example"] }, "the host is not allowed"],
    ["by its address", { allowPrivate: false }, "127.0.0.1 is a loopback address"],
  ] as const)("any more %s is given up at once, with the reason", async (_, rules, reason) => {
    let visited = false;
    const url = await serve((_request, response) => {
      visited = true;
      response.end();
    });
    expect(await deliver(url, rules)).toEqual({
      kind: "refused",
      reason: typeof reason === "string" ? reason : expect.stringMatching(reason),
    });
    expect(visited).toBe(false);
  });

  test("since its name leads elsewhere by now is given up at once", async () => {
    const url = await serve(() => {});
    const { port } = new URL(url);
    const resolve = async () => ["93.184.216.34", "169.254.169.254"];
    expect(await deliver(`http://hooks.example:${port}/`, {}, resolve)).toEqual({
      kind: "refused",
      reason: "169.254.169.254 is a linkLocal address",
    });
  });

  test.each([
    ["leads nowhere", async () => []],
    ["cannot be asked for", async () => Promise.reject(new Error("SERVFAIL of secret-place"))],
  ])("for now, since its name %s, is tried again", async (_, resolve) => {
    expect(await deliver("http://hooks.example/", {}, resolve)).toEqual({
      kind: "silent",
      reason: "the host cannot be resolved",
    });
  });

  test("for now, since nothing listens, is tried again", async () => {
    expect(await deliver(await deadOrigin())).toEqual({ kind: "silent", reason: "ECONNREFUSED" });
  });
});

test("an attempt that the proxy breaks off has failed", async () => {
  const arrived = Promise.withResolvers<void>();
  const url = await serve(() => arrived.resolve());
  const stop = new AbortController();
  const delivery = attempt(url, new UrlGuard(OPEN), { signal: stop.signal });
  await arrived.promise;
  stop.abort();
  expect(await delivery).toMatchObject({ kind: "silent" });
});
