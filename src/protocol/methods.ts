/** The methods of A2A 0.3.0 (§7), whatever the transport: which are offered, and what their params have to be. */
import {
  acceptDeletePushConfigParams,
  acceptGetPushConfigParams,
  acceptSendParams,
  acceptTaskIdParams,
  acceptTaskPushConfig,
  acceptTaskQueryParams,
  type AcceptRules,
} from "./accept.ts";
import { A2AError } from "./errors.ts";
import { acceptListParams } from "./list-params.ts";

interface MethodRow {
  readonly name: string;
  /** `unary` answers one object, `stream` a series of events. */
  readonly kind: "unary" | "stream";
  /** Starts work or a stream, which a proxy that is stopping no longer does. */
  readonly starts: "task" | "stream" | false;
  /** The params as the gateway takes them; throws an A2AError where they are not what the method asks for. */
  accept(params: unknown, rules: AcceptRules): unknown;
}

/** A method without params (§7.10). */
const acceptNothing = (): void => {};

const OFFERED = [
  { name: "message/send", kind: "unary", starts: "task", accept: acceptSendParams },
  { name: "message/stream", kind: "stream", starts: "task", accept: acceptSendParams },
  { name: "tasks/get", kind: "unary", starts: false, accept: acceptTaskQueryParams },
  { name: "tasks/list", kind: "unary", starts: false, accept: acceptListParams },
  { name: "tasks/cancel", kind: "unary", starts: false, accept: acceptTaskIdParams },
  { name: "tasks/resubscribe", kind: "stream", starts: "stream", accept: acceptTaskIdParams },
  {
    name: "tasks/pushNotificationConfig/set",
    kind: "unary",
    starts: false,
    accept: acceptTaskPushConfig,
  },
  {
    name: "tasks/pushNotificationConfig/get",
    kind: "unary",
    starts: false,
    accept: acceptGetPushConfigParams,
  },
  {
    name: "tasks/pushNotificationConfig/list",
    kind: "unary",
    starts: false,
    accept: acceptTaskIdParams,
  },
  {
    name: "tasks/pushNotificationConfig/delete",
    kind: "unary",
    starts: false,
    accept: acceptDeletePushConfigParams,
  },
  { name: "agent/getAuthenticatedExtendedCard", kind: "unary", starts: false, accept: acceptNothing },
] as const satisfies readonly MethodRow[];

/** As §11.1.3 spells it. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["agent/authenticatedExtendedCard", "agent/getAuthenticatedExtendedCard"],
]);

export type Method = (typeof OFFERED)[number];
export type UnaryMethod = Extract<Method, { kind: "unary" }>;
export type StreamMethod = Extract<Method, { kind: "stream" }>;

const BY_NAME: ReadonlyMap<string, Method> = new Map(OFFERED.map((method) => [method.name, method]));

/** Every method name of 0.3.0. */
export const METHOD_NAMES: readonly string[] = [...BY_NAME.keys()];

/** The methods of A2A, by names that are no wire's. */
export const METHODS = [
  "send",
  "stream",
  "getTask",
  "listTasks",
  "cancelTask",
  "resubscribe",
  "setPush",
  "getPush",
  "listPush",
  "deletePush",
  "extendedCard",
] as const;
export type MethodName = (typeof METHODS)[number];

const OF_NAME: Readonly<Record<MethodName, Method["name"]>> = {
  send: "message/send",
  stream: "message/stream",
  getTask: "tasks/get",
  listTasks: "tasks/list",
  cancelTask: "tasks/cancel",
  resubscribe: "tasks/resubscribe",
  setPush: "tasks/pushNotificationConfig/set",
  getPush: "tasks/pushNotificationConfig/get",
  listPush: "tasks/pushNotificationConfig/list",
  deletePush: "tasks/pushNotificationConfig/delete",
  extendedCard: "agent/getAuthenticatedExtendedCard",
};

/** 0.3.0's name of a method. */
export const wireNameOf = (method: MethodName): Method["name"] => OF_NAME[method];

/** Characters of an unknown method's name that the answer repeats. */
const MAX_NAME = 80;

/** Names that other dialects have for methods, with 0.3.0's names for them. */
export type MethodNames = ReadonlyMap<string, string>;

/** The offered method of this name; throws the A2AError that a request for another one is answered with. */
export function methodNamed(name: string, elsewhere?: MethodNames): Method {
  const method = BY_NAME.get(ALIASES.get(name) ?? name);
  if (method) return method;
  throw unknownMethod(name, elsewhere);
}

/** The same over JSON-RPC, which has no way to list tasks (§3.5.6). */
export function rpcMethodNamed(name: string, elsewhere?: MethodNames): Method {
  if (name === "tasks/list") throw unknownMethod(name);
  return methodNamed(name, elsewhere);
}

/** The message is all that most clients show: it names the method to call instead. */
function unknownMethod(name: string, elsewhere?: MethodNames): A2AError {
  if (name.length > MAX_NAME) {
    return new A2AError("method-not-found", { message: `Method not found: ${name.slice(0, MAX_NAME)}…` });
  }
  const spelled = METHOD_NAMES.find((known) => known.toLowerCase() === name.toLowerCase());
  const meant = spelled ?? elsewhere?.get(name);
  const instead = meant === "tasks/list" ? "tasks are listed by GET …/v1/tasks" : meant;
  const hint = instead === undefined ? "" : ` (this URL speaks A2A 0.3.0: ${instead})`;
  return new A2AError("method-not-found", { message: `Method not found: ${name}${hint}` });
}
