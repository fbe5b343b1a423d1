/** An option of every dialect. */
import { z } from "zod";

/** How a message that wants one answer is sent; see `Backend.sendBy`. */
export const Send = z
  .enum(["send", "stream"])
  .optional()
  .meta({
    description:
      "How a message that wants one answer is sent to the agent: by its method for that (`send`), or by its stream, which the " +
      "proxy reads to the end (`stream`), for agents whose own method hangs or answers worse. Absent: `send`; of appbuilder, `stream` unless the agent's card denies it.",
  });
