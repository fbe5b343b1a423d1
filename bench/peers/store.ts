/**
 * The store alone, as the proxy uses it: what a send's task costs, and the log of a stream, each event of it. The ids
 * are random as vendors' are. Arguments: the file, tasks of each kind. Prints JSON: microseconds of the core.
 */
import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { TaskState } from "../../src/protocol/states.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { TaskRecord } from "../../src/store/store.ts";
import { DIALECTS, WORDS, type Answer } from "../dialects.ts";

const AT_ONCE = 32;
const EVENTS = 50;
const [path = "", tasks = "1000"] = process.argv.slice(2);
const store = await openSqliteStore({ path, synchronous: "normal" });
const { canonical } = DIALECTS;

const newAnswer = (): Answer => ({ id: "1", taskId: randomUUID(), contextId: randomUUID() });

function record({ taskId: id, contextId }: Answer, state: TaskState, text: string): TaskRecord {
  const artifacts = [{ artifactId: "answer", parts: [{ kind: "text", text }] }];
  const status = { state, timestamp: new Date().toISOString() };
  const json = JSON.stringify({ kind: "task", id, contextId, status, history: [], artifacts });
  const at = Date.now();
  const times = { createdAt: at, updatedAt: at };
  return { agent: "canonical", id, principal: "bench", contextId, state, lastEvent: 0, ...times, json };
}

async function sends(): Promise<void> {
  const answers = Array.from({ length: AT_ONCE }, newAnswer);
  await Promise.all(answers.map((answer) => store.putTask(record(answer, "completed", WORDS))));
}

async function streams(): Promise<void> {
  const answers = Array.from({ length: AT_ONCE }, newAnswer);
  await Promise.all(answers.map((answer) => store.putTask(record(answer, "submitted", ""))));
  for (let sequence = 1; sequence <= EVENTS; sequence++) {
    for (const answer of answers) {
      const json = JSON.stringify(canonical?.event(answer, sequence - 1, EVENTS));
      store.appendEvent({ agent: "canonical", id: answer.taskId }, { sequence, json });
    }
    await turn();
  }
  const text = WORDS.repeat(EVENTS);
  await Promise.all(answers.map((answer) => store.putTask(record(answer, "completed", text))));
}

/** Microseconds of the core that one of `AT_ONCE` takes; the first half brings the code to speed. */
async function cost(work: () => Promise<void>): Promise<number> {
  const rounds = Math.ceil(Number(tasks) / AT_ONCE);
  for (let round = 0; round < rounds; round++) await work();
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (rounds * AT_ONCE);
}

const send = await cost(sends);
const event = (await cost(streams)) / EVENTS;
await store.close();
console.log(JSON.stringify({ send, event }));
