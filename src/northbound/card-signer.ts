/** Signs what the proxy serves in the vendor's place (§5.5.6); the vendor's own signatures do not survive the change. */
import { createPublicKey } from "node:crypto";
import { FlattenedSign, type JWK } from "jose";
import type { CardSigningConfig } from "../config/cards.ts";
import { cardPayload, sparseCardPayload } from "../protocol/card-payload.ts";

interface Signature {
  readonly protected: string;
  readonly signature: string;
}

export interface CardSigner {
  /** The public key, as the JWKS shows it. */
  readonly publicKey: JWK;
  /**
   * The card with a signature over the whole of it, and one over each of its readings: what is left of it at a reader that
   * leaves out what it does not know, and then what is empty.
   */
  sign<Card extends object>(
    card: Card,
    readings?: readonly object[],
  ): Promise<Card & { signatures: Signature[] }>;
}

/** @param publicUrl the proxy's; its JWKS has the key, unless the configuration says otherwise */
export function createCardSigner({ key, alg, kid, jku }: CardSigningConfig, publicUrl: string): CardSigner {
  const head = { alg, typ: "JOSE", kid, jku: jku ?? `${publicUrl}/.well-known/jwks.json` };
  const signatureOf = async (payload: Uint8Array): Promise<Signature> => {
    const jws = await new FlattenedSign(payload).setProtectedHeader(head).sign(key);
    return { protected: jws.protected ?? "", signature: jws.signature };
  };
  return {
    publicKey: { ...createPublicKey(key).export({ format: "jwk" }), kid, alg, use: "sig" },
    sign: async (card, readings = []) => {
      const payloads = [cardPayload(card), ...readings.map(sparseCardPayload)];
      const distinct = new Map(payloads.map((payload) => [Buffer.from(payload).toString("base64"), payload]));
      return { ...card, signatures: await Promise.all([...distinct.values()].map(signatureOf)) };
    },
  };
}
