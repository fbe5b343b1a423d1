/**
 * Tells the caller that an event of its stream could not be read, however the stream goes through an adapter: a call is
 * known by its signal, which is also that of its HTTP request.
 */
export class LostEvents {
  readonly #listeners = new WeakMap<AbortSignal, () => void>();

  listen(signal: AbortSignal, listener: () => void): void {
    this.#listeners.set(signal, listener);
  }

  report(signal: AbortSignal): void {
    this.#listeners.get(signal)?.();
  }
}
