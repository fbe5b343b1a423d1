/** Clients that are cut off in mid-stream, again and again, and come back with the last id they saw. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { Task } from "../../src/protocol/model.ts";
import { collect } from "../support/collect.ts";
import { params, textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import type { Received } from "../support/transports/transport.ts";
import { PAIRS, eventsOf, startTransports } from "./transports.ts";

const folder = await mkdtemp(join(tmpdir(), "resume-"));
const transports = await startTransports({
  pace: 15,
  more: { store: { driver: "sqlite", path: join(folder, "proxy.db") } },
});

afterAll(async () => {
  await transports.stop();
  await rm(folder, { recursive: true });
});

const isLast = ({ event }: Received): boolean => JSON.stringify(event).includes('"final":true');

describe("a client that comes back", () => {
  test.concurrent.each(PAIRS)(
    "has the same in the end as one that was never cut off ($vendor, $transport)",
    async ({ vendor, transport }) => {
      const client = transports.client(vendor, transport);
      const received: Received[] = [];
      let events = client.stream(params("slow"));
      let undisturbed: Promise<Received[]> | undefined;
      let id = "";
      let cuts = 0;
      for (let left = 3; !received.some(isLast); left -= 1) {
        if (left === 0) {
          // Leaving the generator closes its socket.
          await events.return();
          cuts += 1;
          left = 1 + (cuts % 7);
          events = client.resubscribe(id, received.at(-1)?.id);
        }
        const { done, value } = await events.next();
        if (done) throw new Error("the stream ended before its end");
        received.push(value);
        if (undisturbed) continue;
        ({ id } = Task.parse(value.event));
        undisturbed = collect(client.resubscribe(id, "0"));
      }
      expect(cuts).toBeGreaterThan(5);
      expect(received).toEqual(await undisturbed);
      const texts = expectValidStream(eventsOf(received));
      expect([...texts.values()].join("")).toBe(textOf(Task.parse(await client.get(id))));
      expect([...texts.values()].join("").length).toBeGreaterThan(66 * 8);
    },
  );

  test.concurrent.each(PAIRS)(
    "from where the log does not reach gets the Task, marked ($vendor, $transport)",
    async ({ vendor, transport }) => {
      const client = transports.client(vendor, transport);
      const { id } = Task.parse(await client.send(params("tell me")));
      const [only, ...others] = eventsOf(await collect(client.resubscribe(id, "987654")));
      expect(others).toEqual([]);
      expect(only).toMatchObject({ id, metadata: { "urn:a2a-compat-proxy:resume": { eventsLost: true } } });
    },
  );
});

test("after a restart of the proxy every place of a stream that has ended still continues as it did", async () => {
  const streams: { readonly pair: (typeof PAIRS)[number]; readonly received: Received[] }[] = [];
  for (const pair of PAIRS) {
    const client = transports.client(pair.vendor, pair.transport);
    streams.push({ pair, received: await collect(client.stream(params("tell me"))) });
  }
  await transports.stopProxy();
  await transports.startProxy();
  for (const { pair, received } of streams) {
    const client = transports.client(pair.vendor, pair.transport);
    const { id } = Task.parse(received[0]?.event);
    expect(await collect(client.resubscribe(id, "0"))).toEqual(received);
    for (const [index, { id: last }] of received.entries()) {
      expect(await collect(client.resubscribe(id, last))).toEqual(received.slice(index + 1));
    }
  }
});
