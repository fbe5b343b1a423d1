/** A Map for what comes and goes with every request; see Bag for why it is not simply one. */

/** What stands in the Map for a value, so that a table that has been replaced holds nothing but empty slots. */
interface Slot<T> {
  value: T | undefined;
}

export class Registry<T> {
  readonly #slots = new Map<string, Slot<T>>();

  get(key: string): T | undefined {
    return this.#slots.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#slots.has(key);
  }

  set(key: string, value: T): void {
    const slot = this.#slots.get(key);
    if (slot) slot.value = value;
    else this.#slots.set(key, { value });
  }

  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (!slot) return;
    slot.value = undefined;
    this.#slots.delete(key);
  }

  /** Those that are in it now; it may be changed meanwhile. */
  entries(): readonly (readonly [key: string, value: T])[] {
    return [...this.#slots].flatMap(([key, { value }]) =>
      value === undefined ? [] : [[key, value] as const],
    );
  }
}
