/** Tells whether a file is still the one that was read: for secrets and certificates that change while the proxy runs. */
import type { BigIntStats } from "node:fs";

/** Differs once a file was written to, or replaced, as a mounted secret is by a link. */
export const fileMark = (stats: BigIntStats | undefined): string =>
  stats ? `${stats.ino}:${stats.mtimeNs}:${stats.size}` : "absent";
