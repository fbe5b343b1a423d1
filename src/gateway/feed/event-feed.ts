/**
 * The events of one running task on their way to any number of listeners. Each event is serialized once; a listener
 * is a position in the log. What falls out of the window in memory is read back from the store, so a listener that
 * does not read costs nothing, and the agent is slowed while every listener lags.
 */
import type { Limits } from "../../config/config.ts";
import { untilStored } from "../../store/until-stored.ts";
import { LogBound, type LogEnd } from "./log-bound.ts";
import type { OutgoingEvent, Subscription } from "../gateway.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { StreamEvent } from "../../protocol/model.ts";
import type { TaskKey, TaskStore } from "../../store/store.ts";

/** Events read back from the store at once. */
const PAGE = 256;
/** Bytes handed to a listener at once. */
const BATCH = 64 * 1024;

/** An event with the length of everything up to its end, for the listeners' lag. */
interface FeedEvent extends OutgoingEvent {
  readonly sequence: number;
  readonly end?: number;
}

type FeedLimits = Pick<Limits, "window" | "eventLog" | "events">;

export class EventFeed {
  readonly #key: TaskKey;
  readonly #store: TaskStore;
  readonly #windowSize: number;
  readonly #bound: LogBound;
  readonly #listeners = new Set<Listener>();
  /** The newest events, contiguous up to `#sequence`. */
  #window: FeedEvent[] = [];
  #windowBytes = 0;
  #sequence: number;
  /** Events up to here may go out. */
  #released: number;
  /** Total length of all events so far, for the listeners' lag. */
  #bytes = 0;
  /** The log begins after it. */
  #dropped = 0;
  #ended = false;
  #broken: A2AError | undefined;
  #changed: PromiseWithResolvers<void> | undefined;
  #read: PromiseWithResolvers<void> | undefined;

  /** @param before the task's last event before this feed, and the bytes of its log up to there */
  constructor(key: TaskKey, store: TaskStore, limits: FeedLimits, before: LogEnd) {
    this.#key = key;
    this.#store = store;
    this.#windowSize = limits.window;
    this.#bound = new LogBound({ bytes: limits.eventLog, events: limits.events }, before);
    this.#sequence = before.last;
    this.#released = before.last;
  }

