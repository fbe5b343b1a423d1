/**
 * Which address gRPC calls go to: the operator's. The card may name another port of the same host, which is called only
 * if the operator allows it (`grpcPort: card`); another host never is.
 */
import type { AgentCard } from "../../src/protocol/card.ts";
import { interfacesOf } from "./transport.ts";

interface Place {
  readonly host: string;
  readonly port: string;
  readonly isSecure: boolean;
}

/** Where the card says that gRPC is served, as it says it. */
export const grpcOnCard = (card: AgentCard): string | undefined =>
  interfacesOf(card).find(({ transport }) => transport.toUpperCase() === "GRPC")?.url;

/** `host:port`, also as a URL of whatever scheme. */
function placeOf(address: string): Place | undefined {
  const [, scheme = ""] = /^([a-z][a-z+.-]*):\/\//i.exec(address) ?? [];
  const isSecure = /^(https|grpcs)$/i.test(scheme);
  const url = URL.parse(
    `${isSecure ? "https" : "http"}://${address.slice(scheme === "" ? 0 : scheme.length + 3)}`,
  );
  return url ? { host: url.hostname, port: url.port || (isSecure ? "443" : "80"), isSecure } : undefined;
}

/** For people: `grpc://host:port`, whatever the scheme is. */
export function asGrpcUrl(address: string): string {
  const place = placeOf(address);
  return place ? `${place.isSecure ? "grpcs" : "grpc"}://${place.host}:${place.port}` : address;
}

/** An agent that listens at every address of its machine may say so on its card. */
const isAnywhere = (host: string): boolean => host === "0.0.0.0" || host === "[::]";

/** The port that the card names, at the host of `url`; undefined if the card names another host, or nothing. */
export function cardAddress(card: AgentCard, url: string): string | undefined {
  const named = placeOf(grpcOnCard(card) ?? "");
  const own = placeOf(url);
  if (!named || !own || (named.host !== own.host && !isAnywhere(named.host))) return undefined;
  const isSecure = named.isSecure || own.isSecure;
  return `${isSecure ? "grpcs" : "grpc"}://${own.host}:${named.port}`;
}
