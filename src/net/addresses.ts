/**
 * Which addresses a URL from outside may lead to: public unicast, and with `allowPrivate` the operator's own networks.
 * Nothing that stands for another address (IPv4-mapped, NAT64, 6to4, Teredo): what is behind it cannot be seen.
 */
import ipaddr from "ipaddr.js";

/** What `allowPrivate` opens. Link-local is not among them: it is where clouds keep their metadata. */
const PRIVATE: ReadonlySet<string> = new Set(["loopback", "private", "carrierGradeNat", "uniqueLocal"]);

/** Metadata and host agents of clouds that lie outside the link-local range. */
const METADATA = [
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
].map((range) => ipaddr.parseCIDR(range));

/** All of today's public IPv6 addresses; what is outside has no meaning yet, or a special one. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR("2000::/3");
const DOCUMENTATION_V6 = ipaddr.IPv6.parseCIDR("3fff::/20");

/** Why nothing may be sent to the address; undefined where it may. `text` is an address as `node:net` writes them. */
export function addressFault(text: string, allowPrivate: boolean): string | undefined {
  if (!ipaddr.isValid(text)) return "is no IP address";
  const address = ipaddr.parse(text);
  if (METADATA.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))) {
    return "is a cloud's metadata address";
  }
  const range = rangeOf(address);
  if (range === "unicast" || (allowPrivate && PRIVATE.has(range))) return undefined;
  return `is a ${range} address`;
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range();
  if (range !== "unicast" || address instanceof ipaddr.IPv4) return range;
  return address.match(GLOBAL_V6) && !address.match(DOCUMENTATION_V6) ? range : "reserved";
}
