/**
 * The dialect is A2A 1.0 in other words: members in snake_case, roles and states in lower case. Objects of 1.0 are
 * respelled here on their way out; on the way in nothing is to be done, since 1.0's schemas read both spellings.
 *
 * Values that users fill (`data`, `metadata`, the params of an extension, the names of schemes and scopes) stay as they are.
 *
 * Loss: the dialect has no state `unknown`; it is sent as `working`, which claims neither an end nor a question.
 */
import { isRecord } from "../shared/object.ts";

/** Members whose value is the user's. */
const OPAQUE: ReadonlySet<string> = new Set(["data", "metadata", "params", "scopes"]);

/** Members that are maps: the keys are the user's, the values the protocol's. */
const MAPS: ReadonlySet<string> = new Set(["securitySchemes", "schemes"]);

/** The streams of the dialect keep these in camelCase. */
const WRAPPERS: ReadonlySet<string> = new Set(["statusUpdate", "artifactUpdate"]);

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `ROLE_USER` is `user`, `TASK_STATE_INPUT_REQUIRED` is `input-required`. */
const word = (value: string, prefix: RegExp): string =>
  value.replace(prefix, "").toLowerCase().replaceAll("_", "-");

function respelledWord(name: string, value: string): string {
  switch (name) {
    case "role":
      return word(value, /^ROLE_/);
    case "state":
    case "status":
      return value === "TASK_STATE_UNSPECIFIED" ? "working" : word(value, /^TASK_STATE_/);
    case "protocolBinding":
      return value.toLowerCase();
    default:
      return value;
  }
}

/** An object of 1.0, as ProtoJSON, in the dialect's spelling; the object itself is not changed. */
export function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      WRAPPERS.has(name) ? name : snakeCase(name),
      respelledMember(name, member),
    ]),
  );
}

function respelledMember(name: string, member: unknown): unknown {
  if (OPAQUE.has(name)) return member;
  if (typeof member === "string") return respelledWord(name, member);
  if (MAPS.has(name) && isRecord(member)) {
    return Object.fromEntries(Object.entries(member).map(([key, value]) => [key, respelled(value)]));
  }
  return respelled(member);
}
