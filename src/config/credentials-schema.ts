/** What an agent's section may say about how the proxy shows itself: `credentials`, `headers`, `forward`, `tls`. */
import { z } from "zod";
import { HEADER_NAME, headerName } from "./header-name.ts";
import { httpUrl, isLoopback, visibleAscii } from "./urls.ts";

const text = () => z.string().min(1);
const secret = (description: string) => visibleAscii().meta({ description });

const issuerUrl = (description: string) =>
  httpUrl()
    .refine((url) => url.startsWith("https://") || isLoopback(url), {
      error: "must be https://, or on this machine",
    })
    .exactOptional()
    .meta({ description });

const OAuth2Schema = z
  .strictObject({
    type: z.literal("oauth2"),
    tokenUrl: issuerUrl("Where tokens are asked for; this or `issuer`."),
    issuer: issuerUrl("Its `/.well-known/openid-configuration` names the token endpoint."),
    clientId: text().meta({ description: "The proxy's name at the authorization server." }),
    clientSecret: secret("Its secret."),
    clientAuth: z.enum(["client_secret_basic", "client_secret_post"]).prefault("client_secret_basic").meta({
      description: "How both are sent: as HTTP Basic, or in the form.",
      defaultsTo: "client_secret_basic",
    }),
    scope: text().exactOptional().meta({ description: "Scopes, separated by spaces." }),
    audience: text().exactOptional().meta({ description: "What the token is to be for." }),
    tls: z
      .boolean()
      .exactOptional()
      .meta({
        description:
          "Whether the agent's `tls`, its CA and certificate, is for the authorization server too. By default where that " +
          "is at the host and port of `url`.",
      }),
  })
  .refine(({ tokenUrl, issuer }) => (tokenUrl === undefined) !== (issuer === undefined), {
    error: "needs either `tokenUrl` or `issuer`",
  })
  .meta({ description: "A token got by OAuth 2 client credentials." });

export const CredentialsSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }).meta({ description: "Nothing is sent." }),
  z
    .strictObject({
      type: z.literal("bearer"),
      token: secret("Sent as `Authorization: Bearer TOKEN`.").refine((token) => !/^bearer\s/i.test(token), {
        error: "must be the token alone, without the word Bearer",
      }),
    })
    .meta({ description: "A bearer token." }),
  z
    .strictObject({
      type: z.literal("apiKey"),
      in: z.enum(["header", "query", "cookie"]).meta({ description: "Where the key is sent." }),
      name: z
        .string()
        .regex(HEADER_NAME, { error: "must be a header, query parameter or cookie name" })
        .meta({ description: "Name of the header, query parameter or cookie." }),
      // Some vendors want a word before it, as in `Bearer KEY`.
      value: z
        .string()
        .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, {
          error: "must be visible ASCII characters without line breaks",
        })
        .meta({ description: "The key, as it is sent." }),
    })
    .meta({ description: "A key in a header, in the query or in a cookie." }),
  z
    .strictObject({
      type: z.literal("basic"),
      username: text()
        .regex(/^[^:]*$/, { error: "must not hold a colon" })
        .meta({ description: "User name." }),
      password: z.string().meta({ description: "Password." }),
    })
    .meta({ description: "HTTP Basic." }),
  OAuth2Schema,
]);

/** What HTTP itself, or the proxy, has to say (RFC 9110, 7.6.1), and cookies, which are for the proxy's own host. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding " +
    "upgrade host expect content-length content-type content-encoding accept accept-encoding cookie " +
    "x-a2a-extensions a2a-extensions"
  ).split(" "),
);

const settableName = () =>
  headerName().refine((name) => !RESERVED.has(name.toLowerCase()), {
    error: "is a header that cannot be set here",
  });

export const HeadersSchema = z.record(
  settableName(),
  z.string().regex(/^[\x20-\x7e]+$/, { error: "must be visible ASCII characters" }),
);

export const ForwardSchema = z.strictObject({
  authorization: z.boolean().prefault(false).meta({
    description:
      "The client's `Authorization`, as it came. The vendor then sees what the client shows the proxy.",
    defaultsTo: "false",
  }),
  headers: z
    .array(
      settableName().refine((name) => name.toLowerCase() !== "authorization", {
        error: "is passed on by `authorization: true`",
      }),
    )
    .prefault([])
    .meta({ description: "Names of further headers.", defaultsTo: "[]", kind: "list of names" }),
});

export const AgentTlsSchema = z
  .strictObject({
    cert: text()
      .exactOptional()
      .meta({ description: "File of the certificate that the proxy shows, in PEM." }),
    key: text().exactOptional().meta({ description: "File of its private key." }),
    ca: text().exactOptional().meta({
      description: "File of the CAs that the vendor's certificate may be from; absent: those of the system.",
    }),
    serverName: text().exactOptional().meta({
      description: "The name that the vendor's certificate has, where it is not the host of `url`.",
    }),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
    error: "needs both `cert` and `key`, or neither",
  });

/** The headers that are passed on, in lower case. */
export const forwardedNames = ({ authorization, headers }: z.output<typeof ForwardSchema>): string[] => [
  ...(authorization ? ["authorization"] : []),
  ...new Set(headers.map((name) => name.toLowerCase())),
];
