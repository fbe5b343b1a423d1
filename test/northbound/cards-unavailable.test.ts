/** Anybody may ask for a card, as often as they like: an agent that is down is not asked each time. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, jest, test } from "@jest/globals";
import { CARD } from "../auth/support.ts";
import { startTestProxy } from "../support/proxy.ts";

test("an agent without a card is asked for it once in five seconds, whoever wants it", async () => {
  let asked = 0;
  let isUp = false;
  const vendor = createServer((_request, response) => {
    asked += 1;
    response.writeHead(isUp ? 200 : 500, { "content-type": "application/json" }).end(JSON.stringify(CARD));
  }).listen(0, "127.0.0.1");
  await once(vendor, "listening");
  const { port } = vendor.address() as AddressInfo;
  const planner = { adapter: "a2a-0.3", url: `http://127.0.0.1:${port}/` };
  const proxy = await startTestProxy({ planner });
  const card = () => fetch(`${proxy.agent("planner")}.well-known/agent-card.json`);
  try {
    const first = await card();
    expect(first.status).toBe(502);
    const before = asked;
    expect(before).toBeGreaterThan(0);
    const answers = await Promise.all(Array.from({ length: 20 }, card));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
    expect(await answers[0]?.json()).toEqual(await first.json());
    expect(asked).toBe(before);
    isUp = true;
    const later = performance.now() + 5_000;
    const clock = jest.spyOn(performance, "now").mockImplementation(() => later);
    expect((await card()).status).toBe(200);
    clock.mockRestore();
  } finally {
    await proxy.stop();
    vendor.close();
  }
});
