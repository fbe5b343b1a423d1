/**
 * How a notification shows who it is from, as the client's PushNotificationConfig asks (§6.8, §6.9). The schemes are
 * named loosely in the field ("bearer", "ApiKey"); the first that is known counts.
 */
import type { Notifications } from "../dialect.ts";
import type { PushNotificationConfig } from "../protocol/params.ts";

const TOKEN_HEADER = "X-A2A-Notification-Token";
const API_KEY_HEADER = "X-API-Key";

const SCHEMES = ["bearer", "basic", "apikey"] as const;

/** Tokens and credentials become header values: visible, on one line, and bounded. */
const HEADER_VALUE = /^[\x20-\x7e]{1,8192}$/;

/** A token of HTTP. */
const SCHEME_NAME = /^[\w!#$%&'*+.^`|~-]{1,128}$/;

const schemeOf = ({ authentication }: PushNotificationConfig) => {
  const names = authentication?.schemes.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ""));
  return SCHEMES.find((scheme) => names?.includes(scheme));
};

export interface CredentialsFault {
  /** Within the config. */
  readonly path: string;
  readonly reason: string;
}

/** How a dialect has credentials sent; absent: as 0.3.0. */
type Form = Pick<Notifications, "anyScheme"> | undefined;

/** What is wrong with the token or the credentials, and where; undefined where nothing is. */
export function authenticationFault(
  config: PushNotificationConfig,
  form?: Form,
): CredentialsFault | undefined {
  const { token, authentication } = config;
  if (token !== undefined && !HEADER_VALUE.test(token)) {
    return { path: "token", reason: "cannot be sent in a header" };
  }
  const credentials = authentication?.credentials;
  if (credentials === undefined) return undefined;
  if (!HEADER_VALUE.test(credentials)) {
    return { path: "authentication.credentials", reason: "cannot be sent in a header" };
  }
  if (form?.anyScheme) {
    if (SCHEME_NAME.test(authentication?.schemes[0] ?? "")) return undefined;
    return { path: "authentication.scheme", reason: "must name a scheme of HTTP, such as Bearer" };
  }
  if (schemeOf(config) !== undefined) return undefined;
  return { path: "authentication.schemes", reason: "credentials can be sent by Bearer, Basic or apiKey" };
}

/** The headers that the config asks for; without credentials there is nothing to show but the token. */
export function authenticationHeaders(config: PushNotificationConfig, form?: Form): Record<string, string> {
  const { token, authentication } = config;
  const headers: Record<string, string> = token === undefined ? {} : { [TOKEN_HEADER]: token };
  const credentials = authentication?.credentials;
  if (credentials === undefined) return headers;
  const scheme = schemeOf(config);
  if (form?.anyScheme) {
    const shown = scheme === "basic" ? basic(credentials) : credentials;
    return { ...headers, Authorization: `${authentication?.schemes[0]} ${shown}` };
  }
  switch (scheme) {
    case "bearer":
      headers["Authorization"] = `Bearer ${credentials}`;
      break;
    case "basic":
      headers["Authorization"] = `Basic ${basic(credentials)}`;
      break;
    case "apikey":
      headers[API_KEY_HEADER] = credentials;
      break;
    case undefined:
      break;
  }
  return headers;
}

/** `user:password` is encoded; what has no colon is encoded already. */
const basic = (credentials: string): string =>
  credentials.includes(":") ? Buffer.from(credentials).toString("base64") : credentials;
