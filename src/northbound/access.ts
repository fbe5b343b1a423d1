/** What a request over HTTP shows of its sender, for the gate; which names the proxy answers to; whose pages may call. */
import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Middleware } from "koa";
import type { Gate } from "../auth/gate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Presented } from "../auth/scheme.ts";
import { isLoopbackHost } from "../config/urls.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Context, RequestState } from "./http.ts";

/** Who sends the request; rejects with `unauthenticated`. Before its body is read, of which a stranger may send much. */
export async function identify(ctx: Context, gate: Gate): Promise<Principal> {
  const principal = await gate.identify(presentedBy(ctx));
  if (gate.isClosed) ctx.state.line.principal = principal.id;
  return principal;
}

const NO_QUERY = new URLSearchParams();

const presentedBy = ({ req, querystring }: Context): Presented => ({
  headers: req.headers,
  query: querystring === "" ? NO_QUERY : new URLSearchParams(querystring),
  address: req.socket.remoteAddress,
  certificate: certificateOf(req.socket),
});

/** Only one that has been verified. `authorized` alone is not enough: it is also true of a connection without any. */
const certificateOf = (socket: Socket): X509Certificate | undefined =>
  socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;

/** Of these a request has one: servers in front may look at the one and the proxy at the other. */
const SINGLE: ReadonlySet<string> = new Set(["host", "authorization"]);

/** Refuses requests that have such a header twice (400); Node would take the first (RFC 9112 §3.2, RFC 9110 §5.3). */
export const noDuplicates: Middleware<RequestState> = (ctx, next) => {
  const seen = new Set<string>();
  const { rawHeaders } = ctx.req;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) {
      throw new A2AError("invalid-request", { data: { reason: `there is more than one ${name} header` } });
    }
    seen.add(name);
  }
  return next();
};

/**
 * Refuses requests for other host names (403). A page on another site can have its own name point to this machine
 * (DNS rebinding) and then is, for the browser, of the same origin; what it cannot do is send another Host.
 */
export const onlyHosts =
  (hosts: readonly string[]): Middleware<RequestState> =>
  (ctx, next) => {
    const host = ctx.hostname.toLowerCase();
    if (isLoopbackHost(host) || hosts.includes(host)) return next();
    const reason = "the Host header names none of the proxy's; see server.publicUrl and server.allowedHosts";
    throw new A2AError("forbidden", { data: { reason } });
  };

/** What changes nothing, and CORS's question. The answer is the browser's, which does not show it to the page. */
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface Pages {
  /** Nobody is asked for credentials, so that a browser needs none. */
  readonly isOpen: boolean;
  /** Origins whose pages may call, besides those of the host that is called. */
  readonly origins: "*" | readonly string[];
}

/**
 * Refuses what a page of another origin has a browser send (403). A browser asks first (CORS) for a body of JSON, but not
 * for a POST without a body, such as `:cancel`; it then says the page's origin. A key or a token is nothing that it would
 * add by itself: callers that have to show one are not asked where they are from. A client certificate is.
 */
export const onlyPages =
  ({ isOpen, origins }: Pages): Middleware<RequestState> =>
  (ctx, next) => {
    const origin = ctx.get("Origin");
    if (origin === "" || READS.has(ctx.method)) return next();
    if (!isOpen && certificateOf(ctx.req.socket) === undefined) return next();
    if (isOwn(ctx, origin) || (origins === "*" ? isOpen : origins.includes(origin))) return next();
    const reason = "pages of this Origin may not call; see server.publicUrl and server.cors";
    throw new A2AError("forbidden", { data: { reason } });
  };

/** `null` is nobody's own. What came over TLS is none of a page's that did not. */
function isOwn({ host, secure }: Context, origin: string): boolean {
  const page = URL.parse(origin);
  return page?.host === host && (page.protocol === "https:" || !secure);
}
