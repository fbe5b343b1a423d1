/**
 * What may stand in `config.yaml`. Strict throughout: a misspelt key is a fault, never a silent default. Every key
 * is described here, once; docs/configuration.md is generated from it.
 */
import { z } from "zod";
import { contextIds, timeZone } from "./agents-schema.ts";
import { AuthSchema, RateLimitsSchema, TlsSchema } from "./auth-schema.ts";
import { AgentTlsSchema, CredentialsSchema, ForwardSchema, HeadersSchema } from "./credentials-schema.ts";
import {
  CardOverlaySchema,
  CardSignatureSchema,
  CardSigningSchema,
  ExtendedCardSchema,
} from "./cards-schema.ts";
import { agentHost, clientSdk, dialectHosts, serve, strict } from "./clients-schema.ts";
import { CorsSchema } from "./cors-schema.ts";
import { LimitsSchema, TimeoutsSchema } from "./limits-schema.ts";
import { PushSchema, VendorPushSchema } from "./push-schema.ts";
import { AgentGrpcSchema, GrpcSchema } from "./grpc-schema.ts";
import { count, duration, maxConnections, size } from "./units.ts";
import { agentUrl, addressRange, baseUrl, CARD_HINT, cardLocation } from "./urls.ts";

const text = () => z.string().min(1);

const OnDisconnect = z.enum(["continue", "cancel"]);

const onDisconnect = () =>
  OnDisconnect.exactOptional().meta({
    description: "What becomes of a task when the last client that listens to it goes away.",
    defaultsTo: "continue",
  });

const AgentSchema = z.strictObject({
  adapter: text().meta({ description: "The dialect that the vendor speaks." }),
  url: agentUrl().meta({
    description:
      "What calls are posted to. It wins over the URL that the vendor's card names. `grpc://host:port`, or `grpcs://` for " +
      "TLS: an agent that is called over gRPC.",
  }),
  card: z
    .union([cardLocation(), z.record(z.string(), z.unknown())], {
      error: CARD_HINT,
    })
    .exactOptional()
    .meta({
      description:
        "Where the vendor's card is: a URL; a path, looked for under `url` and then at its host's root; or the card " +
        "itself. By default both well-known names are tried under `url`, then at the host's root, then `v1/card` " +
        "under `url`.",
      kind: "URL, path or card",
    }),
  cardSignature: CardSignatureSchema.exactOptional().meta({
    description:
      "Who has to have signed the vendor's card; see [agents.NAME.cardSignature](#agentsnamecardsignature). Absent: " +
      "signatures are not looked at.",
  }),
  cardOverlay: CardOverlaySchema.exactOptional().meta({
    description:
      "What the served card says instead of the vendor's; see [agents.NAME.cardOverlay](#agentsnamecardoverlay).",
  }),
  extendedCard: ExtendedCardSchema.exactOptional().meta({
    description:
      "The card for authenticated callers; see [agents.NAME.extendedCard](#agentsnameextendedcard). Absent: the " +
      "vendor's, where it has one.",
  }),
  credentials: CredentialsSchema.prefault({ type: "none" }).meta({
    description: "What the proxy shows the vendor; see [credentials](#credentials).",
    defaultsTo: "type: none",
  }),
  headers: HeadersSchema.exactOptional().meta({
    description:
      "Headers that every request to the vendor has, beside the credentials. Their values are secret.",
    kind: "mapping of texts",
  }),
  forward: ForwardSchema.exactOptional().meta({
    description: "What of the client's request the vendor is given; see [forward](#agentsnameforward).",
  }),
  tls: AgentTlsSchema.exactOptional().meta({
    description: "Certificates towards the vendor; see [tls](#agentsnametls).",
  }),
  options: z.record(z.string(), z.unknown()).prefault({}).meta({
    description:
      "The adapter's own options, checked by its own strict schema; listed below for each adapter.",
    defaultsTo: "{}",
  }),
  timeouts: TimeoutsSchema.exactOptional().meta({ description: "See [timeouts](#timeouts)." }),
  limits: LimitsSchema.exactOptional().meta({ description: "See [limits](#limits)." }),
  vendorPush: VendorPushSchema.exactOptional().meta({
    description:
      "Have the vendor push to the proxy; see [vendorPush](#agentsnamevendorpush). Absent: it does not.",
  }),
  onDisconnect: onDisconnect(),
  serve: serve(),
  host: agentHost(),
  hosts: dialectHosts(),
  clientSdk: clientSdk(),
  contextIds: contextIds(),
  timeZone: timeZone(),
  strict: strict(),
  grpc: AgentGrpcSchema.exactOptional().meta({
    description: "How the agent is told from the others over gRPC; see [agents.NAME.grpc](#agentsnamegrpc).",
  }),
});

