/** What an agent's requests carry at this moment: credentials as configured, as files hold them now, or a token. */
import { stat } from "node:fs/promises";
import type { Logger } from "pino";
import type { OAuth2Credentials } from "../config/agent-access.ts";
import type { AgentConfig, Credentials } from "../config/config.ts";
import { authorizationOf, lowerCase, type Authorization } from "./credentials.ts";
import { fileMark } from "./file-mark.ts";
import type { Redactor } from "./redact.ts";
import type { LiveTls, TlsIdentity } from "./tls.ts";
import { createTlsFetch, plainFetch, type TokenFetch } from "./token-fetch.ts";
import { TokenSource } from "./token-source.ts";

export interface AuthorizerOptions extends Pick<AgentConfig, "credentials" | "headers" | "liveSecrets"> {
  /** The agent's name, for errors. */
  readonly agent: string;
  /** Of the agent; tells which authorization servers are reached with its `tls`. */
  readonly url?: string;
  readonly tls?: LiveTls | undefined;
  readonly timeouts: Pick<AgentConfig["timeouts"], "connect" | "request">;
  readonly redact: Redactor;
  readonly log?: Logger;
  readonly now?: () => number;
}

export interface Authorizer {
  /** Rejects with an A2AError if no token is available. */
  authorize(signal: AbortSignal): Promise<Authorization>;
  /** The vendor has answered 401. True: `authorize` gives something else now, with which to try once more. */
  refused(authorization: Authorization): boolean;
}

export const createAuthorizer = (options: AuthorizerOptions): Authorizer => new AgentAuthorizer(options);

class AgentAuthorizer implements Authorizer {
  readonly #options: AuthorizerOptions;
  #credentials: Credentials;
  #headers: Readonly<Record<string, string>>;
  #tokens: TokenSource | undefined;
  /** What the files looked like when they were last read. */
  #seen: string | undefined;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
    this.#headers = lowerCase(options.headers);
    this.#tokens = this.#tokenSource();
  }

  async authorize(signal: AbortSignal): Promise<Authorization> {
    if (this.#options.liveSecrets) await this.#reread(this.#options.liveSecrets);
    const token = await this.#tokens?.get(signal);
    const credentials = this.#credentials;
    const { headers, query } = authorizationOf(
      credentials.type === "oauth2" ? { type: "bearer", token: token ?? "" } : credentials,
    );
    return { headers: { ...this.#headers, ...headers }, query };
  }

  refused({ headers }: Authorization): boolean {
    const token = headers["authorization"]?.slice("Bearer ".length);
    return token !== undefined && this.#tokens?.refuse(token) === true;
  }

  /** A file that cannot be read, or holds no credential, leaves what was in force. */
  async #reread({ files, read }: NonNullable<AgentConfig["liveSecrets"]>): Promise<void> {
    const { redact, log } = this.#options;
    const before = this.#seen;
    const seen = await marksOf(files);
    if (seen === before || this.#seen !== before) return;
    this.#seen = seen;
    try {
      const { credentials, headers, secrets } = read();
      for (const secret of secrets) redact.learn(secret);
      const isSame = JSON.stringify(credentials) === JSON.stringify(this.#credentials);
      this.#credentials = credentials;
      this.#headers = lowerCase(headers);
      if (!isSame) this.#tokens = this.#tokenSource();
    } catch {
      log?.warn({ files }, "a changed secret could not be read; the one before stays in force");
    }
  }

  #tokenSource(): TokenSource | undefined {
    const { agent, timeouts, redact, now = Date.now } = this.#options;
    const credentials = this.#credentials;
    if (credentials.type !== "oauth2") return undefined;
    const fetch = this.#fetchFor(credentials);
    return new TokenSource({ agent, credentials, timeout: timeouts.request, fetch, redact, now });
  }

  #fetchFor({ tokenUrl, issuer = "", tls: isAgents }: OAuth2Credentials): TokenFetch {
    const { url, tls, timeouts } = this.#options;
    if (!tls) return plainFetch;
    const isSameHost = url !== undefined && URL.parse(tokenUrl ?? issuer)?.host === new URL(url).host;
    if (isAgents ?? isSameHost) {
      // The name is of the agent's own certificate.
      const identity = isSameHost ? tls : withoutName(tls);
      return createTlsFetch(identity, timeouts.connect);
    }
    return plainFetch;
  }
}

/** The same object for as long as the other is. */
function withoutName(tls: LiveTls): LiveTls {
  let known: { readonly of: TlsIdentity; readonly bare: TlsIdentity } | undefined;
  return () => {
    const identity = tls();
    if (known?.of !== identity) {
      const { serverName: _name, ...bare } = identity;
      known = { of: identity, bare };
    }
    return known.bare;
  };
}

async function marksOf(files: readonly string[]): Promise<string> {
  const stats = files.map((file) => stat(file, { bigint: true }).catch(() => undefined));
  return (await Promise.all(stats)).map(fileMark).join();
}
