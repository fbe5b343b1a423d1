/** The enums of package a2a.v1 (0.3.0), in the order of their numbers, and what they are in the JSON of the schema. */
import type { Message } from "./model.ts";
import type { TaskState } from "./states.ts";

/** 0 is proto3's default, which is not written; `unknown` is all it can mean. */
const STATES = [
  ["unknown", "TASK_STATE_UNSPECIFIED"],
  ["submitted", "TASK_STATE_SUBMITTED"],
  ["working", "TASK_STATE_WORKING"],
  ["completed", "TASK_STATE_COMPLETED"],
  ["failed", "TASK_STATE_FAILED"],
  ["canceled", "TASK_STATE_CANCELLED"],
  ["input-required", "TASK_STATE_INPUT_REQUIRED"],
  ["rejected", "TASK_STATE_REJECTED"],
  ["auth-required", "TASK_STATE_AUTH_REQUIRED"],
] as const satisfies readonly (readonly [TaskState, string])[];

const ROLES = [
  [undefined, "ROLE_UNSPECIFIED"],
  ["user", "ROLE_USER"],
  ["agent", "ROLE_AGENT"],
] as const;

const STATE_NAMES = new Map<TaskState, string>(STATES);
const STATES_BY_NAME = new Map<unknown, TaskState>([
  ...STATES.map(([state, name]) => [name, state] as const),
  ...STATES.map(([state], number) => [number, state] as const),
  // How 1.0 spells it.
  ["TASK_STATE_CANCELED", "canceled"],
]);
const ROLES_BY_NAME = new Map<unknown, Message["role"] | undefined>([
  ...ROLES.map(([role, name]) => [name, role] as const),
  ...ROLES.map(([role], number) => [number, role] as const),
]);

/** The name of a state; undefined for the default, which is left out. */
export const toProtoState = (state: TaskState): string | undefined =>
  state === "unknown" ? undefined : STATE_NAMES.get(state);

/** Absent is the default. What is no state of the proto, by name or number, stays as it is. */
export const fromProtoState = (value: unknown): unknown =>
  value === undefined ? "unknown" : (STATES_BY_NAME.get(value) ?? value);

export const toProtoRole = (role: Message["role"]): string => (role === "user" ? "ROLE_USER" : "ROLE_AGENT");

/** What is no role of the proto, by name or number, stays as it is; so does the absence of one, which is a fault. */
export const fromProtoRole = (value: unknown): unknown => ROLES_BY_NAME.get(value) ?? value;
