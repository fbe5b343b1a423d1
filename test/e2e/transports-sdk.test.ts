/** The official clients, made from the card alone, over every transport: they cannot tell what is behind the proxy. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { startVendors } from "../../src/demo/vendors.ts";
import { SERVER_WITH_GRPC, startTestProxy } from "../support/proxy.ts";
import { OFFICIAL_CLIENTS } from "./official-clients.ts";
import { PAIRS } from "./transports.ts";

const NAMES = {
  appbuilder: "Weather assistant (AppBuilder)",
  "a2a-0.3": "Travel planner (A2A 0.3.0, nearly)",
};

const vendors = await startVendors(0);
const ROWS = PAIRS.flatMap(({ vendor, path, transport, words }) =>
  vendor !== "appbuilder" && vendor !== "a2a-0.3"
    ? []
    : (["0.3.14", "1.3.0"] as const).map((version) => ({ version, vendor, path, transport, words })),
);
const agents = ROWS.map(({ vendor, path }) => [
  vendor,
  { adapter: vendor, url: vendors.url + path, grpc: { port: 0 } },
]);
const proxy = await startTestProxy(Object.fromEntries(agents), {
  server: SERVER_WITH_GRPC,
});

afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

describe.each(ROWS)(
  "the official client $version over $transport",
  ({ version, vendor, transport, words }) => {
    test(`reads the card of ${vendor}, sends, streams, and reads the tasks again`, async () => {
      const client = await OFFICIAL_CLIENTS[version](proxy, vendor, transport);
      expect(client.cardName).toBe(NAMES[vendor]);
      const sent = await client.send("tell me");
      expect(sent.state).toBe("completed");
      expect(sent.text).toContain(words);
      expect(await client.get(sent.id)).toEqual(sent);
      const { kinds, ...streamed } = await client.stream("tell me");
      expect([kinds[0], kinds.at(-1)]).toEqual(["task", "status-update"]);
      expect(streamed.text).toContain(words);
      expect(await client.get(streamed.id)).toEqual(streamed);
    });
  },
);
