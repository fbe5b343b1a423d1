/** SIGINT and SIGTERM: the first asks for an orderly end, the second does not wait for it. */
import { constants } from "node:os";
import type { CliDeps } from "./deps.ts";

const ENDING = ["SIGINT", "SIGTERM"] as const;

/** Waits for a signal, then for `stop`. A second signal exits at once, with 128 + its number as shells expect. */
export async function untilSignal(
  { signals, exit }: Pick<CliDeps, "signals" | "exit">,
  stop: () => Promise<void>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) exit(128 + constants.signals[signal]);
    asked = true;
    resolve();
  };
  for (const signal of ENDING) signals.on(signal, onSignal);
  try {
    await promise;
    await stop();
  } finally {
    for (const signal of ENDING) signals.off(signal, onSignal);
  }
}
