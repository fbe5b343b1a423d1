/** An orderly stop while tasks run: those that the agent can be asked for go on after the next start, where they were. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { afterAll, expect, test } from "@jest/globals";
import { Task } from "../../src/protocol/model.ts";
import { textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import { Refused, type Events, type Received } from "../support/transports/transport.ts";
import { eventsOf, PAIRS, startSlow, startTransports } from "./transports.ts";

const folder = await mkdtemp(join(tmpdir(), "shutdown-"));
/** A slow answer has to outlast a start of the proxy. */
const transports = await startTransports({
  pace: 100,
  more: { store: { driver: "sqlite", path: join(folder, "proxy.db") } },
});

afterAll(async () => {
  await transports.stop();
  await rm(folder, { recursive: true });
});

/** Reads on to the end of the stream, and gives what broke it, if anything has. */
async function readOn(events: Events, seen: Received[]): Promise<unknown> {
  try {
    for await (const event of events) seen.push(event);
    return undefined;
  } catch (error) {
    return error;
  }
}

const isFinal = ({ event }: Received): boolean => JSON.stringify(event).includes('"final":true');

test("streams go on by their ids after a stop; a task that nobody can be asked for fails", async () => {
  const started = await Promise.all(
    PAIRS.map(async ({ vendor, transport }) => {
      const { id, events, seen } = await startSlow(transports.client(vendor, transport));
      return { vendor, transport, id, seen, ended: readOn(events, seen) };
    }),
  );
  await transports.stopProxy();
  const ends = await Promise.all(started.map(({ ended }) => ended));
  await transports.startProxy();

  for (const [index, { vendor, transport, id, seen }] of started.entries()) {
    const end = ends[index];
    const client = transports.client(vendor, transport);
    if (vendor === "appbuilder") {
      expect([end, seen.filter(isFinal).length]).toEqual([undefined, 1]);
      expect(JSON.stringify(seen.at(-1))).toContain("The proxy was shut down before the agent had finished");
    } else {
      expect(seen.filter(isFinal)).toEqual([]);
      if (transport === "GRPC") {
        expect(end).toBeInstanceOf(Refused);
        expect(end).toMatchObject({ status: status.UNAVAILABLE, message: "The proxy is shutting down" });
      } else expect(end).toBeUndefined();
      expect(await readOn(client.resubscribe(id, seen.at(-1)?.id), seen)).toBeUndefined();
    }
    const texts = expectValidStream(eventsOf(seen));
    const found = Task.parse(await client.get(id));
    expect([vendor, found.status.state]).toEqual([vendor, vendor === "appbuilder" ? "failed" : "completed"]);
    expect([...texts.values()].join("")).toBe(textOf(found));
  }
});
