/** The sections of `config.yaml` that say who may call: `auth`, `server.tls`, `rateLimits`. */
import { z } from "zod";
import { DEFAULT_SKILL_KEY } from "./auth.ts";
import { METHOD_NAMES } from "../protocol/methods.ts";
import { headerName } from "./header-name.ts";
import { count, duration } from "./units.ts";
import { httpUrl, isLoopback } from "./urls.ts";

const text = () => z.string().min(1);

const METHOD_HINT =
  "must be a method of A2A, such as `message/send`, or the beginning of some, such as `tasks/*`";

const isMethodPattern = (pattern: string): boolean =>
  pattern.endsWith("/*")
    ? METHOD_NAMES.some((name) => name.startsWith(pattern.slice(0, -1)))
    : METHOD_NAMES.includes(pattern);

const grant = {
  agents: z.array(text()).min(1).exactOptional().meta({
    description: "The agents that may be called; absent: all.",
    kind: "list of names",
  }),
  methods: z
    .array(z.string().refine(isMethodPattern, { error: METHOD_HINT }))
    .min(1)
    .exactOptional()
    .meta({
      description: "The methods that may be called, as in `message/send` or `tasks/*`; absent: all.",
      kind: "list of methods",
    }),
  skills: z
    .array(text())
    .min(1)
    .exactOptional()
    .meta({
      description:
        "Ids of the skills that messages may be for: each then has to name one of them in its metadata, see " +
        "`auth.skillKey`; absent: all, and none has to be named.",
      kind: "list of ids",
    }),
};

const ApiKeySchema = z.strictObject({
  hash: z
    .string()
    .regex(/^sha256:[\w-]{43}$/, { error: "must be a hash as `a2a-proxy key new` prints it" })
    .meta({ description: "The hash that `a2a-proxy key new` prints beside the key." }),
  ...grant,
});

export const DEFAULT_KEY_HEADER = "X-API-Key";

const ApiKeysSchema = z.strictObject({
  header: headerName()
    .refine((name) => name.toLowerCase() !== "authorization", {
      error: "cannot be Authorization: set `bearer: true` instead",
    })
    .prefault(DEFAULT_KEY_HEADER)
    .meta({ description: "The header that carries the key.", defaultsTo: "X-API-Key" }),
  query: text()
    .exactOptional()
    .meta({
      description:
        "A query parameter that may carry the key instead. URLs are logged in many places: use it only for clients " +
        "that can do nothing else.",
    }),
  bearer: z
    .boolean()
    .prefault(false)
    .meta({ description: "Also take a key from `Authorization: Bearer`.", defaultsTo: "false" }),
  keys: z
    .record(text(), ApiKeySchema)
    .refine((keys) => Object.keys(keys).length > 0, { error: "must name at least one key" })
    .meta({
      description:
        "The keys, by the name of the caller; see [auth.apiKeys.keys.NAME](#authapikeyskeysname). A name owns the " +
        "tasks made under it, and keeps them when its hash is replaced.",
    }),
});

