/**
 * Params as clients of A2A 1.0 send them, to those of 0.3.0. Only members that 1.0 names are read: agents read other names,
 * too, and a member that nobody has checked may name another caller's task (see src/protocol/client-members.ts).
 */
import { withoutOwnKeys } from "../../src/protocol/client-members.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MethodName } from "../../src/protocol/methods.ts";
import { isRecord } from "../shared/object.ts";
import { toCanonicalListParams, toCanonicalSendParams, toCanonicalTaskParams } from "./params.ts";
import { toCanonicalListPushParams, toCanonicalPushParams, toCanonicalTaskPushConfig } from "./push.ts";

type Fields = Record<string, unknown>;

const MESSAGE = [
  "messageId",
  "role",
  "parts",
  "taskId",
  "contextId",
  "referenceTaskIds",
  "extensions",
  "metadata",
] as const;
const CONTENT = ["text", "raw", "url", "data"] as const;
const PART = [...CONTENT, "mediaType", "filename", "metadata"] as const;

const ROLES: ReadonlyMap<unknown, string> = new Map([
  ["ROLE_USER", "ROLE_USER"],
  ["user", "ROLE_USER"],
  ["ROLE_AGENT", "ROLE_AGENT"],
  ["agent", "ROLE_AGENT"],
]);

const invalid = (path: string, reason: string): A2AError =>
  new A2AError("invalid-params", { data: { path, reason } });

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The named members, in camelCase or snake_case; metadata without what only the proxy writes. */
function picked(given: Fields, names: readonly string[]): Fields {
  const fields: Fields = {};
  for (const name of names) {
    const value = given[name] ?? given[snakeCase(name)];
    if (value !== undefined) fields[name] = value;
  }
  if (isRecord(fields["metadata"])) fields["metadata"] = withoutOwnKeys(fields["metadata"]);
  return fields;
}

function fieldsAt(path: string, value: unknown): Fields {
  if (isRecord(value)) return value;
  throw invalid(path, "an object is required");
}

/** Writers that write defaults out send `"text": ""` beside content of another kind. */
const isContent = ([name, value]: [string, unknown]): boolean =>
  CONTENT.some((one) => one === name) && value !== undefined && (name === "data" || value !== "");

function sentPart(value: unknown, index: number): Fields {
  const path = `message.parts[${index}]`;
  const part = picked(fieldsAt(path, value), PART);
  const contents = Object.entries(part).filter(isContent);
  if (
    contents.length > 1 ||
    (contents.length === 0 && part["text"] === undefined && part["raw"] === undefined)
  ) {
    throw invalid(path, `must have one of ${CONTENT.join(", ")}`);
  }
  for (const name of ["text", "raw", "url"]) {
    if (part[name] != null && typeof part[name] !== "string")
      throw invalid(`${path}.${name}`, "must be a string");
  }
  return part;
}

function sentMessage(value: unknown): Fields {
  const message = picked(fieldsAt("message", value), MESSAGE);
  const { parts } = message;
  const role = ROLES.get(message["role"]);
  if (role === undefined) throw invalid("message.role", "must be ROLE_USER or ROLE_AGENT");
  if (!Array.isArray(parts)) throw invalid("message.parts", "an array is required");
  return { ...message, role, parts: parts.map(sentPart) };
}

function sentParams(value: unknown): unknown {
  const { message, configuration, metadata } = picked(fieldsAt("params", value), [
    "message",
    "configuration",
    "metadata",
  ]);
  return toCanonicalSendParams({ message: sentMessage(message), configuration, metadata });
}

/** What does not fit is the client's fault here: invalid params, with the path. */
export function toParams(method: MethodName, params: unknown): unknown {
  try {
    return read(method, params ?? {});
  } catch (thrown) {
    if (!(thrown instanceof A2AError) || thrown.code !== "invalid-agent-response") throw thrown;
    const faults: unknown = thrown.data?.["faults"];
    const [fault = ""] = Array.isArray(faults) ? faults.map(String) : [];
    const [, path = "params", reason = "is invalid"] = /^([^:]*): (.*)$/s.exec(fault) ?? [];
    throw invalid(path, reason);
  }
}

function read(method: MethodName, params: unknown): unknown {
  switch (method) {
    case "send":
    case "stream":
      return sentParams(params);
    case "getTask":
    case "cancelTask":
    case "resubscribe":
      return toCanonicalTaskParams(params);
    case "listTasks":
      return toCanonicalListParams(params);
    case "setPush":
      return toCanonicalTaskPushConfig(params);
    case "getPush":
    case "deletePush":
      return toCanonicalPushParams(params);
    case "listPush":
      return toCanonicalListPushParams(params);
    case "extendedCard":
      return undefined;
    default:
      return method satisfies never;
  }
}