const ServerSchema = z.strictObject({
  host: text().prefault("127.0.0.1").meta({
    description: "Address to listen on; `0.0.0.0` for every interface.",
    defaultsTo: "127.0.0.1",
  }),
  port: count({ min: 0, max: 65_535 }).prefault(8080).meta({
    description: "Port to listen on; 0 takes a free one.",
    defaultsTo: "8080",
  }),
  publicUrl: baseUrl()
    .exactOptional()
    .meta({
      description:
        "Where clients reach the proxy; the served cards point here. A trailing slash is cut. By default made of " +
        "`host` (`localhost` for `0.0.0.0`) and `port`; `https://` where there is `tls`.",
    }),
  allowedHosts: z
    .array(text().toLowerCase())
    .min(1)
    .exactOptional()
    .meta({
      description:
        "Host names, without a port, that requests may be for, besides `publicUrl`'s and those of this machine. Given, " +
        "all others are refused; so they are by default where the proxy listens on loopback only and asks for no " +
        "credentials.",
    }),
  tls: TlsSchema.exactOptional().meta({
    description: "Serve HTTPS; see [server.tls](#servertls). Absent: plain HTTP.",
  }),
  grpc: GrpcSchema.exactOptional().meta({
    description: "Serve gRPC as well; see [server.grpc](#servergrpc). Absent: no gRPC.",
  }),
  maxConnections: maxConnections("of HTTP"),
  maxBytesInFlight: size()
    .prefault("256MiB")
    .meta({
      description:
        "Memory for the bodies of all requests that are being read or answered: their bytes, and 64 for each value in them. " +
        "Beyond it HTTP 503. One caller may hold as much as is left for the others, so half of it at most.",
      defaultsTo: "256MiB",
    }),
  trustProxy: z
    .array(addressRange())
    .min(1)
    .exactOptional()
    .meta({
      description:
        "Addresses of reverse proxies, or ranges such as `10.0.0.0/8`. Of requests from there, `X-Forwarded-For` says " +
        "where they come from, and that is what `rateLimits.failedLogins` counts by. Absent: the header says nothing.",
      kind: "list of addresses",
    }),
  heartbeat: duration({ min: 1 }).prefault("15s").meta({
    description: "How often a comment line keeps an idle stream open.",
    defaultsTo: "15s",
  }),
  shutdownGrace: duration().prefault("10s").meta({
    description: "How long running streams may finish after SIGTERM.",
    defaultsTo: "10s",
  }),
  cardSigning: CardSigningSchema.exactOptional().meta({
    description: "Sign the served cards; see [server.cardSigning](#servercardsigning).",
  }),
  cors: CorsSchema.exactOptional().meta({
    description: "Let web pages of other origins call; see [server.cors](#servercors). Absent: they may not.",
  }),
});

const StoreSchema = z.strictObject({
  driver: z.enum(["sqlite"]).prefault("sqlite").meta({
    description: "The engine that keeps tasks.",
    defaultsTo: "sqlite",
  }),
  path: text().prefault("./data/proxy.db").meta({
    description:
      "Database file, relative to the working directory; `:memory:` keeps nothing across a restart.",
    defaultsTo: "./data/proxy.db",
  }),
  retention: duration({ min: 1, max: Number.MAX_SAFE_INTEGER }).prefault("7d").meta({
    description: "Finished tasks are deleted this long after their last change.",
    defaultsTo: "7d",
  }),
  maxSize: size({ min: 1024 * 1024 })
    .exactOptional()
    .meta({
      description:
        "What the database file may grow to, without its write-ahead log. A store that is full is as a full disk: new work is " +
        "refused until older tasks are deleted. Absent: what the disk holds.",
    }),
  synchronous: z.enum(["normal", "full"]).prefault("normal").meta({
    description: "`normal` survives a crash of the process, `full` also one of the machine.",
    defaultsTo: "normal",
  }),
});

const LogSchema = z.strictObject({
  level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).prefault("info").meta({
    description: "The least level that is logged.",
    defaultsTo: "info",
  }),
});

const DefaultsSchema = z.strictObject({
  timeouts: TimeoutsSchema.exactOptional().meta({ description: "See [timeouts](#timeouts)." }),
  limits: LimitsSchema.exactOptional().meta({ description: "See [limits](#limits)." }),
  onDisconnect: onDisconnect(),
  clientSdk: clientSdk(),
  serve: serve(),
});

export const ConfigSchema = z.strictObject({
  server: ServerSchema.prefault({}).meta({ description: "Where the proxy listens." }),
  store: StoreSchema.prefault({}).meta({ description: "Where tasks are kept." }),
  log: LogSchema.prefault({}).meta({ description: "The log: JSON lines, readable ones on a terminal." }),
  auth: AuthSchema.exactOptional().meta({
    description:
      "Who may call: `none`, or see [auth](#auth). Absent: everybody, and `serve` listens on loopback only.",
    kind: "`none` or mapping",
  }),
  rateLimits: RateLimitsSchema.prefault({}).meta({ description: "How much one caller may ask for." }),
  push: PushSchema.prefault({}).meta({
    description: "Push notifications: which webhooks are allowed, and how long they are tried.",
  }),
  default: text()
    .exactOptional()
    .meta({ description: "Name of the agent that is also served at the host's root." }),
  defaults: DefaultsSchema.prefault({}).meta({
    description: "What every agent has unless it says otherwise.",
  }),
  agents: z
    .record(z.string(), AgentSchema)
    .refine((agents) => Object.keys(agents).length > 0, { error: "must name at least one agent" })
    .meta({ description: "The agents, by the name they have in URLs: `[a-z0-9][a-z0-9-_.]*`." }),
});

/** The file's content after parsing: units resolved, but not yet merged with `defaults`. */
export type ParsedConfig = z.output<typeof ConfigSchema>;
export type ParsedAgent = z.output<typeof AgentSchema>;
