/** Headers that an agent's `forward` lets through; nothing else of a client's request reaches the vendor. */
export function forwardedOf(
  names: readonly string[] | undefined,
  get: (name: string) => string | undefined,
): Readonly<Record<string, string>> | undefined {
  const found = (names ?? []).flatMap((name): [string, string][] => {
    const value = get(name);
    return value === undefined || value === "" ? [] : [[name, value]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
