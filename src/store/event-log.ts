/**
 * The event log's part of the SQLite store. A row holds as many events of one task as came together, one to a line,
 * under the sequence of the last: a row costs the same whatever it holds, so that a stream's price is its text.
 */
import type { StatementSync } from "node:sqlite";
import { z } from "zod";
import { Registry } from "../collections/registry.ts";
import type { StoredEvent, TaskKey } from "./store.ts";
import type { WriteQueue } from "./write-queue.ts";

/** A row is written once it has this many characters, so that reading one event back does not take a whole stream. */
const ROW_SIZE = 64 * 1024;

const EventRow = z.object({ sequence: z.number(), json: z.string() });

/** Consecutive events that are in no row yet. */
interface OpenRow {
  readonly key: TaskKey;
  readonly lines: string[];
  last: number;
  size: number;
}

export interface EventLogOptions {
  readonly statements: { readonly putEvents: StatementSync; readonly eventsAfter: StatementSync };
  readonly queue: WriteQueue;
  /** The longest an event stays in memory alone, ms. */
  readonly flushInterval: number;
  /** Hears of events that were lost. */
  readonly onError: (error: unknown) => void;
}

export class EventLog {
  readonly #options: EventLogOptions;
  readonly #open = new Registry<OpenRow>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  append(key: TaskKey, { sequence, json }: StoredEvent): void {
    const name = nameOf(key);
    let row = this.#open.get(name);
    if (row?.last === sequence - 1) {
      row.last = sequence;
    } else {
      if (row) this.#write(name, row);
      row = { key, lines: [], last: sequence, size: 0 };
      this.#open.set(name, row);
    }
    row.lines.push(json);
    row.size += json.length;
    if (row.size >= ROW_SIZE) this.#write(name, row);
    else this.#timer ??= setTimeout(() => this.writeAll(), this.#options.flushInterval);
  }

  /** Puts the task's events into the transaction of this turn. */
  write(key: TaskKey): void {
    const name = nameOf(key);
    const row = this.#open.get(name);
    if (row) this.#write(name, row);
  }

  /** Puts all events into the transaction of this turn. */
  writeAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [name, row] of this.#open.entries()) this.#write(name, row);
  }

  after(key: TaskKey, sequence: number, limit: number): StoredEvent[] {
    this.write(key);
    const found: StoredEvent[] = [];
    for (const row of this.#options.statements.eventsAfter.iterate(key.agent, key.id, sequence)) {
      if (found.length >= limit) break;
      const { sequence: last, json } = EventRow.parse(row);
      const lines = json.split("\n");
      const before = last - lines.length;
      // The first row may begin with events that were not asked for.
      const skipped = Math.max(0, sequence - before);
      for (let at = skipped; at < lines.length && found.length < limit; at++) {
        found.push({ sequence: before + at + 1, json: lines[at] ?? "" });
      }
    }
    return found;
  }

  #write(name: string, { key, last, lines }: OpenRow): void {
    const { statements, queue, onError } = this.#options;
    this.#open.delete(name);
    queue.write(() => statements.putEvents.run(key.agent, key.id, last, lines.join("\n"))).catch(onError);
  }
}

/** No name of an agent holds a space. */
const nameOf = ({ agent, id }: TaskKey): string => `${agent} ${id}`;
