/**
 * The gate that every call passes, whatever the transport: who calls (401), may they (403), not too often (429). It
 * also says what the cards declare, so that they say what is true.
 */
import { DEFAULT_SKILL_KEY } from "../config/auth.ts";
import type { AuthConfig, RateLimits, TlsConfig } from "../config/auth.ts";
import type { AgentCard } from "../protocol/card.ts";
import type { MessageSendParams } from "../protocol/params.ts";
import { Authenticator } from "./authenticator.ts";
import { ANONYMOUS, authorize, forbidden, mayReach, type Principal } from "./principal.ts";
import { BytesInFlight, type HeldBytes } from "./bytes-in-flight.ts";
import { FailedLogins } from "./failed-logins.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { Presented } from "./scheme.ts";
import { grantedSkills, requireSkill, type Sending } from "./skills.ts";

export interface GateConfig {
  /** Undefined: nobody is asked for credentials. */
  readonly auth: AuthConfig | undefined;
  readonly rateLimits: RateLimits;
  readonly tls: TlsConfig | undefined;
  /** Addresses of reverse proxies that say for whom they ask. */
  readonly trustProxy?: readonly string[];
  /** Of the bodies of all requests that are being answered. */
  readonly maxBytesInFlight: number;
}

/** The part of a card that says what callers need (§5.5.3). */
export type DeclaredSecurity = Pick<AgentCard, "securitySchemes" | "security">;

export class Gate {
  /** Cards are served without credentials. */
  readonly publicCard: boolean;
  /** Callers are asked for credentials. */
  readonly isClosed: boolean;
  readonly declared: DeclaredSecurity;
  readonly #authenticator: Authenticator | undefined;
  readonly #skillKey: string;
  readonly #limiter: RateLimiter;
  readonly #bytes: BytesInFlight;

  constructor({ auth, rateLimits, tls, trustProxy = [], maxBytesInFlight }: GateConfig) {
    this.#bytes = new BytesInFlight(maxBytesInFlight);
    this.#authenticator = auth && new Authenticator(auth, new FailedLogins(rateLimits, trustProxy));
    this.#skillKey = auth?.skillKey ?? DEFAULT_SKILL_KEY;
    this.#limiter = new RateLimiter(rateLimits);
    this.isClosed = auth !== undefined;
    this.publicCard = auth?.publicCard ?? true;
    this.declared = declaredSecurity(this.#authenticator, tls?.requireClientCert ?? false);
  }

  /** Who calls; rejects with `unauthenticated`, `too-many-requests`, or `issuer-unavailable` where that cannot be found out. */
  async identify(presented: Presented): Promise<Principal> {
    return this.#authenticator?.identify(presented) ?? ANONYMOUS;
  }

  /**
   * Lets the caller make one call to the agent, of which nothing is known yet but whose it is, and counts it; rejects
   * with `forbidden` or `too-many-requests`.
   */
  async admit(principal: Principal, agent: string): Promise<void> {
    this.requireReach(principal, agent);
    await this.#limiter.count(principal.id, agent);
  }

  /** Lets an admitted call be one of this method, as JSON-RPC names it; throws `forbidden`. */
  requireMethod(principal: Principal, agent: string, method: string): void {
    authorize(principal, agent, method);
  }

  /** Lets a message be sent, whose params are accepted already; throws `forbidden`. */
  requireSkill(principal: Principal, sending: Omit<Sending, "key">, params: MessageSendParams): void {
    requireSkill(principal, { ...sending, key: this.#skillKey }, params);
  }

  /** Ids of the skills that the caller's cards of the agent show; undefined: all. */
  skillsFor(principal: Principal, agent: string): ReadonlySet<string> | undefined {
    return grantedSkills(principal, agent);
  }

  /** Lets the caller look at the agent, as at its card; throws `forbidden`. */
  requireReach(principal: Principal, agent: string): void {
    if (!mayReach(principal, agent)) throw forbidden(principal, { agent });
  }

  /** What a request of the caller's holds from now on; whoever opens it releases it. */
  openBody(principal: Principal): HeldBytes {
    return this.#bytes.open(principal.id);
  }

  /** Counts a stream in; throws `too-many-requests`. The caller's place is given back, once, by what is returned. */
  enterStream(principal: Principal["id"]): () => void {
    return this.#limiter.enterStream(principal);
  }
}

const MUTUAL_TLS = { mutualTLS: { type: "mutualTLS" } };

/** Each entry of `security` is enough; where every connection needs a certificate, each asks for that besides. */
function declaredSecurity(
  authenticator: Authenticator | undefined,
  certificateRequired: boolean,
): DeclaredSecurity {
  const schemes = Object.assign({}, ...(authenticator?.schemes ?? []).map(({ declared }) => declared));
  const names = Object.keys(schemes);
  if (!certificateRequired) {
    if (names.length === 0) return {};
    return { securitySchemes: schemes, security: names.map((name) => ({ [name]: [] })) };
  }
  const alternatives = names.length === 0 ? ["mutualTLS"] : names;
  return {
    securitySchemes: { ...schemes, ...MUTUAL_TLS },
    security: alternatives.map((name) => ({ [name]: [], mutualTLS: [] })),
  };
}
