/** The real adapters behind the decision, and the demo vendors, each as odd as its real counterpart, in front of it. */
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { adapters } from "../../../adapters/index.ts";
import { startVendors } from "../../../src/demo/vendors.ts";
import type { RunningVendors } from "../../../src/demo/server.ts";
import { cleanUp, clientOf } from "../../southbound/loopback.ts";

let vendors: RunningVendors;
beforeAll(async () => {
  vendors = await startVendors(0);
});
afterAll(() => vendors.stop());
afterEach(cleanUp);

test.each([
  ["/v2/a2a/demo-app", "appbuilder"],
  ["/legacy", "a2a-0.1"],
  ["/snake", "a2a-snake"],
  ["/canonical", "a2a-0.3"],
])("the demo vendor %s speaks %s", async (path, dialect) => {
  const url = vendors.url + path;
  const token = "demo-key";
  const backend = adapters.get("auto")?.connect(
    {},
    {
      agent: "demo",
      url,
      fetchCard: async (signal) => {
        const headers = { authorization: `Bearer ${token}` };
        const [first, second] = await Promise.all(
          ["agent-card.json", "agent.json"].map((name) =>
            fetch(`${url}/.well-known/${name}`, { signal, headers }),
          ),
        );
        return await (first?.ok ? first : second)?.json();
      },
      http: clientOf(url, {
        credentials: { type: "bearer", token },
        limits: { connections: 1, responseBody: 1e6, event: 1e6 },
      }),
      log: pino({ level: "silent" }),
      newId: () => crypto.randomUUID(),
    },
  );
  await backend?.card(new AbortController().signal);
  expect(backend?.decision?.()).toContain(`The agent speaks ${dialect}: `);
});
