/** How the proxy shows one vendor who it is, as the configuration says it. What each part does: docs/configuration.md. */
import type { Credentials } from "./config.ts";

/** A token got by client id and secret (RFC 6749, 4.4). */
export interface OAuth2Credentials {
  readonly type: "oauth2";
  /** Either this or `issuer`, whose discovery document names it. */
  readonly tokenUrl?: string;
  readonly issuer?: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientAuth: "client_secret_basic" | "client_secret_post";
  readonly scope?: string;
  readonly audience?: string;
  /** Whether the agent's `tls` is for the authorization server too; absent: where it is at the agent's host. */
  readonly tls?: boolean;
}

/** PEM files; those that change count from the next connection. */
export interface AgentTls {
  /** The certificate that the proxy shows, and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** Replaces the CAs that the system trusts. */
  readonly ca?: string;
  /** The name that the vendor's certificate has to have, where it is not the URL's host. */
  readonly serverName?: string;
}

/** What of an agent's configuration can change while the proxy runs, because files hold it. */
export interface LiveSecrets {
  readonly files: readonly string[];
  /** As the files are now; throws where one cannot be read or holds what may not be there. */
  readonly read: () => {
    readonly credentials: Credentials;
    readonly headers: Readonly<Record<string, string>> | undefined;
    readonly secrets: readonly string[];
  };
}
