/** Puts an agent's southbound side together from its configuration. */
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { AgentConfig } from "../config/config.ts";
import { createAuthorizer } from "./authorizer.ts";
import { createCardFetcher } from "./card-fetch.ts";
import { CardRevalidation } from "./card-revalidation.ts";
import { createCardVerifier, type VerifyCard } from "./card-signature.ts";
import { createGrpcClient } from "./grpc-client.ts";
import { GrpcClients } from "./grpc-clients.ts";
import { grpcTargetOf } from "./grpc-target.ts";
import { LostEvents } from "./lost-events.ts";
import type { Redactor } from "./redact.ts";
import type { Southbound } from "./southbound.ts";
import { liveTls } from "./tls.ts";
import { createHttpClient } from "./undici-client.ts";

export interface SouthboundDeps {
  readonly log: Logger;
  /** Knows every secret of the configuration. */
  readonly redact: Redactor;
}

export interface ClosableSouthbound extends Southbound {
  /** For how long the vendor allows its card to be kept, ms, as it said last; undefined where it says nothing. */
  readonly cardAge: () => number | undefined;
  /** Tells of events of a call's stream that could not be read; the call is known by its signal. */
  readonly lostEvents: LostEvents;
  /** Breaks what is still open to the vendor. */
  close(): Promise<void>;
}

/** An event that was damaged; other text, such as `ping`, is none. */
const BEGINS_AS_JSON = /^\s*[[{]/;

export function createSouthbound(config: AgentConfig, { log, redact }: SouthboundDeps): ClosableSouthbound {
  const { name: agent, url } = config;
  const agentLog = log.child({ agent });
  const tls = config.tls && liveTls(agent, config.tls, agentLog);
  const secured = { ...config, agent, redact, tls };
  const authorizer = createAuthorizer({ ...secured, log: agentLog });
  const lostEvents = new LostEvents();
  const http = createHttpClient({
    ...secured,
    authorizer,
    onMalformed: (excerpt, signal) => {
      agentLog.warn({ excerpt }, "skipped a piece of the agent's stream that is not JSON");
      if (BEGINS_AS_JSON.test(excerpt)) lostEvents.report(signal);
    },
  });
  const grpc = new GrpcClients(({ address, service }, identity) =>
    createGrpcClient({ ...secured, tls: identity, authorizer, service, target: grpcTargetOf(address, url) }),
  );
  const verifyCard = verifierOf(config);
  const revalidation = new CardRevalidation();
  const fetchAny = createCardFetcher({ ...secured, authorizer, revalidation });
  const fetchCard = async (signal: AbortSignal): Promise<unknown> => {
    const card = await fetchAny(signal);
    await verifyCard?.(card);
    return card;
  };
  return {
    agent,
    url,
    isGrpc: config.isGrpc,
    fetchCard,
    verifyCard,
    lostEvents,
    cardAge: () => revalidation.maxAge,
    http,
    grpc: (address, service) => grpc.at({ address, service }, tls?.()),
    log: agentLog,
    newId: () => randomUUID(),
    close: async () => {
      grpc.close();
      await http.close();
    },
  };
}

function verifierOf({ name: agent, cardSignature, timeouts }: AgentConfig): VerifyCard | undefined {
  if (!cardSignature) return undefined;
  return createCardVerifier({ agent, config: cardSignature, timeout: timeouts.request });
}
