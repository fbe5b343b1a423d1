/**
 * Where a request comes from: the address of its connection or, where that is a reverse proxy's that the configuration
 * trusts, the one which that has written into `X-Forwarded-For`. What stands further left anybody may have written.
 */
import ipaddr from "ipaddr.js";
import type { Presented } from "./scheme.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Says which addresses are those of reverse proxies; addresses and ranges as in `10.0.0.0/8`. */
export function trustOf(entries: readonly string[]): (address: Address) => boolean {
  const ranges = entries.map((entry) =>
    entry.includes("/")
      ? ipaddr.parseCIDR(entry)
      : ipaddr.parseCIDR(`${entry}/${bitsOf(ipaddr.parse(entry))}`),
  );
  return (address) =>
    ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

const bitsOf = (address: Address): number => (address.kind() === "ipv4" ? 32 : 128);

/** The nearest address that is no reverse proxy's, as text to count by: of IPv6 the network, which is one client's. */
export function sourceOf(
  { address, headers }: Pick<Presented, "address" | "headers">,
  isTrusted: (address: Address) => boolean,
): string {
  const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
  let source = addressIn(address ?? "");
  while (source !== undefined && isTrusted(source)) {
    const next = addressIn(forwarded.pop() ?? "");
    if (next === undefined) break;
    source = next;
  }
  if (source === undefined) return "unknown";
  return source instanceof ipaddr.IPv6 ? source.parts.slice(0, 4).join(":") : source.toString();
}

const WITH_PORT = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::\d+)?$/;

/** Some write the port, too. An IPv4 address in the form of an IPv6 one is the former. */
function addressIn(text: string): Address | undefined {
  const { six, four } = WITH_PORT.exec(text.trim())?.groups ?? {};
  const bare = six ?? four ?? text.trim();
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}
