/** Puts an agent's southbound side together from its configuration. */
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { AgentConfig } from "../config/config.ts";
import { createAuthorizer } from "./authorizer.ts";
import { createCardFetcher } from "./card-fetch.ts";
import type { Redactor } from "./redact.ts";
import type { Southbound } from "./southbound.ts";
import { readTls } from "./tls.ts";
import { createHttpClient } from "./undici-client.ts";

export interface SouthboundDeps {
  readonly log: Logger;
  /** Knows every secret of the configuration. */
  readonly redact: Redactor;
}

/** `close` breaks what is still open to the vendor. */
export type ClosableSouthbound = Southbound & { close(): Promise<void> };

export function createSouthbound(config: AgentConfig, { log, redact }: SouthboundDeps): ClosableSouthbound {
  const { name: agent, url } = config;
  const agentLog = log.child({ agent });
  const authorizer = createAuthorizer({ ...config, agent, redact, log: agentLog });
  const tls = readTls(agent, config.tls);
  const http = createHttpClient({
    ...config,
    agent,
    authorizer,
    tls,
    redact,
    onMalformed: (excerpt) =>
      agentLog.warn({ excerpt }, "skipped a piece of the agent's stream that is not JSON"),
  });
  return {
    agent,
    url,
    fetchCard: createCardFetcher({ ...config, agent, authorizer, tls, redact }),
    http,
    log: agentLog,
    newId: () => randomUUID(),
    close: () => http.close(),
  };
}
