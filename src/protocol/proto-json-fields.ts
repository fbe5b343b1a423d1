/**
 * How ProtoJSON writes objects: names in camelCase, which readers also take in snake_case, defaults left out, null
 * the same as absent, and enums by name or by number.
 */
import type { Fields } from "./json.ts";

/** Names of 0.3 that differ between the two spellings; other names, extensions' among them, are left alone. */
const NAMES = [
  "messageId",
  "taskId",
  "contextId",
  "referenceTaskIds",
  "artifactId",
  "lastChunk",
  "statusUpdate",
  "artifactUpdate",
  "fileWithUri",
  "fileWithBytes",
  "mimeType",
  "acceptedOutputModes",
  "historyLength",
  "pushNotification",
  "pushNotificationConfig",
  "pushNotificationConfigId",
  "configId",
  "nextPageToken",
  "pageSize",
  "pageToken",
  "includeArtifacts",
] as const;

export const snakeCased = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const CAMEL: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [snakeCased(name), name]));

/** A copy of one level with its known names in camelCase and without nulls; the camelCase name wins over the other. */
export function camelCased(value: Fields): Fields {
  const given = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  const renamed = given.map(([name, member]): [string, unknown] => [CAMEL.get(name) ?? name, member]);
  const own = given.filter(([name]) => !CAMEL.has(name));
  return Object.fromEntries([...renamed, ...own]);
}

/** Without what ProtoJSON leaves out: undefined, "", false and []. Not for the members of a oneof. */
export function withoutDefaults(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value)));
}

const isDefault = (value: unknown): boolean =>
  value === undefined || value === "" || value === false || (Array.isArray(value) && value.length === 0);

/** Deletes those of the members that say "none" by being empty. */
export function dropEmpty(fields: Fields, names: readonly string[]): void {
  for (const name of names) if (fields[name] === "") delete fields[name];
}

/** `convert` over a list; what is none stays for the schema to complain about. */
export const mapList = (value: unknown, convert: (item: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => convert(item)) : value;
