/**
 * Carries the outbox to the webhooks. The schedule is the store's, so a restart goes on where it was; here is only
 * what is on its way: bounded overall and for each origin, so that a slow webhook holds up nobody but itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { PushSettings } from "../config/push.ts";
import type { NotificationRecord, PushStore } from "../store/push-store.ts";
import { nextAttempt, type RetrySettings } from "./backoff.ts";
import type { Outcome } from "./delivery.ts";

export interface PushWorkerOptions {
  readonly store: PushStore;
  /** Never rejects. */
  readonly deliver: (notification: NotificationRecord, signal: AbortSignal) => Promise<Outcome>;
  readonly settings: RetrySettings & Pick<PushSettings, "concurrency" | "concurrencyPerHost">;
  readonly log: Logger;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Between two looks at the store when nobody wakes the worker, ms. */
const SHORTEST_WAIT = 50;
const LONGEST_WAIT = 60_000;
/** Until a store that could not be written is tried again, ms. */
const STORE_RETRY = 1_000;

export class PushWorker {
  readonly #options: PushWorkerOptions;
  readonly #running = new Map<Promise<void>, string>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;
  #stopping = false;

  constructor(options: PushWorkerOptions) {
    this.#options = options;
  }

  /** There may be something to deliver. */
  wake(): void {
    this.#again = true;
    if (this.#stopping || this.#pumping) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Starts nothing new, gives what is on its way `grace` ms, breaks off the rest: the next start sends it again. */
  async stop(grace: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#pumping;
    const late = setTimeout(() => this.#stop.abort(), grace);
    await Promise.all(this.#running.keys());
    clearTimeout(late);
  }

  async #pump(): Promise<void> {
    const { store, log, now } = this.#options;
    clearTimeout(this.#timer);
    let wait = STORE_RETRY;
    try {
      while (this.#again && !this.#stopping) {
        this.#again = false;
        await this.#fill();
      }
      const due = await store.nextDue();
      if (due === undefined) return;
      wait = Math.min(LONGEST_WAIT, Math.max(SHORTEST_WAIT, due - now()));
    } catch (err) {
      log.error({ err }, "the outbox could not be read");
    }
    if (!this.#stopping) this.#timer = setTimeout(() => this.wake(), wait).unref();
  }

  /** Starts as many deliveries as there are due and room for. */
  async #fill(): Promise<void> {
    const { store, settings, now } = this.#options;
    // One at a time: each may fill up the origin that the next must not be of.
    while (!this.#stopping && this.#running.size < settings.concurrency) {
      const [notification] = await store.claim(now(), 1, this.#busyOrigins());
      if (!notification) return;
      const delivery = this.#deliver(notification).finally(() => {
        this.#running.delete(delivery);
        this.wake();
      });
      this.#running.set(delivery, notification.config.origin);
    }
  }

  #busyOrigins(): string[] {
    const counts = new Map<string, number>();
    for (const origin of this.#running.values()) counts.set(origin, (counts.get(origin) ?? 0) + 1);
    const { concurrencyPerHost } = this.#options.settings;
    return [...counts].filter(([, count]) => count >= concurrencyPerHost).map(([origin]) => origin);
  }

  async #deliver(notification: NotificationRecord): Promise<void> {
    const outcome = await this.#options.deliver(notification, this.#stop.signal);
    // Broken off by this side: it stays claimed, and the next start sends it again.
    if (this.#stop.signal.aborted && outcome.kind !== "delivered") return;
    for (;;) {
      try {
        return await this.#settle(notification, outcome);
      } catch (err) {
        this.#options.log.error({ err, notification: notification.id }, "the outbox could not be written");
        if (this.#stopping) return;
        await sleep(STORE_RETRY);
      }
    }
  }

  async #settle(notification: NotificationRecord, outcome: Outcome): Promise<void> {
    const { store, settings, log, now, random } = this.#options;
    const { id, config, queuedAt, attempts } = notification;
    const { agent, taskId, origin } = config;
    const about = { agent, taskId, notification: id, origin, attempt: attempts + 1 };
    if (outcome.kind === "delivered") {
      log.debug(about, "a webhook was notified");
      return store.delivered(notification, now());
    }
    const failed = { attempts: attempts + 1, queuedAt, now: now(), random: random() };
    const at =
      outcome.kind === "refused"
        ? undefined
        : nextAttempt({ ...failed, retryAfter: outcome.retryAfter }, settings);
    const { reason } = outcome;
    if (at === undefined) {
      log.warn({ ...about, reason }, "a notification was given up");
      return store.bury(notification, reason, now());
    }
    log.info({ ...about, reason, retryIn: at - now() }, "a webhook could not be notified");
    return store.retry(notification, at);
  }
}
