/** JWTs of OpenID Connect issuers, as bearer tokens: signature, issuer, audience and time are all checked. */
import { decodeJwt, errors, jwtVerify, type JWTPayload } from "jose";
import type { OidcConfig } from "../config/auth.ts";
import { A2AError } from "../protocol/errors.ts";
import { discoveryUrl, IssuerKeys, unavailable, type IssuerKeysOptions } from "./issuer-keys.ts";
import { EVERYTHING, type Principal } from "./principal.ts";
import {
  Refusal,
  bearerChallenge,
  bearerToken,
  type DeclaredScheme,
  type Presented,
  type Scheme,
} from "./scheme.ts";

interface Issuer {
  readonly config: OidcConfig;
  readonly keys: IssuerKeys;
}

const DEFAULTS: IssuerKeysOptions = { cooldown: 30_000, now: () => Date.now() };

export class OidcTokens implements Scheme {
  readonly declared: Readonly<Record<string, DeclaredScheme>>;
  readonly #issuers: ReadonlyMap<string, readonly Issuer[]>;

  constructor(configs: readonly OidcConfig[], options: IssuerKeysOptions = DEFAULTS) {
    const issuers = configs.map((config) => ({ config, keys: new IssuerKeys(config.issuer, options) }));
    this.#issuers = Map.groupBy(issuers, ({ config }) => config.issuer);
    this.declared = Object.fromEntries(
      [...this.#issuers.keys()].map((issuer, index) => [
        index === 0 ? "oidc" : `oidc${index + 1}`,
        { type: "openIdConnect", openIdConnectUrl: discoveryUrl(issuer) },
      ]),
    );
  }

  async identify(presented: Presented): Promise<Principal | undefined> {
    const token = bearerToken(presented);
    if (token === undefined) return undefined;
    let refusal: Refusal | undefined;
    // An issuer may be configured more than once, with an audience and grants for each.
    for (const { config, keys } of this.#issuers.get(claimedIssuer(token)) ?? []) {
      try {
        return principalOf(await verified(token, config, keys), config);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        refusal ??= thrown;
      }
    }
    throw refusal ?? new Refusal("the token is of an issuer that is not known");
  }

  challenges(refused?: string): readonly string[] {
    return [bearerChallenge(refused)];
  }
}

/** Not verified yet: it only tells whose keys to verify with. */
function claimedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    throw new Refusal("the token is no JWT");
  }
}

async function verified(token: string, config: OidcConfig, keys: IssuerKeys): Promise<JWTPayload> {
  const keySet = await keys.get();
  try {
    const { payload } = await jwtVerify(token, keySet, {
      issuer: config.issuer,
      audience: [...config.audience],
      algorithms: [...config.algorithms],
      clockTolerance: config.clockSkew / 1_000,
      requiredClaims: ["exp"],
    });
    return payload;
  } catch (thrown) {
    throw refusalOf(thrown);
  }
}

/** The last one is for a key set that is no JSON. */
const ISSUERS_FAULTS: ReadonlySet<string> = new Set([
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
  errors.JOSEError.code,
]);

/** What is wrong with the token, in words that hold nothing of it; or that its issuer could not be asked. */
function refusalOf(thrown: unknown): Refusal | A2AError {
  if (thrown instanceof A2AError) return thrown;
  if (thrown instanceof errors.JWTExpired) return new Refusal("the token has expired");
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    const claim = /^\w{1,32}$/.test(thrown.claim) ? thrown.claim : "?";
    return new Refusal(`the claim ${claim} of the token is missing or not as required`);
  }
  if (thrown instanceof errors.JOSEAlgNotAllowed) return new Refusal("the token's algorithm is not accepted");
  if (!(thrown instanceof errors.JOSEError) || ISSUERS_FAULTS.has(thrown.code)) return unavailable(thrown);
  return new Refusal("the token's signature cannot be verified");
}

function principalOf(payload: JWTPayload, { issuer, principal: claim, grants }: OidcConfig): Principal {
  const name = payload[claim];
  if (typeof name !== "string" || name === "")
    throw new Refusal(`the token has no text in the claim ${claim}`);
  return {
    // An issuer has no fragment: nothing another issuer says can make the same text.
    id: `${issuer}#${claim}=${name}`,
    scheme: "oidc",
    grants: grants?.filter((grant) => holds(payload[grant.claim], grant.value)) ?? EVERYTHING,
  };
}

/** A claim is one text, words with spaces between (`scope`, RFC 8693 §4.2), or a list. */
function holds(claim: unknown, value: string): boolean {
  if (typeof claim === "string") return claim === value || claim.split(" ").includes(value);
  return Array.isArray(claim) && claim.includes(value);
}
