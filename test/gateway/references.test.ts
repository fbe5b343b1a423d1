import { expect, test } from "@jest/globals";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { asTask, callerOf, gatewayOver, params } from "../support/fake-agent.ts";

test("a message may refer to tasks of its sender, but not to another principal's, nor to unknown ones", async () => {
  const seen: unknown[] = [];
  const { gateway } = await gatewayOver({
    send: async ({ message }: MessageSendParams) => {
      seen.push(message.referenceTaskIds);
      return { kind: "task", id: `vendor-${seen.length}`, status: { state: "completed" } };
    },
  });
  const send = async (principal: string, referenceTaskIds?: string[]) => {
    const more = referenceTaskIds ? { referenceTaskIds } : {};
    return asTask(await gateway.sendMessage(params("hi", more), callerOf(principal).caller)).id;
  };
  const [hers, his] = [await send("ann"), await send("bob")];
  await send("ann", [hers, his, "unknown"]);
  await send("ann", ["unknown"]);
  expect(seen).toEqual([undefined, undefined, ["vendor-1"], undefined]);
});
