/** Whether events of a turn may have been lost: one could not be read, or a stream was resumed. */
import type { LostEvents } from "../../southbound/lost-events.ts";

export class Losses {
  readonly #source: LostEvents | undefined;
  #isNew = false;
  #isDamaged = false;

  /** @param source tells of events that could not be read */
  constructor(source: LostEvents | undefined) {
    this.#source = source;
  }

  /** An event of the turn could not be read. It may have stood behind events that are still waiting to be. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Listens for events of the call's stream that cannot be read. */
  watch(signal: AbortSignal): void {
    this.#source?.listen(signal, () => {
      this.#isDamaged = true;
      this.note();
    });
  }

  note(): void {
    this.#isNew = true;
  }

  /** Whether anything was lost since this was last asked. */
  take(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }
}
