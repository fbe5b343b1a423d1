/** The fault of JSON that nothing further on could walk (see protocol/nesting.ts). */
import { A2AError } from "../protocol/errors.ts";
import { MAX_NESTING } from "../protocol/nesting.ts";

export const tooDeep = (data: Record<string, unknown>): A2AError =>
  new A2AError("invalid-agent-response", {
    message: `The agent answered with JSON of more than ${MAX_NESTING} nested levels`,
    data: { ...data, limit: MAX_NESTING },
  });
