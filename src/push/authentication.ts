/**
 * How a notification shows who it is from, as the client's PushNotificationConfig asks (§6.8, §6.9). The schemes are
 * named loosely in the field ("bearer", "ApiKey"); the first that is known counts.
 */
import type { PushNotificationConfig } from "../protocol/params.ts";

const TOKEN_HEADER = "X-A2A-Notification-Token";
const API_KEY_HEADER = "X-API-Key";

const SCHEMES = ["bearer", "basic", "apikey"] as const;

/** Tokens and credentials become header values: visible, on one line, and bounded. */
const HEADER_VALUE = /^[\x20-\x7e]{1,8192}$/;

const schemeOf = ({ authentication }: PushNotificationConfig) => {
  const names = authentication?.schemes.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ""));
  return SCHEMES.find((scheme) => names?.includes(scheme));
};

/** What is wrong with the token or the credentials, and where; undefined where nothing is. */
export function authenticationFault(
  config: PushNotificationConfig,
): { readonly path: string; readonly reason: string } | undefined {
  const { token, authentication } = config;
  if (token !== undefined && !HEADER_VALUE.test(token)) {
    return { path: "token", reason: "cannot be sent in a header" };
  }
  const credentials = authentication?.credentials;
  if (credentials === undefined) return undefined;
  if (!HEADER_VALUE.test(credentials)) {
    return { path: "authentication.credentials", reason: "cannot be sent in a header" };
  }
  if (schemeOf(config) !== undefined) return undefined;
  return { path: "authentication.schemes", reason: "credentials can be sent by Bearer, Basic or apiKey" };
}

/** The headers that the config asks for; without credentials there is nothing to show but the token. */
export function authenticationHeaders(config: PushNotificationConfig): Record<string, string> {
  const { token, authentication } = config;
  const headers: Record<string, string> = token === undefined ? {} : { [TOKEN_HEADER]: token };
  const credentials = authentication?.credentials;
  if (credentials === undefined) return headers;
  switch (schemeOf(config)) {
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
