/** Signs what the proxy serves in the vendor's place (§5.5.6); the vendor's own signatures do not survive the change. */
import { createPublicKey } from "node:crypto";
import { FlattenedSign, type JWK } from "jose";
import type { CardSigningConfig } from "../config/cards.ts";
import type { AgentCard } from "../protocol/card.ts";
import { cardPayload } from "../protocol/card-payload.ts";

export interface CardSigner {
  /** The public key, as the JWKS shows it. */
  readonly publicKey: JWK;
  /** The card with one signature. */
  sign(card: AgentCard): Promise<AgentCard>;
}

/** @param publicUrl the proxy's; its JWKS has the key, unless the configuration says otherwise */
export function createCardSigner({ key, alg, kid, jku }: CardSigningConfig, publicUrl: string): CardSigner {
  const head = { alg, typ: "JOSE", kid, jku: jku ?? `${publicUrl}/.well-known/jwks.json` };
  return {
    publicKey: { ...createPublicKey(key).export({ format: "jwk" }), kid, alg, use: "sig" },
    sign: async (card) => {
      const jws = await new FlattenedSign(cardPayload(card)).setProtectedHeader(head).sign(key);
      return { ...card, signatures: [{ protected: jws.protected ?? "", signature: jws.signature }] };
    },
  };
}
