/** What an agent leaves out of what it says, and who fills it in. */
import { z } from "zod";

export const contextIds = () =>
  z
    .enum(["auto", "agent", "proxy"])
    .prefault("auto")
    .meta({
      description:
        "Who names a new conversation if the client has not: the agent (`agent`), the proxy (`proxy`), or `auto`: the agent " +
        "until it answers a first message without a `contextId`, then the proxy.",
      defaultsTo: "auto",
    });

/** An IANA name or an offset from UTC, as far as this program knows it. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

export const timeZone = () =>
  z
    .string()
    .refine(isTimeZone, { error: "is no time zone; write one such as Asia/Shanghai or +08:00" })
    .exactOptional()
    .meta({
      description:
        "The zone of the agent's timestamps that name none: an IANA name such as `Asia/Shanghai`, or an offset such as " +
        "`+08:00`. Absent: UTC, and the time of receipt if that is in the future.",
      kind: "time zone",
    });
