/** From a method and its params, as any transport has them, to the gateway. */
import type { Gate } from "../auth/gate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Caller, Gateway, Subscription } from "../gateway/gateway.ts";
import type { AcceptRules } from "../protocol/accept.ts";
import type { StreamMethod, UnaryMethod } from "../protocol/methods.ts";
import type { MessageSendParams } from "../protocol/params.ts";
import type { ServedAgent } from "./served-agent.ts";
import { ServedCard, type Answer, type Door } from "./served-card.ts";

/** The task that a result is, or is about, where it says so. */
export function taskOf(result: Answer): string | undefined {
  if (result === null || Array.isArray(result)) return undefined;
  if (result instanceof ServedCard || "tasks" in result) return undefined;
  return "status" in result ? result.id : result.taskId;
}

export interface Invocation {
  readonly gateway: Gateway;
  /** The served extended card, see `ServedAgent`. */
  extendedCard(caller: Caller): Promise<ServedCard>;
  /** Throws `forbidden` where the caller may not send this message. */
  permit(params: MessageSendParams): void;
  /** As the client sent them. */
  readonly params: unknown;
  readonly rules: AcceptRules;
  readonly caller: Caller;
  /** The last event that a client which comes back has seen, see `lastEventId`. */
  readonly after?: number | undefined;
}

interface Admitted {
  readonly agent: ServedAgent;
  readonly principal: Principal;
  readonly gate: Gate;
  readonly method: string;
  /** Where the call came in, if not at the agent's usual URL. */
  readonly door?: Door | undefined;
}

/** What of an invocation depends on what the caller has been granted. */
export const allowance = ({
  agent,
  principal,
  gate,
  method,
  door,
}: Admitted): Pick<Invocation, "extendedCard" | "permit"> => {
  const { name } = agent.config;
  return {
    extendedCard: (caller) => agent.extendedCard(caller, gate.skillsFor(principal, name), door),
    permit: (params) => gate.requireSkill(principal, { agent: name, method }, params),
  };
};

/** An id that no event has: the client has seen something that is not in the log. */
const UNKNOWN_EVENT = -1;

/** The place in a task's log that the `Last-Event-ID` header names; undefined without one. */
export function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  return /^\d{1,15}$/.test(header) ? Number(header) : UNKNOWN_EVENT;
}

/** Rejects with an A2AError, `invalid-params` among them. */
export async function callUnary(method: UnaryMethod, invocation: Invocation): Promise<Answer> {
  const { gateway, params, rules, caller } = invocation;
  switch (method.name) {
    case "message/send":
      return gateway.sendMessage(permitted(method.accept(params, rules), invocation), caller);
    case "tasks/get":
      return gateway.getTask(method.accept(params, rules), caller);
    case "tasks/list":
      return gateway.listTasks(method.accept(params, rules), caller);
    case "tasks/cancel":
      return gateway.cancelTask(method.accept(params, rules), caller);
    case "tasks/pushNotificationConfig/set":
      return gateway.setPushConfig(method.accept(params, rules), caller);
    case "tasks/pushNotificationConfig/get":
      return gateway.getPushConfig(method.accept(params, rules), caller);
    case "tasks/pushNotificationConfig/list":
      return gateway.listPushConfigs(method.accept(params, rules), caller);
    case "tasks/pushNotificationConfig/delete":
      await gateway.deletePushConfig(method.accept(params, rules), caller);
      return null;
    case "agent/getAuthenticatedExtendedCard":
      return invocation.extendedCard(caller);
    default:
      return method satisfies never;
  }
}

/** Resolves once the first event is there; rejects with an A2AError, `invalid-params` among them. */
export async function openStream(method: StreamMethod, invocation: Invocation): Promise<Subscription> {
  const { gateway, params, rules, caller, after } = invocation;
  switch (method.name) {
    case "message/stream":
      return gateway.streamMessage(permitted(method.accept(params, rules), invocation), caller);
    case "tasks/resubscribe":
      return gateway.resubscribe(method.accept(params, rules), caller, after);
    default:
      return method satisfies never;
  }
}

/** What is looked at is what the agent is sent. */
function permitted(params: MessageSendParams, invocation: Invocation): MessageSendParams {
  invocation.permit(params);
  return params;
}
