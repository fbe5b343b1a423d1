/**
 * What a client sends is built anew from the members that 0.3.0 names. Agents read other names too: the Python SDK takes
 * `task_id` for `taskId`, Go and .NET ignore case. A member that is passed on unread is therefore one that the proxy has
 * not checked, be it another caller's task or a webhook. Only what is a client's own to fill travels as it came: metadata,
 * and the content of data parts.
 */
import { isFields, type Fields } from "./json.ts";
import { snakeCased } from "./proto-json-fields.ts";

/** Metadata keys that only the proxy writes; adapters turn what is under them into members of an agent's objects. */
export const OWN_KEYS = "urn:a2a-compat-proxy:";

/**
 * Reads the members that the schema names, in camelCase or, as many clients write them, in snake_case. A null is how
 * serializers write an absent member, and is left out.
 *
 * The function's `isOurs`: the metadata was written by the proxy, whose keys stay.
 */
export function membersOf({
  shape,
}: {
  readonly shape: object;
}): (given: Fields, isOurs?: boolean) => Fields {
  const names = Object.keys(shape).map((name) => [name, snakeCased(name)] as const);
  return (given, isOurs = false) => {
    const fields: Fields = {};
    for (const [name, snake] of names) {
      const value = given[name] ?? given[snake];
      if (value !== undefined && value !== null) fields[name] = value;
    }
    if (!isOurs && isFields(fields["metadata"])) fields["metadata"] = withoutOwnKeys(fields["metadata"]);
    return fields;
  };
}

/** Without what a client cannot have written for itself; the very object where there is no such key. */
export function withoutOwnKeys(metadata: Fields): Fields {
  const isOwn = (key: string): boolean => key.startsWith(OWN_KEYS);
  if (!Object.keys(metadata).some(isOwn)) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isOwn(key)));
}
