/** Plays every case of test/fixtures: see test/fixtures/README.md. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { rpcStream, type RpcAnswer } from "./support/client.ts";
import { expectMatch } from "./support/match.ts";
import { startTestProxy } from "./support/proxy.ts";
import { startScriptedVendor } from "./support/scripted-vendor.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

const Case = z.strictObject({
  title: z.string().min(1),
  origin: z.enum(["recorded", "constructed"]),
  source: z.string().min(1),
  options: z.record(z.string(), z.unknown()).default({}),
  card: z.string().optional(),
  exchanges: z.array(
    z.strictObject({
      request: z.string(),
      path: z.string().optional(),
      headers: z.record(z.string(), z.string()).default({}),
      status: z.int().optional(),
      contentType: z.string().optional(),
      body: z.string(),
      end: z.enum(["close", "reset", "hang"]).optional(),
    }),
  ),
});
const ClientRequest = z.looseObject({ method: z.string(), params: z.unknown() });
const VendorRequest = z.looseObject({ id: z.unknown() });

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function play(adapter: string, folder: string): Promise<void> {
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const json = (name: string): unknown => JSON.parse(read(name).toString());
  const { options, card, exchanges } = Case.parse(parse(read("case.yaml").toString()));
  const answers = exchanges.map(({ status, contentType, body, end }) => ({
    body: read(body),
    ...(status === undefined ? {} : { status }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(end === undefined ? {} : { end }),
  }));
  const vendor = await startScriptedVendor(card === undefined ? undefined : json(card), answers);
  stops.push(() => vendor.stop());
  const credentials = { type: "bearer", token: "test-key" };
  const proxy = await startTestProxy({ agent: { adapter, url: vendor.url, options, credentials } });
  stops.push(() => proxy.stop());
  const { method, params } = ClientRequest.parse(json("request.json"));
  const received: RpcAnswer[] = [];
  for await (const answer of rpcStream(proxy.agent("agent"), method, params)) received.push(answer);
  expectMatch(outcomeOf(received, json("events.json")), json("events.json"));
  expect(vendor.requests).toHaveLength(exchanges.length);
  for (const [index, { request, path, headers }] of exchanges.entries()) {
    const actual = vendor.requests[index];
    const { id, ...body } = VendorRequest.parse(actual?.body);
    const { id: _id, ...expected } = VendorRequest.parse(json(request));
    expect(id).toBeDefined();
    expectMatch(body, expected);
    expect(actual?.headers).toMatchObject(headers);
    if (path !== undefined) expect(actual?.url).toBe(path);
  }
}

/** In the shape of the expectation: an array of results, or one answer without its envelope. */
function outcomeOf(received: readonly RpcAnswer[], expected: unknown): unknown {
  if (Array.isArray(expected)) return received.map(({ result, error }) => (error ? { error } : result));
  expect(received).toHaveLength(1);
  const { result, error } = received[0] ?? {};
  return error ? { error } : { result };
}

for (const adapter of foldersIn(FIXTURES)) {
  describe(`fixtures of ${adapter}`, () => {
    const cases = foldersIn(join(FIXTURES, adapter));
    test.each(cases)("%s", (name) => play(adapter, join(FIXTURES, adapter, name)));
  });
}
