/** How a request proves who it is from; the same for calls and for the card. */
import type { Credentials } from "../config/config.ts";

/** What is added to a request. Names of headers are in lower case. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly [name: string, value: string] | undefined;
}

/** Of credentials that stand in the configuration; a token is another's matter. */
export function authorizationOf(credentials: Exclude<Credentials, { type: "oauth2" }>): Authorization {
  switch (credentials.type) {
    case "none":
      return { headers: {}, query: undefined };
    case "bearer":
      return { headers: { authorization: `Bearer ${credentials.token}` }, query: undefined };
    case "basic": {
      const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
      return { headers: { authorization: `Basic ${pair}` }, query: undefined };
    }
    case "apiKey":
      return apiKey(credentials.in, credentials.name, credentials.value);
    default:
      return credentials satisfies never;
  }
}

/** As it is, but for what a cookie may not hold (RFC 6265, 4.1.1). */
const cookieValue = (value: string): string =>
  value.replaceAll(/[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]/gu, encodeURIComponent);

function apiKey(place: "header" | "query" | "cookie", name: string, value: string): Authorization {
  switch (place) {
    case "header":
      return { headers: { [name.toLowerCase()]: value }, query: undefined };
    case "cookie":
      return { headers: { cookie: `${name}=${cookieValue(value)}` }, query: undefined };
    case "query":
      return { headers: {}, query: [name, value] };
    default:
      return place satisfies never;
  }
}

/** A copy of `headers`, names in lower case. */
export const lowerCase = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** A copy of `headers`, names in lower case, with those that authorize; cookies are added to what is there. */
export function authorized(
  headers: Readonly<Record<string, string>>,
  authorization: Authorization,
): Record<string, string> {
  const cookies = [headers["cookie"], authorization.headers["cookie"]].filter(
    (cookie) => cookie !== undefined,
  );
  const cookie = cookies.length === 0 ? {} : { cookie: cookies.join("; ") };
  return { ...headers, ...authorization.headers, ...cookie };
}

/** `url`, or a copy of it with the key that travels in the query, if one does. */
export function withQuery(url: URL, { query }: Authorization): URL {
  if (!query) return url;
  const authorized = new URL(url);
  authorized.searchParams.set(...query);
  return authorized;
}
