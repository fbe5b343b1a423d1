/** A vendor's stream, cut, mangled and delivered piece by piece over real sockets, is a valid stream to the client. */
import { afterAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { cleanUp, serve } from "../southbound/loopback.ts";
import { rpcStream, userMessage } from "../support/client.ts";
import { expectValidStream } from "../support/invariants.ts";
import { startTestProxy } from "../support/proxy.ts";
import { chunk, status, task } from "./puppet.ts";

const RUNS = { numRuns: 40 };

/** What the vendor sends next. */
let pieces: readonly Buffer[] = [];

const vendor = await serve(async (request, response) => {
  request.resume();
  const sent = request.method === "POST" ? pieces : [];
  // To whatever else it is asked, the card and tasks/get among it, it has nothing to say.
  if (sent.length === 0) {
    response.writeHead(404).end();
    return;
  }
  pieces = [];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of sent) {
    response.write(piece);
    await turnOfLoop();
  }
  response.end();
});
const timeouts = { linger: "1ms", poll: "1ms" };
const proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url: vendor, timeouts } });

afterAll(async () => {
  await proxy.stop();
  await cleanUp();
});

const WORDS = ["one ", "zwölf ", "三 ", "🙂 ", "\u2028 "];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 });

const eventsOf = (texts: readonly string[]): string[] =>
  [task("working"), ...texts.map((text, index) => chunk(text, index > 0)), status("completed")].map(
    (result) => JSON.stringify({ jsonrpc: "2.0", id: 1, result }),
  );

interface Clothes {
  readonly newline: string;
  readonly bom: boolean;
  /** A line before the data. */
  readonly before: string;
}

/** How the vendor dresses its events, without changing what they say. */
const dress = fc.record({
  newline: fc.constantFrom("\n", "\r\n", "\r"),
  bom: fc.boolean(),
  before: fc.constantFrom("", ": ping", "event: message", "id: 7", "retry: 10"),
});

const framed = (events: readonly string[], { newline, bom, before }: Clothes): string =>
  (bom ? "\uFEFF" : "") +
  events.map((event) => [...(before ? [before] : []), `data: ${event}`, "", ""].join(newline)).join("");

/** Cuts the bytes at these fractions of their length, inside characters too. */
function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [
    0,
    ...at.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

async function through(sent: readonly Buffer[]): Promise<unknown[]> {
  pieces = sent;
  const results: unknown[] = [];
  for await (const { result, error } of rpcStream(
    proxy.agent("planner"),
    "message/stream",
    userMessage("hi"),
  )) {
    if (error) throw new Error(JSON.stringify(error));
    results.push(result);
  }
  return results;
}

const textOf = (results: readonly unknown[]): string => [...expectValidStream(results).values()].join("");

describe("through the whole proxy", () => {
  test("a stream says the same however its bytes are dressed and split", async () => {
    await fc.assert(
      fc.asyncProperty(words, dress, cuts, async (texts, clothes, at) => {
        const results = await through(cut(Buffer.from(framed(eventsOf(texts), clothes)), at));
        expect(textOf(results)).toBe(texts.join(""));
        expect(results.at(-1)).toMatchObject({ status: { state: "completed" } });
      }),
      RUNS,
    );
  });

  test("a stream that is cut off anywhere fails, with every text that had arrived", async () => {
    const rest = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(words, dress, cuts, rest, async (texts, clothes, at, part) => {
        const events = eventsOf(texts);
        const bytes = Buffer.from(framed(events, clothes));
        const opening = Buffer.byteLength(framed(events.slice(0, 1), clothes));
        const final = Buffer.byteLength(framed(events.slice(0, -1), clothes));
        const end = opening + Math.floor(part * (final - opening));
        const whole = texts.filter((_, index) => {
          const until = Buffer.byteLength(framed(events.slice(0, index + 2), clothes));
          return until <= end;
        });
        const results = await through(cut(bytes.subarray(0, end), at));
        const said = textOf(results);
        // An event that lacks nothing but the blank line behind it may count as arrived.
        expect([whole.join(""), texts.slice(0, whole.length + 1).join("")]).toContain(said);
        expect(results.at(-1)).toMatchObject({ status: { state: "failed" }, final: true });
      }),
      RUNS,
    );
  });

  test("a stream with events doubled, lost and reordered is still valid, and ends", async () => {
    const order = fc.array(fc.nat(20), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(words, dress, cuts, order, async (texts, clothes, at, picks) => {
        const events = eventsOf(texts);
        const mangled = picks.map((pick) => events[pick % events.length] ?? "");
        const results = await through(cut(Buffer.from(framed(mangled, clothes)), at));
        expectValidStream(results);
      }),
      RUNS,
    );
  });
});
