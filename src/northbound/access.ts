/** What a request over HTTP shows of its sender, for the gate; and which names the proxy answers to. */
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

const presentedBy = ({ req, querystring }: Context): Presented => ({
  headers: req.headers,
  query: new URLSearchParams(querystring),
  certificate: certificateOf(req.socket),
});

/** Only one that has been verified. `authorized` alone is not enough: it is also true of a connection without any. */
const certificateOf = (socket: Socket): X509Certificate | undefined =>
  socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;

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
