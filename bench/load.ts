/** What clients do: sends and streams over keep-alive connections, counted and timed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Peer } from "./processes.ts";
import { Connection, Counter, postRequest } from "./wire.ts";

let messages = 0;

function body(stream: boolean, text: string): string {
  const message = {
    kind: "message",
    messageId: `message-${++messages}`,
    role: "user",
    parts: [{ kind: "text", text }],
    metadata: { stream },
  };
  const method = stream ? "message/stream" : "message/send";
  return JSON.stringify({ jsonrpc: "2.0", id: messages, method, params: { message } });
}

export const sendRequest = (path: string, text = "hi"): Buffer => postRequest(path, body(false, text));

export const streamRequest = (path: string, text = "hi"): Buffer =>
  postRequest(path, body(true, text), "text/event-stream");

/** Opens connections, runs `work` on each until `ms` have passed, and gives how long that took in fact, ms. */
async function during(
  peer: Peer,
  { connections, ms }: { connections: number; ms: number },
  work: (connection: Connection) => Promise<void>,
): Promise<number> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(peer.port)));
  const start = performance.now();
  const end = start + ms;
  await Promise.all(
    open.map(async (connection) => {
      while (performance.now() < end) await work(connection);
    }),
  );
  const took = performance.now() - start;
  for (const connection of open) connection.close();
  return took;
}

/** Sends per second. */
export async function sendRate(
  peer: Peer,
  path: string,
  load: { connections: number; ms: number },
): Promise<number> {
  let count = 0;
  const took = await during(peer, load, async (connection) => {
    await connection.unary(sendRequest(path));
    count += 1;
  });
  return (count * 1000) / took;
}

/** Events per second, of streams of `events` events each. */
export async function eventRate(
  peer: Peer,
  path: string,
  load: { connections: number; ms: number; events: number },
): Promise<number> {
  let count = 0;
  const took = await during(peer, load, async (connection) => {
    const counter = new Counter("data: ");
    await connection.stream(streamRequest(path, `events=${load.events}`), (chunk) => counter.push(chunk));
    count += counter.count;
  });
  return (count * 1000) / took;
}

/** Times of requests made at a steady rate, whether or not the ones before have been answered, ms. */
async function atRate(
  peer: Peer,
  { rate, ms }: { rate: number; ms: number },
  work: (connection: Connection) => Promise<number>,
): Promise<number[]> {
  const idle: Connection[] = [];
  const times: Promise<number>[] = [];
  const one = async (): Promise<number> => {
    const connection = idle.pop() ?? (await Connection.open(peer.port));
    const time = await work(connection);
    idle.push(connection);
    return time;
  };
  const start = performance.now();
  for (let index = 0; (index * 1000) / rate < ms; index++) {
    const wait = start + (index * 1000) / rate - performance.now();
    if (wait > 0) await sleep(wait);
    times.push(one());
  }
  const all = await Promise.all(times);
  for (const connection of idle) connection.close();
  return all;
}

export const sendTimes = (peer: Peer, path: string, load: { rate: number; ms: number }): Promise<number[]> =>
  atRate(peer, load, async (connection) => {
    const request = sendRequest(path);
    const start = performance.now();
    await connection.unary(request);
    return performance.now() - start;
  });

export const firstEventTimes = (
  peer: Peer,
  path: string,
  load: { rate: number; ms: number },
): Promise<number[]> =>
  atRate(peer, load, async (connection) => {
    const request = streamRequest(path, "events=3");
    const counter = new Counter("data: ");
    const start = performance.now();
    let first = 0;
    await connection.stream(request, (chunk) => {
      counter.push(chunk);
      if (counter.count > 0) first ||= performance.now();
    });
    return first - start;
  });

/** The value below which the given part of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
