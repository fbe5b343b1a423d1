/** URLs of the configuration: what is accepted, and where a vendor's card is looked for (A2A 0.3.0 §5.3). */
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { isGrpcAddress } from "../southbound/grpc-target.ts";
import type { CardSource } from "../southbound/southbound.ts";

/** The name since 0.3.0 first, then the one before. */
const WELL_KNOWN = ["/.well-known/agent-card.json", "/.well-known/agent.json"] as const;
const V1_CARD = "/v1/card";

/** An absolute http(s) URL without userinfo and fragment, kept as written. */
export const httpUrl = () =>
  z
    .string()
    .trim()
    .superRefine((text, context) => {
      const fault = urlFault(text);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    })
    .meta({ kind: "URL" });

/** One address of IPv4 or IPv6, or a range of them. */
export const addressRange = () =>
  z.string().refine((text) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text), {
    error: "must be an IP address, or a range as in 10.0.0.0/8",
  });

const GRPC = /^grpc(?=s?:\/\/)/i;

/** `grpc://host:port` in plain text, `grpcs://host:port` over TLS: an agent that is called over gRPC alone. */
export const isGrpcUrl = (text: string): boolean => GRPC.test(text);

/** The same host and port as a URL of HTTP, by which all of the proxy knows where an agent is. */
export const grpcAsHttp = (text: string): string => text.replace(GRPC, "http");

/** Where an agent is called: `httpUrl`, or the address of a gRPC server. */
export const agentUrl = () =>
  z
    .string()
    .trim()
    .superRefine((text, context) => {
      const fault = isGrpcUrl(text) ? grpcFault(text) : urlFault(text);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    })
    .meta({ kind: "URL" });

function grpcFault(text: string): string | undefined {
  const fault = urlFault(grpcAsHttp(text));
  if (fault !== undefined) return fault;
  return isGrpcAddress(text) ? undefined : "must be grpc://host:port or grpcs://host:port, without a path";
}

/** What paths are put after: no query either. */
export const baseUrl = () =>
  httpUrl().refine((text) => !text.includes("?"), { error: "must not have a query" });

function urlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) return "must be an absolute http:// or https:// URL";
  if (url.username !== "" || url.password !== "")
    return "must not hold credentials: put them under `credentials`";
  if (url.hash !== "") return "must not have a fragment";
  return undefined;
}

export const CARD_HINT = "must be an http(s) URL, a path that begins with `/`, or an inline card";

/** A URL, or a path on the agent's host. */
export const cardLocation = () =>
  z
    .string()
    .trim()
    .refine((text) => (text.startsWith("/") ? !text.startsWith("//") : urlFault(text) === undefined), {
      error: CARD_HINT,
    });

/** A value that can travel in an HTTP header as it is. */
export const visibleAscii = () =>
  z
    .string()
    .min(1)
    .regex(/^[\x21-\x7e]*$/, { error: "must be visible ASCII characters without spaces or line breaks" });

/** Where to look for the card of the agent at `url`, in the order to try. */
export function toCardSource(url: string, card: string | Record<string, unknown> | undefined): CardSource {
  if (typeof card === "object") return { urls: [], inline: card };
  if (card === undefined && isGrpcUrl(url)) return { urls: [] };
  if (card === undefined) return { urls: candidates(url, WELL_KNOWN, [V1_CARD]) };
  return { urls: card.startsWith("/") ? candidates(url, [card], []) : [card] };
}

/** Each path under the agent's URL, then at its host's root; `last` only under the URL. */
function candidates(url: string, paths: readonly string[], last: readonly string[]): string[] {
  const under = paths.map((path) => join(url, path));
  const atRoot = paths.map((path) => new URL(path, url).href);
  return [...new Set([...under, ...atRoot, ...last.map((path) => join(url, path))])];
}

/** The path below the URL's own; the URL's query stays unless the path brings one (some vendors select the agent by it). */
function join(base: string, path: string): string {
  const url = new URL(base);
  const below = new URL(path, url);
  url.pathname = url.pathname.replace(/\/+$/, "") + below.pathname;
  if (below.search !== "") url.search = below.search;
  return url.href;
}

/** A host that only this machine reaches. */
export const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

/** The same for a host by itself. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);

/** `http://host:port`, or `https://`, as a client on this machine reaches it. */
export function defaultPublicUrl({ host, port, tls }: { host: string; port: number; tls?: object }): string {
  const everywhere = ["0.0.0.0", "::", "[::]"].includes(host);
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `${tls ? "https" : "http"}://${everywhere ? "localhost" : name}:${port}`;
}
