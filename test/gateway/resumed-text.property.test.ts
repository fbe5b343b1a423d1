/** An agent whose connection breaks at any point: what the client puts together is what the agent said, or is marked. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { AgentEvent, AgentTask, Backend } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { Part } from "../../src/protocol/model.ts";
import { callerOf, gatewayOver, params, reader } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";

const RUNS = { numRuns: 100 };

interface Behaviour {
  /** What it says, and in which artifact. */
  readonly chunks: readonly (readonly [artifactId: string, text: string])[];
  readonly lastChunk: boolean;
  /** Chunks that the first stream brings before it breaks, or ends without a state. */
  readonly cut: number;
  readonly breaks: boolean;
  /** Chunks that it says on its own before it answers the next call. */
  readonly pace: number;
  readonly getTask: "works" | "missing" | "absent" | "fails";
  /** Calls of tasks/get that fail before one is answered. */
  readonly flaky: number;
  readonly resubscribe: "from-now" | "snapshot" | "missing" | "absent";
  /** Chunks after which the resumed stream breaks too. */
  readonly second: number;
  /** It stores every chunk once for each of its streams. */
  readonly doubling: "never" | "at-once" | "later";
  /** It stores an artifact's text as one part; no server that stores chunks twice is known to do so. */
  readonly joins: boolean;
}

const broken = new A2AError("agent-unavailable", { message: "connection reset" });
const text = (said: string): Part => ({ kind: "text", text: said });

class Agent {
  readonly #how: Behaviour;
  readonly #stored = new Map<string, Part[]>();
  #said = 0;
  #calls = 0;
  #lagging: (readonly [string, string])[] = [];

  constructor(how: Behaviour) {
    this.#how = how;
  }

  get backend(): Partial<Backend> {
    const { getTask, resubscribe } = this.#how;
    return {
      stream: () => this.#stream(),
      ...(getTask !== "absent" && { getTask: async () => this.#get() }),
      ...(resubscribe !== "absent" && { resubscribe: () => this.#resubscribe() }),
    };
  }

  get #isDone(): boolean {
    return this.#said >= this.#how.chunks.length;
  }

  /** Says the next chunk, and stores it. */
  #say(copies: number): AgentEvent | undefined {
    const next = this.#how.chunks[this.#said];
    if (!next) return undefined;
    const [artifactId, said] = next;
    const isFirst = !this.#stored.has(artifactId);
    this.#said += 1;
    this.#store(next);
    if (copies > 1 && this.#how.doubling === "at-once") this.#store(next);
    if (copies > 1 && this.#how.doubling === "later") this.#lagging.push(next);
    const isLast = !this.#how.chunks.slice(this.#said).some(([id]) => id === artifactId);
    return {
      kind: "artifact-update",
      artifact: { artifactId, parts: [text(said)] },
      append: !isFirst,
      ...(this.#how.lastChunk && isLast && { lastChunk: true }),
    };
  }

  #store([artifactId, said]: readonly [string, string]): void {
    this.#stored.set(artifactId, [...(this.#stored.get(artifactId) ?? []), text(said)]);
  }

  #goOn(): void {
    for (let n = 0; n < this.#how.pace; n++) this.#say(1);
  }

  #task(): AgentTask {
    const artifacts = [...this.#stored].map(([artifactId, parts]) => ({
      artifactId,
      parts:
        this.#how.joins && this.#how.doubling === "never"
          ? [text(parts.map((part) => (part.kind === "text" ? part.text : "")).join(""))]
          : parts,
    }));
    return { kind: "task", id: "v1", status: { state: this.#isDone ? "completed" : "working" }, artifacts };
  }

  async *#stream(): AsyncGenerator<AgentEvent> {
    yield { kind: "task", id: "v1", status: { state: "working" } };
    for (let n = 0; n < this.#how.cut; n++) {
      const event = this.#say(1);
      if (event) yield event;
    }
    if (this.#how.breaks) throw broken;
  }

  async *#resubscribe(): AsyncGenerator<AgentEvent> {
    if (this.#how.resubscribe === "missing") throw new A2AError("method-not-found");
    this.#goOn();
    if (this.#how.resubscribe === "snapshot") yield this.#task();
    for (let n = 0; n < this.#how.second && !this.#isDone; n++) {
      const event = this.#say(2);
      if (event) yield event;
    }
    for (const chunk of this.#lagging.splice(0)) this.#store(chunk);
    if (!this.#isDone) throw broken;
    yield { kind: "status-update", status: { state: "completed" } };
  }

  #get(): AgentTask {
    if (this.#how.getTask === "missing") throw new A2AError("method-not-found");
    this.#calls += 1;
    if (this.#how.getTask === "fails" || this.#calls <= this.#how.flaky) throw broken;
    this.#goOn();
    return this.#task();
  }
}

const behaviour = (said: fc.Arbitrary<string>): fc.Arbitrary<Behaviour> =>
  fc.record({
    chunks: fc.array(fc.tuple(fc.constantFrom("a", "b"), said), { minLength: 1, maxLength: 10 }),
    lastChunk: fc.boolean(),
    cut: fc.nat(10),
    breaks: fc.boolean(),
    pace: fc.integer({ min: 1, max: 3 }),
    getTask: fc.constantFrom("works", "works", "works", "missing", "absent", "fails"),
    flaky: fc.nat(3),
    resubscribe: fc.constantFrom("from-now", "from-now", "snapshot", "missing", "absent"),
    second: fc.oneof(fc.nat(5), fc.constant(20)),
    doubling: fc.constantFrom("never", "at-once", "later"),
    joins: fc.boolean(),
  });

const distinct = (how: Behaviour): Behaviour => ({
  ...how,
  chunks: how.chunks.map(([id], index) => [id, `chunk ${index} `]),
});

/** What is told after the cut, and what the agent has said. */
async function played(how: Behaviour) {
  const { gateway } = await gatewayOver(new Agent(how).backend, { timeouts: { poll: 0, linger: 1 } });
  const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
  const texts = expectValidStream(events);
  const last = events.at(-1);
  const said = new Map<string, string>();
  for (const [id, piece] of how.chunks) said.set(id, (said.get(id) ?? "") + piece);
  const state = last?.kind === "status-update" ? last.status.state : undefined;
  const isMarked = JSON.stringify(last?.metadata ?? {}).includes('"eventsLost":true');
  return { texts, said, state, isMarked };
}

describe("an agent whose connection breaks", () => {
  test("is heard exactly, or the end is marked, or says that it failed", async () => {
    await fc.assert(
      fc.asyncProperty(behaviour(fc.constantFrom("x", "y", "xy", "the ")), async (how) => {
        const { texts, said, state, isMarked } = await played(how);
        if (state === "failed" || isMarked) return;
        expect(state).toBe("completed");
        expect(texts).toEqual(said);
      }),
      RUNS,
    );
  });

  test("is heard exactly where its record can be read and its chunks differ", async () => {
    await fc.assert(
      fc.asyncProperty(behaviour(fc.constant("")), async (any) => {
        const how = distinct({ ...any, getTask: "works" });
        const { texts, said, state } = await played(how);
        expect(state).toBe("completed");
        expect(texts).toEqual(said);
      }),
      RUNS,
    );
  });
});
