/**
 * An issuer's public keys: where they are, its discovery document says (OpenID Connect Discovery 1.0 §4). Fetched when
 * they are needed, kept, and fetched anew for a key that is not among them, but no more often than the cooldown
 * allows: anybody can name a key that does not exist.
 */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { isLoopback } from "../config/urls.ts";
import { cached, type Cached } from "../lib/cached.ts";
import { readBounded } from "../net/bounded.ts";
import { A2AError } from "../protocol/errors.ts";

const TIMEOUT = 5_000;
/** Real key sets have a few thousand bytes. */
const BOUND = { limit: 512 * 1024, beyond: "the issuer's document is too large" };
/** The place of the keys hardly ever changes. */
const DISCOVERY_MAX_AGE = 3_600_000;
const KEYS_MAX_AGE = 600_000;
/** An issuer that could not be asked is left alone for so long: anybody can show a token that makes the proxy ask. */
const FAILURE_AGE = 5_000;

/** The fetches have a timeout of their own. */
const NEVER = new AbortController().signal;

const Discovery = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

export const discoveryUrl = (issuer: string): string =>
  `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

export interface IssuerKeysOptions {
  /** How long after the keys were fetched one that is not among them is not asked for, ms. */
  readonly cooldown: number;
  readonly now: () => number;
}

export class IssuerKeys {
  readonly #issuer: string;
  readonly #options: IssuerKeysOptions;
  readonly #keys: Cached<JWTVerifyGetKey>;
  #found: { readonly uri: string; readonly keys: JWTVerifyGetKey } | undefined;

  constructor(issuer: string, options: IssuerKeysOptions) {
    this.#issuer = issuer;
    this.#options = options;
    const { now } = options;
    // Old keys are better than none: they have a maximum age of their own.
    this.#keys = cached(() => this.#discover(), DISCOVERY_MAX_AGE, { failureAge: FAILURE_AGE, now });
  }

  /** Rejects with `issuer-unavailable`, as does what it resolves with; for a while, with the last time's. */
  async get(): Promise<JWTVerifyGetKey> {
    return await this.#keys.get(NEVER);
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const response = await fetchFrom(discoveryUrl(this.#issuer), AbortSignal.timeout(TIMEOUT));
    const { issuer, jwks_uri: uri } = parse(await response.text());
    if (issuer !== this.#issuer) throw unavailable(new Error("the discovery document is another issuer's"));
    if (!uri.startsWith("https://") && !isLoopback(uri))
      throw unavailable(new Error("jwks_uri is not https"));
    const keys = this.#found?.uri === uri ? this.#found.keys : this.#keysAt(uri);
    this.#found = { uri, keys };
    return keys;
  }

  #keysAt(uri: string): JWTVerifyGetKey {
    return createRemoteJWKSet(new URL(uri), {
      timeoutDuration: TIMEOUT,
      cooldownDuration: this.#options.cooldown,
      cacheMaxAge: KEYS_MAX_AGE,
      [customFetch]: this.#unlessJustFailed(fetchFrom),
    });
  }

  /** The same fetch, which fails again without asking for a while after it has failed. */
  #unlessJustFailed(
    fetch: typeof fetchFrom,
  ): (url: string, init: { signal: AbortSignal }) => Promise<Response> {
    const { now } = this.#options;
    let failure: { readonly error: unknown; readonly until: number } | undefined;
    return async (url, { signal }) => {
      if (failure && now() < failure.until) throw failure.error;
      try {
        return await fetch(url, signal);
      } catch (error) {
        failure = { error, until: now() + FAILURE_AGE };
        throw error;
      }
    };
  }
}

function parse(text: string): z.infer<typeof Discovery> {
  try {
    return Discovery.parse(JSON.parse(text));
  } catch (cause) {
    throw unavailable(cause);
  }
}

export const unavailable = (cause: unknown): A2AError => new A2AError("issuer-unavailable", { cause });

/** A document of bounded size, from this very address. */
async function fetchFrom(url: string, signal: AbortSignal): Promise<Response> {
  try {
    const response = await fetch(url, { signal, redirect: "error", headers: { Accept: "application/json" } });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`the issuer answered HTTP ${response.status}`);
    }
    return new Response(await readBounded(response, BOUND));
  } catch (cause) {
    throw unavailable(cause);
  }
}
