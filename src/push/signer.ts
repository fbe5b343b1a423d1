/**
 * Signs notifications with the operator's key, so that a webhook can tell that they are the proxy's and unaltered
 * (§9.5 leaves the means open). `request_body_sha256` is the name that servers of the 0.1 era gave the claim.
 */
import { createHash, createPublicKey, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, importPKCS8, SignJWT, type JWK } from "jose";
import type { PushSigning } from "../config/push.ts";

/** Seconds that a signature is good for; every attempt is signed anew. */
const LIFETIME = 300;

export interface Signer {
  /** The public key, as the JWKS shows it. */
  readonly publicKey: JWK;
  /** A compact JWT over one notification. */
  sign(notification: SignedNotification): Promise<string>;
}

interface SignedNotification {
  /** Origin of the webhook. */
  readonly audience: string;
  readonly taskId: string;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** @param issuer the proxy's public URL; rejects where the key is none, or none for the algorithm */
export async function createSigner({ algorithm, key, keyId }: PushSigning, issuer: string): Promise<Signer> {
  try {
    const privateKey = await importPKCS8(key, algorithm);
    const exported = await exportJWK(createPublicKey(key));
    const kid = keyId ?? (await calculateJwkThumbprint(exported));
    return {
      publicKey: { ...exported, kid, alg: algorithm, use: "sig" },
      sign: ({ audience, taskId, body, now }) => {
        const issuedAt = Math.floor(now / 1000);
        const digest = createHash("sha256").update(body).digest("hex");
        return new SignJWT({ task_id: taskId, request_body_sha256: digest })
          .setProtectedHeader({ alg: algorithm, kid, typ: "JWT" })
          .setIssuer(issuer)
          .setAudience(audience)
          .setIssuedAt(issuedAt)
          .setExpirationTime(issuedAt + LIFETIME)
          .setJti(randomUUID())
          .sign(privateKey);
      },
    };
  } catch (cause) {
    throw new Error(`push.jwt.key: is no PKCS#8 private key for ${algorithm}`, { cause });
  }
}
