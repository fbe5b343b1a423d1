/** Recognizes messages that an agent sends again, in its history or in a status, without an id to know them by. */
import type { AgentMessage, AgentStatus } from "../../adapter.ts";
import type { Message } from "../../protocol/model.ts";
import type { TaskState } from "./state.ts";

function sameContent(message: AgentMessage): (known: Message | undefined) => boolean {
  const parts = JSON.stringify(message.parts);
  return (known) => known?.role === message.role && JSON.stringify(known.parts) === parts;
}

/**
 * The same message as it is known already: of one without an id, role and content tell.
 * @param held the message of the status that waits to be sent
 */
export function knownMessage(
  { history, status }: TaskState,
  held: Message | undefined,
  message: AgentMessage,
): Message | undefined {
  const isSame = sameContent(message);
  return [held, status.message].find(isSame) ?? history.findLast(isSame);
}

/** A status message that the vendor's history has told of, under the id that it was given there. */
export function identified(state: TaskState, held: Message | undefined, status: AgentStatus): AgentStatus {
  const { message } = status;
  if (!message || message.messageId !== undefined) return status;
  const isSame = sameContent(message);
  const known = [held, state.history.at(-1)].find(isSame);
  if (!known) return status;
  const { messageId } = known;
  // An id that the vendor has given to another message before would lose this one.
  const owner = state.messageWith(messageId);
  return owner && !isSame(owner) ? status : { ...status, message: { ...message, messageId } };
}
