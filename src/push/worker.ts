/**
 * Carries the outbox to the webhooks. The schedule is the store's, so a restart goes on where it was; here is only
 * what is on its way: bounded overall, for each origin and each caller, so that a slow webhook holds up nobody but itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { PushSettings } from "../config/push.ts";
import type { EndpointFailure, NotificationRecord, PushStore } from "../store/push-store.ts";
import { isStoreUnavailable } from "../store/until-stored.ts";
import { endpointFailure, nextAttempt, type RetrySettings } from "./backoff.ts";
import type { Outcome } from "./delivery.ts";
import { Load, type LoadLimits } from "./load.ts";

export interface PushWorkerOptions {
  readonly store: PushStore;
  /** Never rejects. */
  readonly deliver: (notification: NotificationRecord, signal: AbortSignal) => Promise<Outcome>;
  readonly settings: RetrySettings & LoadLimits & Pick<PushSettings, "offAfter">;
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
  readonly #running = new Set<Promise<void>>();
  readonly #load: Load;
  /** Endpoints that have failed since then are known not to be down for this process's own reasons. */
  readonly #startedAt: number;
  #expiredAt: number;
  /** When it was last asked what is due. */
  #claimedAt = 0;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;
  #stopping = false;

  constructor(options: PushWorkerOptions) {
    this.#options = options;
    this.#load = new Load(options.settings);
    this.#startedAt = options.now();
    this.#expiredAt = this.#startedAt;
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
    await Promise.all(this.#running);
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
      await this.#expire();
      // What is due already waits for something that is on its way, whose end wakes this.
      const due = (await store.nextDue(this.#claimedAt)) ?? Number.POSITIVE_INFINITY;
      wait = Math.min(this.#longestWait, Math.max(SHORTEST_WAIT, due - now()));
    } catch (err) {
      if (!isStoreUnavailable(err)) log.error({ err }, "the outbox could not be read");
    }
    if (!this.#stopping) this.#timer = setTimeout(() => this.wake(), wait).unref();
  }

  /** A fraction of the longest that anything may wait. */
  get #longestWait(): number {
    return Math.min(LONGEST_WAIT, Math.max(SHORTEST_WAIT, this.#options.settings.maxAge / 10));
  }

  /** Gives up what is too old where nothing can be delivered; what has not been tried yet is tried first. */
  async #expire(): Promise<void> {
    const { store, settings, now, log } = this.#options;
    if (now() - this.#expiredAt < this.#longestWait) return;
    this.#expiredAt = now();
    let all = 0;
    for (let some = -1; some !== 0 && !this.#stopping; all += some) {
      some = await store.expire(now() - settings.maxAge, this.#startedAt, now());
    }
    if (all > 0)
      log.warn(
        { notifications: all },
        "notifications were given up; their webhooks have failed for too long",
      );
  }

  /** Starts as many deliveries as there are due and room for. */
  async #fill(): Promise<void> {
    const { store, now } = this.#options;
    // One at a time: each may use up what the next must not be of.
    while (!this.#stopping && !this.#load.isFull) {
      this.#claimedAt = now();
      const [notification] = await store.claim(this.#claimedAt, 1, this.#load.except);
      if (!notification) return;
      this.#load.begin(notification);
      const delivery = this.#deliver(notification).finally(() => {
        this.#load.end(notification);
        this.#running.delete(delivery);
        this.wake();
      });
      this.#running.add(delivery);
    }
  }

  async #deliver(notification: NotificationRecord): Promise<void> {
    const outcome = await this.#options.deliver(notification, this.#stop.signal);
    // Broken off by this side: it stays claimed, and the next start sends it again.
    if (this.#stop.signal.aborted && outcome.kind !== "delivered") return;
    for (;;) {
      try {
        return await this.#settle(notification, outcome);
      } catch (err) {
        const { log } = this.#options;
        if (!isStoreUnavailable(err))
          log.error({ err, notification: notification.id }, "the outbox could not be written");
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
    const { reason } = outcome;
    if (outcome.kind === "refused") {
      log.warn({ ...about, reason }, "a notification was given up");
      return store.bury(notification, reason, now());
    }
    const attempt = { attempts: attempts + 1, queuedAt, now: now(), random: random() };
    const isSilent = outcome.kind === "silent";
    const failure = endpointFailure(notification.endpoint, { ...attempt, reason, isSilent }, settings);
    if (failure.isOff) return this.#switchOff(notification, failure);
    const retryAfter = outcome.kind === "failed" ? outcome.retryAfter : undefined;
    const at = nextAttempt({ ...attempt, retryAfter }, settings);
    if (at === undefined) {
      log.warn({ ...about, reason }, "a notification was given up");
      return store.bury(notification, reason, now(), failure);
    }
    log.info({ ...about, reason, retryIn: at - now() }, "a webhook could not be notified");
    return store.retry(notification, at, failure, now());
  }

  /** Gives up whatever waits for the endpoint. */
  async #switchOff(notification: NotificationRecord, failure: EndpointFailure): Promise<void> {
    const { store, log, now } = this.#options;
    const { config, endpoint } = notification;
    const { principal, origin } = config;
    const { reason } = failure;
    if (endpoint.offAt === undefined) {
      log.warn({ principal, origin, since: endpoint.failingSince, reason }, "a webhook was switched off");
    }
    const words = `the webhook is switched off; last: ${reason}`;
    await store.bury(notification, words, now(), failure);
    let lanes = -1;
    while (lanes !== 0) lanes = await store.buryWaiting(config, words, now());
  }
}
