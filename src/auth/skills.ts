/**
 * Grants for skills. Skills are named on cards only: 0.3.0 has no field in which a request says which one it is for, and
 * the agent decides what it runs. Here a request says it in its metadata, under a configured key, and the proxy makes
 * sure of what it says.
 */
import type { Grant } from "../config/auth.ts";
import type { Metadata } from "../protocol/model.ts";
import type { MessageSendParams } from "../protocol/params.ts";
import { coversAgent, coversMethod, forbidden, type Principal } from "./principal.ts";

const SENDING = ["message/send", "message/stream"];

/** What a request with a message is, apart from its params. */
export interface Sending {
  readonly agent: string;
  /** As JSON-RPC names it. */
  readonly method: string;
  /** Of the metadata in which the skill is named. */
  readonly key: string;
}

/** Throws `forbidden` where the caller's grants are for certain skills and the request names none of them. */
export function requireSkill(
  principal: Principal,
  { agent, method, key }: Sending,
  { message, metadata }: MessageSendParams,
): void {
  const granted = skillsOf(
    principal.grants.filter((grant) => coversAgent(grant, agent) && coversMethod(grant, method)),
  );
  if (granted === undefined) return;
  const named = [...valuesOf(message.metadata, key), ...valuesOf(metadata, key)];
  const [skill] = named;
  const refuse = (reason: string) => forbidden(principal, { agent, method, reason, skills: [...granted] });
  if (skill === undefined) {
    throw refuse(`the caller may use certain skills only: metadata.${key} must name one of them`);
  }
  if (named.some((value) => value !== skill)) {
    throw refuse(`message.metadata.${key} and metadata.${key}, in any spelling, name different skills`);
  }
  if (typeof skill !== "string" || !granted.has(skill)) {
    throw refuse(`the caller may not use the skill that metadata.${key} names`);
  }
}

/**
 * What the metadata says under the key in any spelling: an agent may read metadata into an object of its own, and take
 * `SkillID` or `skill_id` for `skillId`.
 */
function valuesOf(metadata: Metadata | undefined, key: string): unknown[] {
  const folded = fold(key);
  return Object.entries(metadata ?? {})
    .filter(([name, value]) => value != null && fold(name) === folded)
    .map(([, value]) => value);
}

/** NFKC, since Go takes ſ for s and the Kelvin sign for k. */
const fold = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[_\-. ]/g, "");

/** The skills that the caller may send messages for, as its cards show them; undefined: all. */
export function grantedSkills({ grants }: Principal, agent: string): ReadonlySet<string> | undefined {
  const ofAgent = grants.filter((grant) => coversAgent(grant, agent));
  const sending = ofAgent.filter((grant) => SENDING.some((method) => coversMethod(grant, method)));
  return skillsOf(sending.length > 0 ? sending : ofAgent);
}

/** One grant without skills is for all of them. */
function skillsOf(grants: readonly Grant[]): ReadonlySet<string> | undefined {
  const lists = grants.map(({ skills }) => skills);
  return lists.includes(undefined) ? undefined : new Set(lists.flatMap((skills) => skills ?? []));
}
