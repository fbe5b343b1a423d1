/** For what must not be told before it is stored, and cannot be taken back: however long the store takes. */
import { A2AError } from "../protocol/errors.ts";
import type { StoreHealth } from "./store.ts";

/** Makes the write again and again until the store can keep it. Rejects where it fails otherwise, or is given up. */
export async function untilStored<T>(health: StoreHealth, write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      await health.nextAttempt();
    }
  }
}

export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof A2AError && error.code === "store-unavailable";