const RSA = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] as const;
const ALGORITHMS = [...RSA, "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const;

const OidcSchema = z.strictObject({
  issuer: httpUrl()
    .refine((url) => url.startsWith("https://") || isLoopback(url), {
      error: "must be https://, or on this machine",
    })
    .meta({
      description:
        "As in the tokens' `iss`. Its `/.well-known/openid-configuration` names its keys, which are fetched when the " +
        "first token comes, kept, and fetched anew when a token is signed with a key that is not among them.",
    }),
  audience: z
    .union([text().transform((name) => [name]), z.array(text()).min(1)], {
      error: "must be text or a list of texts",
    })
    .meta({
      description: "What the tokens are for; one of these has to be in `aud`.",
      kind: "text or list of texts",
    }),
  algorithms: z.array(z.enum(ALGORITHMS)).min(1).prefault(["RS256", "PS256", "ES256", "EdDSA"]).meta({
    description: "Signature algorithms that are accepted; only asymmetric ones can be named.",
    defaultsTo: "[RS256, PS256, ES256, EdDSA]",
  }),
  clockSkew: duration({ max: 300_000 }).prefault("30s").meta({
    description: "How far the issuer's clock may be off; at most 5m.",
    defaultsTo: "30s",
  }),
  principal: text().prefault("sub").meta({
    description: "The claim that tells callers apart.",
    defaultsTo: "sub",
  }),
  grants: z
    .array(
      z.strictObject({
        claim: text().meta({ description: "Name of a claim." }),
        value: text().meta({
          description: "What the claim is, or holds as a list or as words separated by spaces.",
        }),
        ...grant,
      }),
    )
    .min(1)
    .exactOptional()
    .meta({
      description:
        "What tokens with certain claims may do; see [auth.oidc[].grants[]](#authoidcgrants). Absent: everything.",
    }),
});

const MtlsSchema = z.strictObject({
  principal: z.enum(["subject", "cn", "uri", "dns", "email"]).prefault("subject").meta({
    description:
      "What tells callers apart: the certificate's whole subject, its common name, or its only alternative name of a kind.",
    defaultsTo: "subject",
  }),
  grants: z
    .array(
      z.strictObject({
        principal: text().meta({
          description: "The caller, as `principal` finds it in the certificate, as in `O=Acme,CN=ci`.",
        }),
        ...grant,
      }),
    )
    .min(1)
    .exactOptional()
    .meta({
      description:
        "What certain callers may do; see [auth.mtls.grants[]](#authmtlsgrants). Absent: everything.",
    }),
});

export const AuthSchemes = z
  .strictObject({
    publicCard: z.boolean().prefault(true).meta({
      description: "Whether an agent's card is served without credentials.",
      defaultsTo: "true",
    }),
    skillKey: text()
      .prefault(DEFAULT_SKILL_KEY)
      .meta({
        description:
          "The key of `message.metadata`, or of the `metadata` beside `message`, in which a caller with a grant for " +
          "`skills` names one; see [security.md](security.md#skills).",
        defaultsTo: DEFAULT_SKILL_KEY,
      }),
    apiKeys: ApiKeysSchema.exactOptional().meta({
      description: "API keys; see [auth.apiKeys](#authapikeys).",
    }),
    oidc: z.array(OidcSchema).min(1).exactOptional().meta({
      description: "JWTs of OpenID Connect issuers; see [auth.oidc[]](#authoidc).",
    }),
    mtls: MtlsSchema.exactOptional().meta({
      description: "Client certificates; needs `server.tls.clientCa`; see [auth.mtls](#authmtls).",
    }),
  })
  .refine(({ apiKeys, oidc, mtls }) => apiKeys !== undefined || oidc !== undefined || mtls !== undefined, {
    error: "must have apiKeys, oidc or mtls, or be `none`",
  })
  .meta({
    description:
      "Who may call: a caller needs one of the schemes that are given. See [security.md](security.md).",
  });

export const AuthSchema = z.union([z.literal("none"), AuthSchemes], {
  error: "must be `none`, or have apiKeys, oidc or mtls",
});

const file = (description: string) => text().meta({ description, kind: "file" });

export const TlsSchema = z
  .strictObject({
    cert: file("PEM file: the certificate, and those that link it to its root."),
    key: file("PEM file: the private key."),
    clientCa: text().exactOptional().meta({
      description: "PEM file: the CAs whose client certificates are accepted.",
      kind: "file",
    }),
    requireClientCert: z.boolean().prefault(false).meta({
      description: "Refuse connections without a certificate of `clientCa`, whatever else they show.",
      defaultsTo: "false",
    }),
    reload: duration({ min: 10 }).prefault("30s").meta({
      description: "How often the files are looked at for a change.",
      defaultsTo: "30s",
    }),
  })
  .refine(({ requireClientCert, clientCa }) => !requireClientCert || clientCa !== undefined, {
    error: "needs clientCa",
    path: ["requireClientCert"],
  });

export const RateLimitsSchema = z.strictObject({
  calls: count().exactOptional().meta({
    description:
      "Calls of one caller to one agent within `per`; beyond it HTTP 429. Without `auth` all are one caller. Absent: no limit.",
  }),
  per: duration({ min: 1_000 }).prefault("1m").meta({
    description: "The window that `calls` and `failedLogins` count in.",
    defaultsTo: "1m",
  }),
  failedLogins: count({ min: 0 })
    .prefault(100)
    .meta({
      description:
        "Requests from one address with invalid credentials, within `per`; beyond it HTTP 429 in place of 401. " +
        "0: no limit. Behind a reverse proxy, `server.trustProxy` tells the addresses apart.",
      defaultsTo: "100",
    }),
  streams: count().exactOptional().meta({
    description: "Open streams of one caller, over all agents; beyond it HTTP 429. Absent: no limit.",
  }),
});
