/** What all schemes of authentication have in common, whatever the transport. */
import type { X509Certificate } from "node:crypto";
import type { SecurityScheme } from "../protocol/card.ts";
import type { Principal } from "./principal.ts";

/** What a request shows of its sender. A transport without a query leaves it empty. */
export interface Presented {
  /** Header or metadata names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: URLSearchParams;
  /** Of the other end of the connection. */
  readonly address: string | undefined;
  /** Only a certificate that has been verified against the client CAs. */
  readonly certificate: X509Certificate | undefined;
}

export type DeclaredScheme = SecurityScheme & Readonly<Record<string, string>>;

export interface Scheme {
  /**
   * Undefined where the request shows nothing that is for this scheme. Rejects with a Refusal where it does and it is
   * no good, and with an A2AError where that cannot be found out.
   */
  identify(presented: Presented): Promise<Principal | undefined>;
  /** For `WWW-Authenticate`; `refused` says why the credentials are invalid. */
  challenges(refused?: string): readonly string[];
  /** As the card declares it (§5.5.3): each of these alone is enough. */
  readonly declared: Readonly<Record<string, DeclaredScheme>>;
}

/** The credentials are invalid. The message goes to the caller: it holds nothing of what was shown. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

export const REALM = 'realm="a2a-proxy"';

const TOKEN = /^Bearer +([\w.~+/-]+=*) *$/i;

/** The token of `Authorization: Bearer` (RFC 6750 §2.1). */
export function bearerToken({ headers }: Presented): string | undefined {
  const { authorization } = headers;
  return typeof authorization === "string" ? TOKEN.exec(authorization)?.[1] : undefined;
}

/** RFC 6750 §3: a challenge says what is wrong with a token only where there was one. */
export const bearerChallenge = (refused?: string): string =>
  refused === undefined
    ? `Bearer ${REALM}`
    : `Bearer ${REALM}, error="invalid_token", error_description="${refused}"`;
