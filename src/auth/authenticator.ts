/**
 * Who sends a request. A caller needs one of the configured schemes. What a request shows on purpose comes before what
 * its connection brings along: a wrong key or token is refused even where the certificate is right.
 */
import type { AuthConfig } from "../config/auth.ts";
import { A2AError } from "../protocol/errors.ts";
import { ApiKeys } from "./api-key.ts";
import type { FailedLogins } from "./failed-logins.ts";
import { ClientCertificates } from "./client-certificate.ts";
import { OidcTokens } from "./oidc.ts";
import type { Principal } from "./principal.ts";
import { Refusal, type Presented, type Scheme } from "./scheme.ts";

export class Authenticator {
  readonly schemes: readonly Scheme[];
  readonly #failed: FailedLogins;

  constructor({ apiKeys, oidc, mtls }: AuthConfig, failed: FailedLogins) {
    this.#failed = failed;
    this.schemes = [
      ...(apiKeys ? [new ApiKeys(apiKeys)] : []),
      ...(oidc ? [new OidcTokens(oidc)] : []),
      ...(mtls ? [new ClientCertificates(mtls)] : []),
    ];
  }

  /** Rejects with `unauthenticated`, which brings its `WWW-Authenticate`, or `too-many-requests`. */
  async identify(presented: Presented): Promise<Principal> {
    for (const scheme of this.schemes) {
      try {
        const principal = await scheme.identify(presented);
        if (principal !== undefined) return principal;
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        await this.#failed.count(presented);
        throw this.#unauthenticated({ scheme, reason: thrown.message });
      }
    }
    throw this.#unauthenticated();
  }

  #unauthenticated(refused?: { readonly scheme: Scheme; readonly reason: string }): A2AError {
    const challenges = this.schemes.flatMap((scheme) =>
      scheme.challenges(scheme === refused?.scheme ? refused.reason : undefined),
    );
    return new A2AError("unauthenticated", {
      headers: { "WWW-Authenticate": [...new Set(challenges)].join(", ") },
      data: refused && { reason: refused.reason },
    });
  }
}
