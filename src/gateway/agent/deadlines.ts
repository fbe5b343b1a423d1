/**
 * Deadlines for any number of streams from one timer: an idle stream costs an entry in a list, not a timer of its own.
 * Coarse on purpose; a deadline fires at most one tick late.
 */
import { Bag, NO_PLACE, type Placed } from "../../collections/bag.ts";

export interface Deadline {
  /** Moves it to `ms` from now; Infinity stops it. */
  in(ms: number): void;
  cancel(): void;
}

class Entry implements Deadline, Placed {
  place = NO_PLACE;
  at: number;
  readonly fire: () => void;
  readonly #list: Bag<Entry>;
  readonly #now: () => number;

  constructor(list: Bag<Entry>, now: () => number, ms: number, fire: () => void) {
    this.#list = list;
    this.#now = now;
    this.at = now() + ms;
    this.fire = fire;
  }

  in(ms: number): void {
    this.at = this.#now() + ms;
  }

  cancel(): void {
    this.#list.delete(this);
  }
}

export class Deadlines {
  readonly #entries = new Bag<Entry>();
  readonly #now: () => number;
  readonly #tick: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param tick ms between two looks at the clock */
  constructor(tick = 100, now: () => number = () => performance.now()) {
    this.#tick = tick;
    this.#now = now;
  }

  /** `fire` is called once, unless the deadline is moved or cancelled first. */
  start(ms: number, fire: () => void): Deadline {
    const entry = new Entry(this.#entries, this.#now, ms, fire);
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => this.#look(), this.#tick).unref();
    return entry;
  }

  /** Waits for `until` to settle, at most `ms`; resolves with whether it did. */
  wait(ms: number, until: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const deadline = this.start(ms, () => resolve(false));
      const settled = (): void => {
        deadline.cancel();
        resolve(true);
      };
      until.then(settled, settled);
    });
  }

  #look(): void {
    const now = this.#now();
    for (const entry of this.#entries.members(({ at }) => at <= now)) {
      // One that has fired may have cancelled or moved this one.
      if (entry.place === NO_PLACE || entry.at > now) continue;
      entry.cancel();
      entry.fire();
    }
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
