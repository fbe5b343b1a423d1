/**
 * Keeps the event log of a task within its limits: says up to where its oldest events have to go. They go in blocks, so
 * that a log at its limit costs a deletion now and then and not one for each event.
 */
export interface LogLimits {
  /** Bytes of all events together. */
  readonly bytes: number;
  readonly events: number;
}

/** The last event of a log, and the bytes of all up to it. */
export interface LogEnd {
  readonly last: number;
  readonly bytes: number;
}

interface Block {
  last: number;
  bytes: number;
  events: number;
}

/** The share of the limits that goes at once. */
const BLOCKS = 8;

/** What an event takes at least, for those that were only measured together, bytes. */
const LEAST_EVENT = 100;

export class LogBound {
  readonly #limits: LogLimits;
  /** Oldest first; the last one grows. */
  readonly #blocks: Block[] = [];
  #bytes = 0;
  #events = 0;

  /** @param before what earlier turns have logged */
  constructor(limits: LogLimits, { last, bytes }: LogEnd) {
    this.#limits = limits;
    if (bytes > 0) this.#add({ last, bytes, events: Math.min(last, Math.ceil(bytes / LEAST_EVENT)) });
  }

  /** Counts an event. */
  add(sequence: number, bytes: number): void {
    const block = this.#blocks.at(-1);
    const isFull =
      block === undefined ||
      block.bytes >= this.#limits.bytes / BLOCKS ||
      block.events >= this.#limits.events / BLOCKS;
    if (isFull) {
      this.#add({ last: sequence, bytes, events: 1 });
      return;
    }
    block.last = sequence;
    block.bytes += bytes;
    block.events += 1;
    this.#bytes += bytes;
    this.#events += 1;
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#limits.bytes || this.#events > this.#limits.events;
  }

  /** Counts as many of the oldest events out as have to go; gives the last of them. */
  cut(): number {
    let last = 0;
    while (this.isExceeded) {
      const oldest = this.#blocks.shift();
      if (!oldest) break;
      last = oldest.last;
      this.#bytes -= oldest.bytes;
      this.#events -= oldest.events;
    }
    return last;
  }

  #add(block: Block): void {
    this.#blocks.push(block);
    this.#bytes += block.bytes;
    this.#events += block.events;
  }
}
