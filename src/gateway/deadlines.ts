/**
 * Deadlines for any number of streams from one timer: an idle stream costs an entry in a set, not a timer of its own.
 * Coarse on purpose; a deadline fires at most one tick late.
 */
export interface Deadline {
  /** Moves it to `ms` from now; Infinity stops it. */
  in(ms: number): void;
  cancel(): void;
}

interface Entry {
  at: number;
  fire: () => void;
}

export class Deadlines {
  readonly #entries = new Set<Entry>();
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
    const entry: Entry = { at: this.#now() + ms, fire };
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => this.#look(), this.#tick).unref();
    return {
      in: (next) => {
        entry.at = this.#now() + next;
      },
      cancel: () => this.#entries.delete(entry),
    };
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
    for (const entry of this.#entries) {
      if (entry.at > now) continue;
      this.#entries.delete(entry);
      entry.fire();
    }
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
