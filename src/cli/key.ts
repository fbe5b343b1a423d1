/** `key new`: a key for a caller, and what the configuration holds of it. */
import { newApiKey } from "../auth/api-key.ts";
import type { CliDeps } from "./deps.ts";
import { line, paint } from "./print.ts";

/** The two lines go to standard output, so that they can be taken apart; the explanation does not. */
export function printNewKey({ out, err }: CliDeps): void {
  const { key, hash } = newApiKey();
  line(out, `key   ${key}`);
  line(out, `hash  ${hash}`);
  line(err, paint(err, "dim", "Give the caller the key, which is not shown again; put the hash under"));
  line(err, paint(err, "dim", "auth.apiKeys.keys in the configuration, by a name for the caller."));
}
