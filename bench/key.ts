/** The key of the benchmark's one client: the proxy is measured with authentication on. */
import { newApiKey } from "../src/auth/api-key.ts";
import type { BenchKey } from "./processes.ts";

export function benchKey(): BenchKey {
  const { key, hash } = newApiKey();
  return {
    principal: "apiKey:bench",
    header: `X-API-Key: ${key}`,
    auth: { apiKeys: { header: "X-API-Key", keys: { bench: { hash } } } },
  };
}
