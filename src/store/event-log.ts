/**
 * The event log's part of the SQLite store. A row holds as many events of one task as came together, one to a line,
 * under the sequence of the last: a row costs the same whatever it holds, so that a stream's price is its text.
 *
 * A row stays in memory until it is committed. While the store cannot be written, rows wait here, and `room` holds
 * up whoever would add to them without end.
 */
import type { StatementSync } from "node:sqlite";
import { z } from "zod";
import { Registry } from "../collections/registry.ts";
import type { SqliteHealth } from "./sqlite-health.ts";
import type { StoredEvent, TaskKey } from "./store.ts";
import type { WriteQueue } from "./write-queue.ts";

/** A row is written once it has this many characters, so that reading one event back does not take a whole stream. */
const ROW_SIZE = 64 * 1024;

const EventRow = z.object({ sequence: z.number(), json: z.string() });

/** Consecutive events that are not committed yet. */
interface Row {
  readonly lines: string[];
  last: number;
  size: number;
  /** `WriteQueue.lost` when it was written: while that is the number, it is in the database, if not yet committed. */
  written: number | undefined;
}

/** The end of a task's log that is not committed yet: rows in order, of which the last may still grow. */
interface Tail {
  readonly key: TaskKey;
  rows: Row[];
}

export interface EventLogOptions {
  readonly statements: { readonly putEvents: StatementSync; readonly eventsAfter: StatementSync };
  readonly queue: WriteQueue;
  readonly health: SqliteHealth;
  /** The longest an event stays in memory alone, ms. */
  readonly flushInterval: number;
  /** Characters that may be uncommitted before `room` asks to wait. */
  readonly maxUncommitted: number;
  /** Hears of events that were lost. */
  readonly onError: (error: unknown) => void;
}

export class EventLog {
  readonly #options: EventLogOptions;
  readonly #tails = new Registry<Tail>();
  #timer: NodeJS.Timeout | undefined;
  #uncommitted = 0;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  append(key: TaskKey, { sequence, json }: StoredEvent): void {
    const name = nameOf(key);
    let tail = this.#tails.get(name);
    if (!tail) this.#tails.set(name, (tail = { key, rows: [] }));
    let row = tail.rows.at(-1);
    if (row?.written !== undefined || row?.last !== sequence - 1) {
      row = { lines: [], last: sequence, size: 0, written: undefined };
      tail.rows.push(row);
    }
    row.last = sequence;
    row.lines.push(json);
    row.size += json.length;
    this.#uncommitted += json.length;
    // While writing fails, the store's attempts set the pace.
    if (this.#options.health.outage) return;
    if (row.size >= ROW_SIZE) this.#write(name, tail);
    else this.#timer ??= setTimeout(() => this.writeAll(), this.#options.flushInterval);
  }

  /** Something is not committed. */
  get isWaiting(): boolean {
    return this.#uncommitted > 0;
  }

  /** Undefined, or where too much is uncommitted, a promise that resolves once it has been written. */
  room(): Promise<void> | undefined {
    if (this.#uncommitted <= this.#options.maxUncommitted) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Puts the task's events into the transaction of this turn. */
  write(key: TaskKey): void {
    const name = nameOf(key);
    const tail = this.#tails.get(name);
    if (tail) this.#write(name, tail);
  }

  /** Puts all events into the transaction of this turn. */
  writeAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [name, tail] of this.#tails.entries()) this.#write(name, tail);
  }

  after(key: TaskKey, sequence: number, limit: number): StoredEvent[] {
    const found: StoredEvent[] = [];
    for (const row of this.#options.statements.eventsAfter.iterate(key.agent, key.id, sequence)) {
      const { sequence: last, json } = EventRow.parse(row);
      take(found, { lines: json.split("\n"), last }, { sequence, limit });
      if (found.length >= limit) return found;
    }
    // Rows are written in order, so that what is not in the database comes after what is.
    for (const row of this.#tails.get(nameOf(key))?.rows ?? []) {
      if (!this.#isInDatabase(row) && row.last > sequence) take(found, row, { sequence, limit });
    }
    return found;
  }

  /** Within a write: puts the task's events into the database. What it gives is to be called once that is committed. */
  put(key: TaskKey): () => void {
    const name = nameOf(key);
    const tail = this.#tails.get(name);
    return tail ? this.#put(name, tail) : () => undefined;
  }

  #isInDatabase({ written }: Row): boolean {
    return written === this.#options.queue.lost;
  }

  #write(name: string, tail: Tail): void {
    if (tail.rows.every((row) => this.#isInDatabase(row))) return;
    const { queue, health, onError } = this.#options;
    let committed: (() => void) | undefined;
    queue
      .write(() => {
        committed = this.#put(name, tail);
      })
      .then(
        () => committed?.(),
        (error: unknown) => {
          // In an outage, which has been reported, they wait for the next attempt.
          if (health.outage) return;
          this.#forget(name, tail, new Set(tail.rows));
          onError(error);
        },
      );
  }

  #put(name: string, tail: Tail): () => void {
    const { statements, queue, health, onError } = this.#options;
    const { agent, id } = tail.key;
    const rows = new Set<Row>();
    for (const row of tail.rows) {
      rows.add(row);
      if (this.#isInDatabase(row)) continue;
      try {
        statements.putEvents.run(agent, id, row.last, row.lines.join("\n"));
        row.written = queue.lost;
      } catch (error) {
        if (health.isOutage(error)) throw error;
        // A row that can never be written must not keep the others from it.
        onError(error);
      }
    }
    return () => this.#forget(name, tail, rows);
  }

  #forget(name: string, tail: Tail, rows: ReadonlySet<Row>): void {
    for (const row of tail.rows) if (rows.has(row)) this.#uncommitted -= row.size;
    tail.rows = tail.rows.filter((row) => !rows.has(row));
    if (tail.rows.length === 0) this.#tails.delete(name);
    if (this.#uncommitted > this.#options.maxUncommitted) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}

/** Adds those of a row's events that follow `sequence`, up to the limit. */
function take(
  found: StoredEvent[],
  { lines, last }: Pick<Row, "lines" | "last">,
  { sequence, limit }: { readonly sequence: number; readonly limit: number },
): void {
  const before = last - lines.length;
  // The first row may begin with events that were not asked for.
  for (let at = Math.max(0, sequence - before); at < lines.length && found.length < limit; at++) {
    found.push({ sequence: before + at + 1, json: lines[at] ?? "" });
  }
}

/** No name of an agent holds a space. */
const nameOf = ({ agent, id }: TaskKey): string => `${agent} ${id}`;
