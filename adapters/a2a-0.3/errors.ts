/**
 * An agent's refusals. The codes of 0.2 and 0.3 (A2A 0.3.0 §8) mean what they say; three need more words: a method that
 * is missing here (-32601, -32004) is something the gateway can do without, and an agent that knows none of these methods
 * usually speaks another dialect.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import { defaultFault, type VendorFault } from "../../src/southbound/vendor-fault.ts";
import { isUnknownMethod } from "../shared/nested-error.ts";

/** A2A 1.0: the agent wants a version of the protocol that was not named. */
const VERSION_NOT_SUPPORTED = -32009;

const ANOTHER_DIALECT =
  "if it serves tasks/send it speaks a2a-0.1, if a2a.sendMessage a2a-snake, if SendMessage a2a-1.0; " +
  "`adapter: auto` finds out";

const ONLY_1_0 = "the card offers A2A 1.0 alone; `adapter: a2a-1.0` or `auto` speaks it";

/** @param offersOnly10 what the agent's card says of the protocol versions, which explains an unknown method */
export function toCanonicalError(fault: VendorFault, offersOnly10 = false): A2AError {
  const { data } = defaultFault(fault);
  if (fault.rpc && isUnknownMethod(fault.rpc, fault.method)) {
    const hint = fault.method === "message/send" ? `: ${offersOnly10 ? ONLY_1_0 : ANOTHER_DIALECT}` : "";
    const message = `The agent does not know ${fault.method}${hint}`;
    return new A2AError("unsupported-operation", { message, data });
  }
  if (fault.rpc?.code === VERSION_NOT_SUPPORTED) {
    const message = `The agent wants another version of A2A than 0.3${offersOnly10 ? `: ${ONLY_1_0}` : ""}`;
    return new A2AError("invalid-agent-response", { message, data });
  }
  return defaultFault(fault);
}
