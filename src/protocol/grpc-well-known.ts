/** Protobuf's well-known types and their JSON forms: a Struct is a plain object, a Timestamp ISO text in UTC. */
import { isFields, type Fields } from "./json.ts";

/** A plain object as a Struct message; anything else is an empty one. */
export function toStruct(json: unknown): { fields: Fields } {
  const entries = isFields(json) ? Object.entries(json) : [];
  return {
    fields: Object.fromEntries(
      entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, toValue(value)]])),
    ),
  };
}

/** Any JSON as a Value message. */
export function toValue(json: unknown): Fields {
  if (typeof json === "string") return { stringValue: json };
  if (typeof json === "number") return { numberValue: json };
  if (typeof json === "boolean") return { boolValue: json };
  if (Array.isArray(json)) return { listValue: { values: json.map(toValue) } };
  if (isFields(json)) return { structValue: toStruct(json) };
  return { nullValue: 0 };
}

export function fromStruct(message: unknown): Fields {
  const fields = own(message, "fields");
  if (!isFields(fields)) return {};
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromValue(value)]));
}

export function fromValue(message: unknown): unknown {
  for (const name of ["stringValue", "boolValue"]) {
    const value = own(message, name);
    if (value !== undefined) return value;
  }
  const number = own(message, "numberValue");
  // JSON has neither NaN nor infinity.
  if (typeof number === "number") return Number.isFinite(number) ? number : null;
  const struct = own(message, "structValue");
  if (struct !== undefined) return fromStruct(struct);
  const list = own(message, "listValue");
  if (list === undefined) return null;
  const values = own(list, "values");
  return Array.isArray(values) ? values.map(fromValue) : [];
}

/** ISO text as a Timestamp; what is no time is the epoch. */
export function toTimestamp(json: unknown): { seconds: number; nanos: number } {
  const time = typeof json === "string" ? Date.parse(json) : Number.NaN;
  if (Number.isNaN(time)) return { seconds: 0, nanos: 0 };
  const seconds = Math.floor(time / 1000);
  return { seconds, nanos: (time - seconds * 1000) * 1e6 };
}

/** Milliseconds are all that 0.3.0 has; undefined for a time that no calendar has. */
export function fromTimestamp(message: unknown): string | undefined {
  // A number, or for 64 bits an object that has a value as one.
  const seconds = Number(own(message, "seconds") ?? 0);
  const nanos = Number(own(message, "nanos") ?? 0);
  const time = seconds * 1000 + Math.floor(nanos / 1e6);
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : undefined;
}

/** Decoded messages have the defaults of absent fields on their prototype. */
const own = (message: unknown, name: string): unknown =>
  typeof message === "object" && message !== null && Object.hasOwn(message, name)
    ? Reflect.get(message, name)
    : undefined;
