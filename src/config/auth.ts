/** Who may call, as the configuration says it. What each part means: docs/security.md. */

/** What a caller may do. What is not named is not restricted; of several grants, one has to cover the call. */
export interface Grant {
  /** Names of agents. */
  readonly agents?: readonly string[];
  /** A2A method names (§3.5.6), or the beginning of some: `tasks/*`. */
  readonly methods?: readonly string[];
  /** Ids of skills, one of which every message has to name in its metadata; see `AuthConfig.skillKey`. */
  readonly skills?: readonly string[];
}

export const DEFAULT_SKILL_KEY = "skillId";

export interface ApiKeysConfig {
  /** Request header that carries the key. */
  readonly header: string;
  /** Query parameter that may carry it instead. */
  readonly query?: string;
  /** Whether `Authorization: Bearer` may carry it instead. */
  readonly bearer: boolean;
  /** By the name of the caller; `hash` as `a2a-proxy key new` prints it. */
  readonly keys: Readonly<Record<string, Grant & { readonly hash: string }>>;
}

export interface OidcConfig {
  readonly issuer: string;
  /** One of them has to be in the token's `aud`. */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  /** How far the issuer's clock may be off, ms. */
  readonly clockSkew: number;
  /** The claim that tells callers apart. */
  readonly principal: string;
  /** Absent: whoever has a token of the issuer may do everything. */
  readonly grants?: readonly (Grant & { readonly claim: string; readonly value: string })[];
}

export type CertificateName = "subject" | "cn" | "uri" | "dns" | "email";

export interface MtlsConfig {
  /** What of the certificate tells callers apart. */
  readonly principal: CertificateName;
  /** Absent: whoever has a certificate of the CA may do everything. */
  readonly grants?: readonly (Grant & { readonly principal: string })[];
}

/** At least one of the schemes is there; a caller needs one of those that are. */
export interface AuthConfig {
  readonly publicCard: boolean;
  /** The key of `message.metadata`, or of the params' `metadata`, in which a message names a skill. */
  readonly skillKey: string;
  readonly apiKeys?: ApiKeysConfig;
  readonly oidc?: readonly OidcConfig[];
  readonly mtls?: MtlsConfig;
}

export interface TlsConfig {
  /** PEM file: the certificate, and what links it to its root. */
  readonly cert: string;
  readonly key: string;
  /** PEM file of the CAs whose client certificates are accepted. */
  readonly clientCa?: string;
  /** Connections without such a certificate are refused. */
  readonly requireClientCert: boolean;
  /** How often the files are looked at for a change, ms. */
  readonly reload: number;
}

export interface RateLimits {
  /** Calls of one caller to one agent within `per`. */
  readonly calls?: number;
  /** ms. */
  readonly per: number;
  /** Open streams of one caller, over all agents. */
  readonly streams?: number;
  /** Requests from one address with invalid credentials, within `per`; 0: any number. */
  readonly failedLogins?: number;
}
