/** What an agent says may echo what it was sent; a client's own headers are not among the secrets of the configuration. */
import type { CallScope } from "./http.ts";
import { createRedactor } from "./redact.ts";

/** A shorter one is no secret, and would blot out half of the text. */
const SHORTEST_MASKED = 8;

/** What the client has shown may be as secret as what the proxy shows, and be echoed as well. */
export function withoutForwarded(text: string, forwarded: CallScope["forwarded"]): string {
  const values = Object.values(forwarded ?? {}).map((value) => value.replace(/^\w+ +/, ""));
  const secrets = values.filter((value) => value.length >= SHORTEST_MASKED);
  return secrets.length === 0 ? text : createRedactor(secrets)(text);
}
