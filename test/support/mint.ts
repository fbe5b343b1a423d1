/** Ids that count up and a clock that stands still, for expectations that can be written down. */
import type { Mint } from "../../src/gateway/task/fill-missing.ts";

export const NOW = "2025-01-02T03:04:05.006Z";

export function countingMint(prefix = "id"): Mint {
  let count = 0;
  return { now: () => Date.parse(NOW), newId: () => `${prefix}-${++count}` };
}