  /** Of a task that is not running: its log up to here can be read, and nothing follows. */
  static ended(key: TaskKey, store: TaskStore, last: number): EventFeed {
    const limits = { window: 0, eventLog: Number.POSITIVE_INFINITY, events: Number.POSITIVE_INFINITY };
    const feed = new EventFeed(key, store, limits, { last, bytes: 0 });
    feed.end();
    return feed;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Adds to the log; nobody sees it before `release`. */
  append(event: StreamEvent, last: boolean): void {
    const json = JSON.stringify(event);
    this.#sequence += 1;
    this.#windowBytes += json.length;
    this.#bytes += json.length;
    this.#window.push({ sequence: this.#sequence, json, last, end: this.#bytes });
    this.#store.appendEvent(this.#key, { sequence: this.#sequence, json });
    this.#bound.add(this.#sequence, json.length);
    this.#trim();
  }

  /** The log is beyond its limits. */
  get isLogFull(): boolean {
    return this.#bound.isExceeded;
  }

  /**
   * Deletes the oldest events from the log: whoever has not read them cannot go on. `persist` writes a record that includes
   * them first: after a crash the rest of the log is added to it.
   */
  async cutLog(persist: () => Promise<void>): Promise<void> {
    const last = this.#bound.cut();
    await persist();
    await untilStored(this.#store.health, () => this.#store.dropEvents(this.#key, last));
    this.#dropped = last;
  }

  /** Lets the listeners see everything appended so far. */
  release(): void {
    this.#released = this.#sequence;
    this.#wake();
  }

  /** Nothing will be appended any more. */
  end(): void {
    this.#ended = true;
    this.release();
  }

  /** Ends it without what has not been released: listeners get this error after what has. */
  breakOff(error: A2AError): void {
    this.#broken = error;
    this.#ended = true;
    this.unblock();
    this.#wake();
  }

  /**
   * Resolves when the log can take more, and a listener keeps up or none listens; undefined where there is no need to
   * wait.
   */
  room(): Promise<void> | undefined {
    const written = this.#store.room();
    if (written) {
      void written.then(() => this.unblock());
      return this.#unblocked();
    }
    if (this.#listeners.size === 0) return undefined;
    for (const listener of this.#listeners) {
      // Nothing is left for one that has read everything back from the store, whatever its place in the length.
      if (listener.sequence >= this.#sequence) return undefined;
      if (this.#bytes - listener.bytes <= this.#windowSize) return undefined;
    }
    return this.#unblocked();
  }

  #unblocked(): Promise<void> {
    this.#read ??= Promise.withResolvers<void>();
    return this.#read.promise;
  }

  /** What is appended from now on, after an opening that holds all there was. */
  subscribe(opening: OutgoingEvent): Subscription {
    return this.#join(new Listener(this, opening.sequence ?? this.#sequence, this.#bytes, opening));
  }

  /** Everything in the log after `sequence`, and what is appended from now on. */
  subscribeAfter(sequence: number): Subscription {
    return this.#join(new Listener(this, sequence, 0));
  }

  /** Lets the agent be read on although nobody keeps up. */
  unblock(): void {
    this.#read?.resolve();
    this.#read = undefined;
  }

  /** For listeners: what comes after `sequence`; empty where nothing has been released. */
  take(sequence: number): readonly FeedEvent[] | Promise<readonly FeedEvent[]> {
    if (sequence >= this.#released) return [];
    const first = this.#window[0]?.sequence ?? this.#released + 1;
    return sequence + 1 >= first ? this.#fromWindow(sequence + 1 - first) : this.#readBack(sequence);
  }

  async #readBack(sequence: number): Promise<readonly FeedEvent[]> {
    const stored = await this.#store.eventsAfter(this.#key, sequence, PAGE);
    if (sequence < this.#dropped && stored[0]?.sequence !== sequence + 1) throw tooSlow();
    const released = stored.filter((event) => event.sequence <= this.#released);
    if (released.length === 0) return this.#fromWindow(0);
    const end = this.#ended ? this.#sequence : Number.POSITIVE_INFINITY;
    return released.map(({ sequence: at, json }) => ({ sequence: at, json, last: at === end }));
  }

  /** For listeners: resolves at the next change. */
  get changed(): Promise<void> {
    this.#changed ??= Promise.withResolvers<void>();
    return this.#changed.promise;
  }

  get taskId(): string {
    return this.#key.id;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** For listeners: why there is no end to be had. */
  get broken(): A2AError | undefined {
    return this.#broken;
  }

  /** For listeners: one is gone. */
  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    this.unblock();
    this.#wake();
  }

  #join(listener: Listener): Subscription {
    this.#listeners.add(listener);
    return listener;
  }

  #fromWindow(from: number): FeedEvent[] {
    const batch: FeedEvent[] = [];
    let bytes = 0;
    for (let index = from; index < this.#window.length && bytes < BATCH; index++) {
      const event = this.#window[index];
      if (!event || event.sequence > this.#released) break;
      batch.push(event);
      bytes += event.json.length;
    }
    return batch;
  }

  /** Drops the older half at once, so that an append costs the same on average however long the stream. */
  #trim(): void {
    if (this.#windowBytes <= 2 * this.#windowSize) return;
    let drop = 0;
    while (this.#windowBytes > this.#windowSize) {
      const oldest = this.#window[drop];
      if (!oldest || oldest.sequence > this.#released) break;
      this.#windowBytes -= oldest.json.length;
      drop += 1;
    }
    this.#window = this.#window.slice(drop);
  }

  #wake(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
  }
}

const tooSlow = (): A2AError =>
  new A2AError("too-many-requests", {
    message: "The client is further behind than the task's event log reaches; it can resubscribe",
  });

class Listener implements Subscription {
  readonly #feed: EventFeed;
  /** The last event it has been given. */
  sequence: number;
  #opening: OutgoingEvent | undefined;
  #closed = false;
  /** Length of everything up to this listener's position. */
  bytes: number;

  constructor(feed: EventFeed, sequence: number, bytes: number, opening?: OutgoingEvent) {
    this.#feed = feed;
    this.sequence = sequence;
    this.#opening = opening;
    this.bytes = bytes;
  }

  get taskId(): string {
    return this.#feed.taskId;
  }

  async next(): Promise<readonly OutgoingEvent[] | undefined> {
    if (this.#opening) {
      const opening = this.#opening;
      this.#opening = undefined;
      return [opening];
    }
    while (!this.#closed) {
      // Before the store is waited for, so that no change is missed meanwhile.
      const { changed, ended } = this.#feed;
      const taken = this.#feed.take(this.sequence);
      const batch = taken instanceof Promise ? await taken : taken;
      if (batch.length > 0) return this.#advance(batch);
      if (!ended) await changed;
      else if (this.#feed.broken) throw this.#feed.broken;
      else this.close();
    }
    return undefined;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#feed.leave(this);
  }

  #advance(batch: readonly FeedEvent[]): readonly OutgoingEvent[] {
    for (const event of batch) {
      this.sequence = event.sequence;
      // Read back from the store, an event has no place in the feed's length: the listener lags until it has caught up.
      this.bytes = event.end ?? this.bytes;
    }
    this.#feed.unblock();
    return batch;
  }
}
