/** How a 1.0 agent is called: over which of the interfaces that its card lists, as far as the operator's URL allows. */
import { z } from "zod";
import type { AgentPlace, BindingName, Channel } from "../../src/dialect.ts";
import { isGrpcAddress } from "../../src/southbound/grpc-target.ts";
import { compact } from "../shared/object.ts";
import { Send } from "../shared/send.ts";
import { bindingOf, interfacesOf, isSameUrl, type Binding } from "./card.ts";
import type { WireCard, WireInterface } from "./wire.ts";

export const Options = z.strictObject({
  send: Send,
  transport: z.enum(["auto", "jsonrpc", "http+json", "grpc"]).default("auto").meta({
    description:
      "What to call the agent over: `jsonrpc`, `http+json`, `grpc`, or `auto`, which goes by its card.",
  }),
  grpcUrl: z
    .string()
    .refine(isGrpcAddress, {
      error: "must be host:port, with grpc:// or grpcs:// before it if TLS is not as in `url`",
    })
    .optional()
    .meta({
      description:
        "Where the agent serves gRPC: `grpc://host:port` in plain text, `grpcs://host:port` over TLS, `host:port` with TLS " +
        "if `url` is `https://`. Without it, host and port of `url`.",
    }),
  tenant: z.string().min(1).optional().meta({
    description:
      "Sent as `tenant` with every call; by default what the card says of the interface that is called.",
  }),
});
export type Options = z.infer<typeof Options>;

/** Over HTTP, in the order of preference. */
const OVER_HTTP: readonly (readonly [Binding, BindingName])[] = [
  ["JSONRPC", "jsonrpc"],
  ["HTTP+JSON", "http+json"],
];

/**
 * The interface to call over HTTP: the one at the configured URL, else the first of the card's at the same origin, in the
 * order of preference. Credentials never leave the configured origin, so an interface elsewhere is not called.
 */
function httpInterface(
  card: WireCard,
  url: string,
  { transport }: Options,
): readonly [WireInterface, BindingName] | undefined {
  const usable = OVER_HTTP.filter(([, name]) => transport === "auto" || transport === name).flatMap(
    ([binding, name]) =>
      interfacesOf(card)
        .filter((one) => bindingOf(one) === binding && isSameOrigin(one.url, url))
        .map((one) => [one, name] as const),
  );
  return usable.find(([one]) => isSameUrl(one.url, url)) ?? usable[0];
}

const isSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && new URL(one).origin === new URL(other).origin;

const grpcInterface = (card: WireCard | undefined): WireInterface | undefined =>
  card && interfacesOf(card).find((one) => bindingOf(one) === "GRPC");

/** gRPC only if the configuration says so, or if the card names nothing over HTTP: the configured URL is one of HTTP. */
function isOverGrpc(card: WireCard | undefined, { isGrpc }: AgentPlace, { transport }: Options): boolean {
  if (isGrpc || transport === "grpc") return true;
  if (transport !== "auto" || !grpcInterface(card)) return false;
  return !(card && interfacesOf(card).some((one) => bindingOf(one) !== "GRPC"));
}

export function channelOf(card: WireCard | undefined, place: AgentPlace, options: Options): Channel {
  // Without a card the call itself shows whether the agent streams.
  const streams = card === undefined || card.capabilities?.streaming === true;
  const tenantOf = (chosen: WireInterface | undefined) =>
    compact({ tenant: options.tenant ?? chosen?.tenant });
  if (isOverGrpc(card, place, options)) {
    const params = tenantOf(grpcInterface(card));
    return { binding: "grpc", url: options.grpcUrl, streams, params };
  }
  const found = card && httpInterface(card, place.url, options);
  const [chosen, binding] = found ?? [undefined, options.transport === "http+json" ? "http+json" : "jsonrpc"];
  return { binding, url: chosen?.url, streams, params: tenantOf(chosen) };
}
