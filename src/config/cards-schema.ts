/** The parts of `config.yaml` about cards: `cardSignature`, `cardOverlay`, `extendedCard`, `server.cardSigning`. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { FlattenedSign, createLocalJWKSet, type JSONWebKeySet } from "jose";
import { z } from "zod";
import { CARD_ALGORITHMS } from "../protocol/card-payload.ts";
import { httpUrl } from "./urls.ts";

const text = () => z.string().min(1);

const KEYS_HINT = "must be a JWKS (`{keys: […]}`) or one public JWK, as a mapping or as JSON text";
const KEY_HINT = "must be a private key: PEM, or a JWK as a mapping or as JSON text";

const Jwk = z.looseObject({ kty: z.string() });
const JwkSet = z.looseObject({ keys: z.array(Jwk).min(1) });

const mapping = () => z.record(z.string(), z.unknown());

/** The value that JSON text stands for; text that is no JSON stays. */
function fromJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function jwksOf(value: unknown): JSONWebKeySet | undefined {
  const json = fromJson(value);
  const one = Jwk.safeParse(json);
  const set = JwkSet.safeParse(one.success ? { keys: [one.data] } : json);
  if (!set.success) return undefined;
  try {
    createLocalJWKSet(set.data);
    return set.data;
  } catch {
    return undefined;
  }
}

function privateKeyOf(value: unknown): KeyObject | undefined {
  const json = fromJson(value);
  try {
    if (typeof json === "string") return createPrivateKey(json);
    return createPrivateKey({ key: Jwk.parse(json), format: "jwk" });
  } catch {
    return undefined;
  }
}

/** Mapped to what `read` makes of it; undefined is a fault. */
const readAs = <T extends object>(read: (value: unknown) => T | undefined, error: string) =>
  z.union([text(), mapping()], { error }).transform((value, context) => {
    const result = read(value);
    if (result) return result;
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });

export const CardSignatureSchema = z
  .strictObject({
    keys: readAs(jwksOf, KEYS_HINT).exactOptional().meta({
      description: "The keys that may have signed, as a JWKS: `${file:…}`, or written here.",
      kind: "JWKS",
    }),
    jwksUrl: httpUrl().exactOptional().meta({
      description: "Where the keys are, as a JWKS; fetched when a card is, and kept for ten minutes.",
    }),
    required: z.boolean().prefault(true).meta({
      description:
        "Refuse a card without a signature too; one with a wrong signature is refused in any case.",
      defaultsTo: "true",
    }),
  })
  .refine(({ keys, jwksUrl }) => (keys === undefined) !== (jwksUrl === undefined), {
    error: "must have either keys or jwksUrl",
  });

const SkillsSchema = z
  .strictObject({
    include: z.array(text()).min(1).exactOptional(),
    exclude: z.array(text()).exactOptional(),
  })
  .transform(({ include, exclude }, context) => {
    if (include && !exclude) return { include };
    if (exclude && !include) return { exclude };
    context.addIssue({ code: "custom", message: "must have either include or exclude" });
    return z.NEVER;
  });

const modes = (description: string) =>
  z.array(text()).min(1).exactOptional().meta({ description, kind: "list of media types" });

export const CardOverlaySchema = z.strictObject({
  name: text().exactOptional().meta({ description: "The agent's name." }),
  description: text().exactOptional().meta({ description: "What the agent does." }),
  iconUrl: httpUrl().exactOptional().meta({ description: "The agent's icon." }),
  documentationUrl: httpUrl().exactOptional().meta({ description: "The agent's documentation." }),
  provider: z
    .strictObject({ organization: text(), url: httpUrl() })
    .exactOptional()
    .meta({ description: "Who offers the agent.", kind: "`{organization, url}`" }),
  skills: SkillsSchema.exactOptional().meta({
    description:
      "Ids of the only skills that the card shows, or of those that it does not. A skill that is not shown can still " +
      "be asked for.",
    kind: "`{include: […]}` or `{exclude: […]}`",
  }),
  defaultInputModes: modes("Media types that the agent takes."),
  defaultOutputModes: modes("Media types that the agent answers with."),
});

export const ExtendedCardSchema = z.strictObject({
  public: z.boolean().prefault(false).meta({
    description: "Show the extended card to callers without credentials too.",
    defaultsTo: "false",
  }),
  overlay: CardOverlaySchema.exactOptional().meta({
    description:
      "As `cardOverlay`, key by key on top of it. Where the vendor has no extended card, its public card with this " +
      "is one.",
  }),
});

/** The surest way to tell whether a key is for an algorithm is to sign. */
async function canSign({ key, alg }: { key: KeyObject; alg: string }): Promise<boolean> {
  try {
    await new FlattenedSign(new Uint8Array()).setProtectedHeader({ alg }).sign(key);
    return true;
  } catch {
    return false;
  }
}

export const CardSigningSchema = z
  .strictObject({
    key: readAs(privateKeyOf, KEY_HINT).meta({
      description: "The private key: PEM or JWK, as in `${file:/run/secrets/card-key.pem}`.",
      kind: "PEM or JWK",
    }),
    alg: z.enum(CARD_ALGORITHMS).meta({ description: "The signature algorithm." }),
    kid: text().meta({ description: "The key's id, in the signatures and in the JWKS." }),
    jku: httpUrl().exactOptional().meta({
      description: "Where verifiers find the public key. By default `/.well-known/jwks.json` of the proxy.",
    }),
  })
  .refine(canSign, { error: "is no key for this alg", path: ["key"] });
