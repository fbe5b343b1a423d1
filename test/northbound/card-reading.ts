/** What a served card says that it must not say. */

/** As 0.3.0 and 1.0 have them; an object that is not named here is one of free form, or a member that is not served. */
const MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "",
    [
      "protocolVersion",
      "name",
      "description",
      "url",
      "version",
      "preferredTransport",
      "additionalInterfaces",
      "iconUrl",
      "documentationUrl",
      "provider",
      "capabilities",
      "defaultInputModes",
      "defaultOutputModes",
      "skills",
      "supportsAuthenticatedExtendedCard",
      "supportedInterfaces",
    ],
  ],
  ["supportedInterfaces", ["url", "protocolBinding", "protocolVersion"]],
  ["additionalInterfaces", ["url", "transport"]],
  ["provider", ["organization", "url"]],
  [
    "capabilities",
    ["streaming", "pushNotifications", "stateTransitionHistory", "extensions", "extendedAgentCard"],
  ],
  ["capabilities.extensions", ["uri", "description", "required", "params"]],
  ["skills", ["id", "name", "description", "tags", "examples", "inputModes", "outputModes"]],
]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The paths of members that no card has. */
export function strangers(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => strangers(item, path));
  if (!isObject(value)) return [];
  const known = MEMBERS.get(path);
  return Object.entries(value).flatMap(([name, member]) => {
    const here = path === "" ? name : `${path}.${name}`;
    if (known && !known.includes(name)) return [here];
    return here === "capabilities.extensions.params" ? [] : strangers(member, here);
  });
}

/** The addresses in a card by which a client would not reach the proxy; those of its vendor's home page aside. */
export function addressesIn(value: unknown, grpcUrl?: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => addressesIn(item, grpcUrl));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === "provider" || name === "params") return [];
    const isOther = name === "url" && !String(member).startsWith("http://proxy.test/");
    return isOther && member !== grpcUrl ? [member] : addressesIn(member, grpcUrl);
  });
}
