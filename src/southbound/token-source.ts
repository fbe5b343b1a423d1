/**
 * Access tokens by OAuth 2 client credentials (RFC 6749, 4.4): one request however many calls wait for it, kept until
 * shortly before it expires, and fetched anew in the background while it still holds.
 */
import * as oauth from "oauth4webapi";
import type { OAuth2Credentials } from "../config/agent-access.ts";
import { abortable } from "../lib/abortable.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Redactor } from "./redact.ts";
import type { TokenFetch } from "./token-fetch.ts";

export interface TokenSourceOptions {
  /** The agent's name, for errors. */
  readonly agent: string;
  readonly credentials: OAuth2Credentials;
  /** For one request to the authorization server, ms. */
  readonly timeout: number;
  readonly fetch: TokenFetch;
  readonly redact: Redactor;
  readonly now: () => number;
}

interface Token {
  readonly value: string;
  readonly obtainedAt: number;
  /** From then on another is fetched; the token holds a little longer. */
  readonly refreshAt: number;
  readonly expiresAt: number;
}

/** How long before its end a token is replaced, ms; half its life where that is shorter. */
const EARLY = 60_000;
/** A refused token that is younger is not replaced: the vendor does not want the caller, not the token. */
const MIN_AGE = 5_000;
/** After a refresh that failed while the token still holds, ms. */
const RETRY_AFTER = 5_000;

export class TokenSource {
  readonly #options: TokenSourceOptions;
  #token: Token | undefined;
  #fetching: Promise<Token> | undefined;
  #notBefore = 0;
  #server: oauth.AuthorizationServer | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  /** Rejects with an A2AError; an abort ends this caller's waiting, not the request that others wait for. */
  async get(signal: AbortSignal): Promise<string> {
    const { now } = this.#options;
    const token = this.#token;
    if (!token || token.expiresAt <= now()) return (await abortable(this.#fetch(), signal)).value;
    if (token.refreshAt <= now() && this.#notBefore <= now()) {
      this.#fetch().catch(() => {
        this.#notBefore = now() + RETRY_AFTER;
      });
    }
    return token.value;
  }

  /** The vendor has refused this token. True: `get` will give another. */
  refuse(value: string): boolean {
    const token = this.#token;
    if (token?.value !== value) return true;
    if (this.#options.now() - token.obtainedAt < MIN_AGE) return false;
    this.#token = undefined;
    return true;
  }

  #fetch(): Promise<Token> {
    this.#fetching ??= this.#request().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #request(): Promise<Token> {
    const { credentials, timeout, redact, now, agent, fetch } = this.#options;
    const { clientId, clientSecret, clientAuth, scope, audience } = credentials;
    const signal = AbortSignal.timeout(timeout);
    const authenticate =
      clientAuth === "client_secret_post" ? oauth.ClientSecretPost : oauth.ClientSecretBasic;
    const parameters = { ...(scope && { scope }), ...(audience && { audience }) };
    const client = { client_id: clientId };
    try {
      const server = await this.#discover(signal);
      const answer = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        authenticate(clientSecret),
        parameters,
        // The configuration takes http:// only on this machine.
        { signal, [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetch },
      );
      const { access_token: value, expires_in } = await oauth.processClientCredentialsResponse(
        server,
        client,
        answer,
      );
      redact.learn(value);
      const life = (expires_in ?? Number.POSITIVE_INFINITY) * 1000;
      const obtainedAt = now();
      const expiresAt = obtainedAt + life;
      this.#token = { value, obtainedAt, expiresAt, refreshAt: expiresAt - Math.min(EARLY, life / 2) };
      return this.#token;
    } catch (cause) {
      throw tokenError(cause, agent, redact);
    }
  }

  async #discover(signal: AbortSignal): Promise<oauth.AuthorizationServer> {
    const { credentials, fetch } = this.#options;
    const { tokenUrl, issuer = "" } = credentials;
    if (tokenUrl !== undefined) return { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
    if (this.#server) return this.#server;
    const options = { signal, [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetch };
    const url = new URL(issuer);
    const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options));
    requireSecure(server.token_endpoint, url);
    return (this.#server = server);
  }
}

/** An issuer that is asked over https may not have the secret sent in the clear, nor to this machine. */
function requireSecure(endpoint: string | undefined, issuer: URL): void {
  const protocol = URL.parse(endpoint ?? "")?.protocol;
  if (protocol === "https:" || issuer.protocol === "http:") return;
  throw new Error("the issuer names no token endpoint with https");
}

/** Says what the server said, and nothing of what it was sent. */
function tokenError(cause: unknown, agent: string, redact: Redactor): A2AError {
  const data = { agent, stage: "token" };
  if (cause instanceof oauth.ResponseBodyError) {
    const { error, error_description: description, status } = cause;
    const why = description === undefined ? error : `${error}: ${description}`;
    const message = redact(`The authorization server gave no token for the agent ${agent} (${why})`);
    return new A2AError("agent-unavailable", { message, data: { ...data, status, cause: redact(error) } });
  }
  if (cause instanceof oauth.OperationProcessingError && cause.cause instanceof Response) {
    const { status } = cause.cause;
    const message = `The authorization server gave no token for the agent ${agent} (HTTP ${status})`;
    return new A2AError("agent-unavailable", { message, data: { ...data, status } });
  }
  const why = cause instanceof Error ? redact(reasonOf(cause)) : "unknown reason";
  const message = `The authorization server could not be asked for a token for the agent ${agent} (${why})`;
  return new A2AError("agent-unavailable", { message, data });
}

/** A code such as ECONNREFUSED, where fetch hides one in its cause. */
function reasonOf(error: Error): string {
  const { cause } = error;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return error.message;
}
