/**
 * An issuer's public keys: where they are, its discovery document says (OpenID Connect Discovery 1.0 §4). Fetched when
 * they are needed, kept, and fetched anew for a key that is not among them, but no more often than the cooldown
 * allows: anybody can name a key that does not exist.
 */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { isLoopback } from "../config/urls.ts";
import { readBounded } from "../net/bounded.ts";
import { A2AError } from "../protocol/errors.ts";

const TIMEOUT = 5_000;
/** Real key sets have a few thousand bytes. */
const BOUND = { limit: 512 * 1024, beyond: "the issuer's document is too large" };
/** The place of the keys hardly ever changes. */
const DISCOVERY_MAX_AGE = 3_600_000;
const KEYS_MAX_AGE = 600_000;

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
  #found: { readonly uri: string; readonly keys: JWTVerifyGetKey; readonly at: number } | undefined;
  #discovery: Promise<JWTVerifyGetKey> | undefined;

  constructor(issuer: string, options: IssuerKeysOptions) {
    this.#issuer = issuer;
    this.#options = options;
  }

  /** Rejects with `issuer-unavailable`, as does what it resolves with. */
  async get(): Promise<JWTVerifyGetKey> {
    const found = this.#found;
    if (found && this.#options.now() - found.at < DISCOVERY_MAX_AGE) return found.keys;
    this.#discovery ??= this.#discover().finally(() => {
      this.#discovery = undefined;
    });
    // Old keys are better than none: they have a maximum age of their own.
    return found ? this.#discovery.catch(() => found.keys) : this.#discovery;
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const response = await fetchFrom(discoveryUrl(this.#issuer), AbortSignal.timeout(TIMEOUT));
    const { issuer, jwks_uri: uri } = parse(await response.text());
    if (issuer !== this.#issuer) throw unavailable(new Error("the discovery document is another issuer's"));
    if (!uri.startsWith("https://") && !isLoopback(uri))
      throw unavailable(new Error("jwks_uri is not https"));
    const at = this.#options.now();
    const keys = this.#found?.uri === uri ? this.#found.keys : this.#keysAt(uri);
    this.#found = { uri, keys, at };
    return keys;
  }

  #keysAt(uri: string): JWTVerifyGetKey {
    return createRemoteJWKSet(new URL(uri), {
      timeoutDuration: TIMEOUT,
      cooldownDuration: this.#options.cooldown,
      cacheMaxAge: KEYS_MAX_AGE,
      [customFetch]: (url, { signal }) => fetchFrom(url, signal),
    });
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
