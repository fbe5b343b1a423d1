/**
 * API keys. A key is 256 random bits made by the proxy, so that its plain SHA-256 is as good as any: there is nothing
 * to guess and nothing to look up in a table, which is what salt and a slow hash are against; and a slow hash would
 * let anybody keep the processor busy with wrong keys. Keys of another form, which somebody may have thought up, are
 * refused.
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ApiKeysConfig, Grant } from "../config/auth.ts";
import { EVERYTHING, type Principal } from "./principal.ts";
import {
  REALM,
  Refusal,
  bearerChallenge,
  bearerToken,
  type DeclaredScheme,
  type Presented,
  type Scheme,
} from "./scheme.ts";

/** The beginning is for scanners that look for secrets in code, and tells a key from a JWT. */
const PREFIX = "a2a_";
const FORM = /^a2a_[\w-]{43}$/;
const HASH_PREFIX = "sha256:";

export interface NewKey {
  readonly key: string;
  /** What the configuration holds of it. */
  readonly hash: string;
}

export function newApiKey(): NewKey {
  const key = PREFIX + randomBytes(32).toString("base64url");
  return { key, hash: HASH_PREFIX + digestOf(key).toString("base64url") };
}

const digestOf = (key: string): Buffer => hash("sha256", key, "buffer");

interface KnownKey {
  readonly digest: Buffer;
  readonly principal: Principal;
}

export class ApiKeys implements Scheme {
  readonly declared: Readonly<Record<string, DeclaredScheme>>;
  readonly #config: ApiKeysConfig;
  readonly #known: readonly KnownKey[];

  constructor(config: ApiKeysConfig) {
    this.#config = config;
    this.#known = Object.entries(config.keys).map(([name, { hash, ...grant }]) => ({
      digest: Buffer.from(hash.slice(HASH_PREFIX.length), "base64url"),
      principal: { id: `apiKey:${name}`, scheme: "apiKey", grants: grantsOf(grant) },
    }));
    const { header, query, bearer } = config;
    this.declared = {
      apiKey: { type: "apiKey", in: "header", name: header },
      ...(query !== undefined && { apiKeyInQuery: { type: "apiKey", in: "query", name: query } }),
      ...(bearer && { apiKeyAsBearer: { type: "http", scheme: "bearer" } }),
    };
  }

  async identify(presented: Presented): Promise<Principal | undefined> {
    const key = this.#keyIn(presented);
    if (key === undefined) return undefined;
    const principal = FORM.test(key) ? this.#find(digestOf(key)) : undefined;
    if (principal === undefined) throw new Refusal("the API key is not known");
    return principal;
  }

  challenges(refused?: string): readonly string[] {
    const { header, bearer } = this.#config;
    const own = `ApiKey ${REALM}, header="${header}"`;
    return bearer ? [own, bearerChallenge(refused)] : [own];
  }

  #keyIn(presented: Presented): string | undefined {
    const { header, query, bearer } = this.#config;
    const inHeader = presented.headers[header.toLowerCase()];
    if (inHeader !== undefined) return String(inHeader);
    const inQuery = query === undefined ? undefined : presented.query.getAll(query);
    if (inQuery && inQuery.length > 0) return inQuery.join();
    const token = bearer ? bearerToken(presented) : undefined;
    return token?.startsWith(PREFIX) ? token : undefined;
  }

  /** Looks at every key however early one fits, so that the time it takes says nothing about any. */
  #find(digest: Buffer): Principal | undefined {
    let found: Principal | undefined;
    for (const known of this.#known) if (timingSafeEqual(known.digest, digest)) found = known.principal;
    return found;
  }
}

const grantsOf = (grant: Grant): readonly Grant[] => (Object.keys(grant).length === 0 ? EVERYTHING : [grant]);
