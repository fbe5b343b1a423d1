/** The `push` section of `config.yaml`. Strict by default: https, port 443, public addresses. */
import { z } from "zod";
import type { PushSettings, VendorPush } from "./push.ts";
import { count, duration } from "./units.ts";
import { baseUrl } from "./urls.ts";

const flag = (fallback: boolean, description: string) =>
  z
    .boolean()
    .prefault(fallback)
    .meta({ description, defaultsTo: String(fallback) });
const time = (fallback: string, description: string) =>
  duration({ min: 1 }).prefault(fallback).meta({ description, defaultsTo: fallback });
const long = (fallback: string, description: string) =>
  duration({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .prefault(fallback)
    .meta({ description, defaultsTo: fallback });
const number = (fallback: number, description: string) =>
  count()
    .prefault(fallback)
    .meta({ description, defaultsTo: String(fallback) });

const HOST = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^[0-9a-f:]+$/i;
const HOST_HINT = "must be a host name, `*.` and a domain, or an IP address";

const Host = z.string().regex(HOST, { error: HOST_HINT });
const Port = z.int().min(1).max(65_535);

const SigningSchema = z
  .strictObject({
    algorithm: z.enum(["RS256", "ES256", "EdDSA"]).prefault("ES256").meta({
      description: "Must fit the key.",
      defaultsTo: "ES256",
    }),
    key: z.string().min(1).meta({
      description: "The private key, PKCS#8 in PEM; from a file: `${file:/path/key.pem}`.",
    }),
    keyId: z.string().min(1).exactOptional().meta({
      description: "`kid` of the key in the JWKS; by default its thumbprint (RFC 7638).",
    }),
  })
  .meta({
    description: "Signs every notification with a JWT; the public key is at `/.well-known/jwks.json`.",
  });

export const PushSchema = z.strictObject({
  enabled: flag(true, "Whether clients can ask for push notifications."),
  allowHttp: flag(false, "Webhooks may be `http://`."),
  allowPrivate: flag(
    false,
    "Webhooks may be at loopback, private, unique-local and CGNAT addresses, never at link-local and metadata ones.",
  ),
  allowHosts: z.array(Host).prefault([]).meta({
    description: "The only hosts of webhooks, `*.example.com` for all below a domain; empty: every host.",
    defaultsTo: "[]",
  }),
  allowPorts: z
    .union([z.array(Port), z.literal("any")])
    .exactOptional()
    .meta({
      description: "The only ports of webhooks.",
      kind: "list, or `any`",
      defaultsTo: "[443], with allowHttp [80, 443]",
    }),
  configsPerTask: number(10, "Webhooks of one task; beyond it -32602."),
  maxPending: number(
    100,
    "Notifications of one task that wait for one webhook; beyond it the oldest are given up. As many of those that were " +
      "given up are kept.",
  ),
  timeout: time("10s", "One attempt, from the connection to the answer."),
  retryMin: time("1s", "About how long after the first failure the second attempt is made; then it doubles."),
  retryMax: time("15m", "The longest wait between two attempts."),
  maxAge: long("24h", "A notification not delivered after this is given up."),
  maxAttempts: number(200, "A notification that has failed so often is given up."),
  offAfter: long(
    "3d",
    "One caller's webhooks at one origin are switched off once they have failed for this long without a success.",
  ),
  concurrency: number(
    64,
    "Deliveries at once; at most three quarters of them to webhooks whose last attempt did not arrive, or that are new.",
  ),
  concurrencyPerPrincipal: number(32, "Deliveries at once for one caller, so that others have room."),
  concurrencyPerHost: number(4, "Deliveries at once to one host and port."),
  keepDeadLetters: long("7d", "Notifications that were given up are deleted after this."),
  jwt: SigningSchema.exactOptional().meta({ description: "See [push.jwt](#pushjwt)." }),
});

export const VendorPushSchema = z.strictObject({
  mode: z
    .enum(["off", "instead-of-polling", "with-message"])
    .prefault("off")
    .meta({
      description:
        "`instead-of-polling`: where a task has to be followed at the vendor, the vendor is asked to push to the proxy, " +
        "if its dialect and its card allow that; `with-message`: each message asks for it already, for agents that take no " +
        "message without; `off`: the agent's stream is resumed, or it is polled.",
      defaultsTo: "off",
    }),
  callbackUrl: baseUrl().exactOptional().meta({
    description: "Where the vendor reaches the proxy, up to `/callbacks`. By default `server.publicUrl`.",
  }),
  safetyPoll: time("60s", "How often the vendor is asked all the same, in case it cannot reach the proxy."),
});

/** Undefined where the vendor is not to push. */
export function resolveVendorPush(
  given: z.output<typeof VendorPushSchema> | undefined,
  publicUrl: string,
): VendorPush | undefined {
  if (given === undefined || given.mode === "off") return undefined;
  const { mode, callbackUrl = publicUrl, safetyPoll } = given;
  return { callbackUrl: callbackUrl.replace(/\/+$/, ""), safetyPoll, withMessage: mode === "with-message" };
}

export function resolvePush({ allowPorts, jwt, ...push }: z.output<typeof PushSchema>): PushSettings {
  return Object.freeze({
    ...push,
    allowPorts: allowPorts ?? (push.allowHttp ? [80, 443] : [443]),
    jwt: jwt && { ...jwt, keyId: jwt.keyId },
  });
}
