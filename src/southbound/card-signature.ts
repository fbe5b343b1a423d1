/**
 * Checks who signed a vendor's card (§5.5.6), against keys that the operator names. The `jku` of a signature is not
 * followed: whoever can change a card can name a key of his own.
 */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  flattenedVerify,
  type FlattenedJWSInput,
  type FlattenedVerifyGetKey,
} from "jose";
import { z } from "zod";
import type { CardSignatureConfig } from "../config/cards.ts";
import { readBounded } from "../net/bounded.ts";
import { CARD_ALGORITHMS, cardPayload, sparseCardPayload } from "../protocol/card-payload.ts";
import { A2AError } from "../protocol/errors.ts";

export interface CardVerifierOptions {
  /** The agent's name, for errors. */
  readonly agent: string;
  readonly config: CardSignatureConfig;
  /** For the keys, where they have to be fetched, ms. */
  readonly timeout: number;
}

/** Rejects with an A2AError that says why the card, as the vendor serves it, cannot be trusted. */
export type VerifyCard = (card: unknown) => Promise<void>;

const MAX_SIGNATURES = 10;
const MAX_JWKS_BYTES = 1024 * 1024;
const JWKS_BOUND = { limit: MAX_JWKS_BYTES, beyond: `the JWKS has more than ${MAX_JWKS_BYTES} bytes` };
const KEYS_AGE = 10 * 60_000;

const Signed = z.looseObject({
  signatures: z
    .array(
      z.looseObject({
        protected: z.string(),
        signature: z.string(),
        header: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .max(MAX_SIGNATURES)
    .nullish(),
});

export function createCardVerifier({ agent, config, timeout }: CardVerifierOptions): VerifyCard {
  const getKey = keysOf(config, timeout);
  const refusal = (reason: string, cause?: unknown): A2AError =>
    new A2AError("invalid-agent-response", {
      message: `The card of the agent ${agent} is not trusted: ${reason}`,
      data: { agent, stage: "card", reason },
      cause,
    });
  return async (card) => {
    const parsed = Signed.safeParse(card);
    if (!parsed.success) throw refusal("its signatures cannot be read", parsed.error);
    const signatures = parsed.data.signatures ?? [];
    if (signatures.length === 0) {
      if (config.required) throw refusal("it is not signed");
      return;
    }
    const payloads = [cardPayload(parsed.data), sparseCardPayload(parsed.data)];
    let failure: unknown;
    for (const { protected: head, signature, header } of signatures) {
      for (const payload of payloads) {
        try {
          const jws = { protected: head, signature, payload: Buffer.from(payload).toString("base64url") };
          await verify(header ? { ...jws, header } : jws, getKey);
          return;
        } catch (thrown) {
          failure ??= thrown;
        }
      }
    }
    throw refusal(reasonOf(failure), failure);
  };
}

/** A key without an id may be one of several that fit. */
async function verify(jws: FlattenedJWSInput, getKey: FlattenedVerifyGetKey): Promise<void> {
  const options = { algorithms: [...CARD_ALGORITHMS] };
  try {
    await flattenedVerify(jws, getKey, options);
  } catch (thrown) {
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) throw thrown;
    for await (const key of thrown) {
      const verified = await flattenedVerify(jws, key, options).catch(() => undefined);
      if (verified) return;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function keysOf({ keys, jwksUrl }: CardSignatureConfig, timeout: number): FlattenedVerifyGetKey {
  if (keys) return createLocalJWKSet(structuredClone(keys));
  if (jwksUrl === undefined) throw new TypeError("neither keys nor jwksUrl");
  return createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: timeout,
    cacheMaxAge: KEYS_AGE,
    [customFetch]: async (url, options) => {
      const response = await fetch(url, options);
      return new Response(await readBounded(response, JWKS_BOUND), { status: response.status });
    },
  });
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof errors.JWSSignatureVerificationFailed) {
    return "no signature fits its content and the keys";
  }
  if (thrown instanceof errors.JWKSNoMatchingKey) return "it is signed with a key that is not configured";
  if (thrown instanceof errors.JWKSTimeout) return "the keys could not be fetched in time";
  if (thrown instanceof errors.JOSEAlgNotAllowed)
    return "it is signed with an algorithm that is not accepted";
  if (thrown instanceof errors.JWSInvalid || thrown instanceof errors.JOSENotSupported) {
    return "its signatures cannot be read";
  }
  return "its signatures could not be checked, because the keys cannot be had";
}
