/** The `supportedInterfaces` of A2A 1.0, which cards of either generation may have. */
import { isRecord } from "./object.ts";

/** The protocol version of each interface, empty if it has none; undefined if the card lists no interfaces. */
export function interfaceVersions(card: unknown): string[] | undefined {
  if (!isRecord(card) || !Array.isArray(card["supportedInterfaces"])) return undefined;
  return card["supportedInterfaces"].map((one: unknown) => {
    if (!isRecord(one)) return "";
    const version = one["protocolVersion"] ?? one["protocol_version"];
    return typeof version === "string" || typeof version === "number" ? String(version) : "";
  });
}

/** The first version before 1.0 among them. */
export const oldVersion = (versions: readonly string[]): string | undefined =>
  versions.find((version) => /^v?0\./.test(version));

/** Whether the card offers A2A 1.0 alone, as far as it tells. */
export function offersOnly10(card: unknown): boolean {
  const versions = interfaceVersions(card);
  return versions !== undefined && oldVersion(versions) === undefined;
}
