import { expect, test } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "../../adapters/index.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { CardMemory, cardDigests } from "../../src/store/card-memory.ts";
import { createWorld, withFile, withServer } from "./support.ts";

const CARD: AgentCard = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans.",
  url: "http://127.0.0.1",
  version: "2",
  capabilities: { streaming: true },
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [],
};

/** What `check` says of an agent with this card. */
async function checked(agent: object, store: string): Promise<{ code: number; err: string }> {
  const world = createWorld({ adapters });
  const code = await withServer(
    (_request, response) => response.end(JSON.stringify(CARD)),
    (url) => {
      const planner = { adapter: "a2a-0.3", url, ...agent };
      const config = JSON.stringify({ store: { path: store }, agents: { planner } });
      return withFile(config, (file) => world.run("check", "--config", file));
    },
  );
  return { code, err: world.err.text };
}

test("a card that the vendor has not signed is a fault where it has to be", async () => {
  const keys = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
  const { code, err } = await checked({ cardSignature: { keys } }, ":memory:");
  expect(code).toBe(1);
  expect(err).toContain("The card of the agent planner is not trusted: it is not signed");
});

test("a card that has changed since the proxy read it is told with what has changed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "check-"));
  const store = join(folder, "proxy.db");
  expect(await checked({}, store)).toMatchObject({ code: 0, err: expect.not.stringContaining("changed") });
  new CardMemory(store).remember("planner", cardDigests({ ...CARD, version: "1", iconUrl: "x" }));
  const { code, err } = await checked({}, store);
  expect(code).toBe(0);
  expect(err).toContain("agents.planner: the card has changed since the proxy last read it: iconUrl");
  expect(err).toContain("version");
  await rm(folder, { recursive: true });
});
