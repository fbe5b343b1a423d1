/**
 * What a card's signatures are over (§5.5.6): the JCS form (RFC 8785) of the card without its `signatures`, as the
 * payload of a JWS (RFC 7515) that does not carry it.
 */
import canonicalize from "canonicalize";

/** Signature algorithms of cards; only asymmetric ones. */
export const CARD_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/** The JCS form of a JSON value: the same text for the same value, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  const json = canonicalize(value);
  if (json === undefined) throw new TypeError("the value has no JSON form");
  return json;
}

/** The card's payload, UTF-8. */
export function cardPayload(card: object): Uint8Array {
  return new TextEncoder().encode(canonicalJson(withoutSignatures(card)));
}

/**
 * The payload as the official SDKs make it: empty text, lists and objects are left out before, since a typed object
 * does not tell them from absent ones.
 */
export function sparseCardPayload(card: object): Uint8Array {
  return new TextEncoder().encode(canonicalJson(withoutEmpty(withoutSignatures(card)) ?? {}));
}

const withoutSignatures = (card: object): object =>
  Object.fromEntries(Object.entries(card).filter(([key]) => key !== "signatures"));

function withoutEmpty(value: unknown): unknown {
  if (value === "" || value === null) return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  const members = Object.entries(value)
    .map(([key, member]): [string, unknown] => [key, withoutEmpty(member)])
    .filter(([, member]) => member !== undefined);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
