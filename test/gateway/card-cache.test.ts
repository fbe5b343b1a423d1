import { describe, expect, jest, test } from "@jest/globals";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentCard } from "../../src/protocol/card.ts";
import { CardMemory, cardDigests, changedMembers } from "../../src/store/card-memory.ts";
import { callerOf, gatewayOver } from "../support/fake-agent.ts";

const CARD: AgentCard = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans.",
  url: "http://vendor.example",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};

const MINUTE = 60_000;

/** What is waited for in the background. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the cache of cards", () => {
  test.each([
    [undefined, 5 * MINUTE],
    [2 * MINUTE, 2 * MINUTE],
    [0, MINUTE / 2],
    [1e12, 60 * MINUTE],
  ])("a card that may be kept for %p ms is fetched again after %p, in the background", async (told, age) => {
    const now = jest.spyOn(performance, "now").mockReturnValue(0);
    const cards = [CARD, { ...structuredClone(CARD) }, { ...CARD, version: "2" }];
    let fetched = 0;
    const card = async (): Promise<AgentCard> => cards[fetched++] ?? CARD;
    const { gateway } = await gatewayOver({ card }, { cardAge: () => told });
    const first = await gateway.card();
    now.mockReturnValue(age - 1);
    expect(await gateway.card()).toBe(first);
    expect(fetched).toBe(1);
    now.mockReturnValue(age);
    await gateway.card();
    await settle();
    expect(fetched).toBe(2);
    // An equal card is the same object: what was made of it is still good.
    expect(await gateway.card()).toBe(first);
    now.mockReturnValue(2 * age);
    expect(await gateway.card()).toBe(first);
    await settle();
    expect((await gateway.card()).version).toBe("2");
    now.mockRestore();
  });
});

test("a card that echoes the key it was asked with is served without it", async () => {
  const key = "s3cretkey-0123";
  const echo = {
    ...CARD,
    description: `Plans, by ${key}.`,
    iconUrl: `https://vendor.example/icon?key=${key}`,
  };
  const offering = { ...echo, supportsAuthenticatedExtendedCard: true };
  const backend = { card: async () => offering, extendedCard: async () => echo };
  const { gateway } = await gatewayOver(backend, { secrets: [key] });
  const [card, extended] = [await gateway.card(), await gateway.extendedCard(callerOf().caller)];
  expect(card.description).toBe("Plans, by [redacted].");
  expect(card.iconUrl).toBe("https://vendor.example/icon?key=[redacted]");
  expect(JSON.stringify(extended)).not.toContain(key);
});

describe("the memory of cards", () => {
  test("tells which members have changed, whatever the order of keys", () => {
    const { name, ...rest } = CARD;
    expect(changedMembers(cardDigests(CARD), cardDigests({ ...rest, name }))).toEqual([]);
    const changed = {
      ...rest,
      name,
      skills: [{ id: "a", name: "A", description: "", tags: [] }],
      iconUrl: "x",
    };
    expect(changedMembers(cardDigests(CARD), cardDigests(changed))).toEqual(["iconUrl", "skills"]);
  });

  test("outlives the process, and a broken file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cards-"));
    const path = join(folder, "deeper", "proxy.db");
    const memory = new CardMemory(path);
    expect(memory.recall("planner")).toBeUndefined();
    memory.remember("planner", cardDigests(CARD));
    expect(new CardMemory(path).recall("planner")).toEqual(cardDigests(CARD));
    expect(await readFile(`${path}.cards.json`, "utf8")).not.toContain("Planner");
    await writeFile(`${path}.cards.json`, "{");
    expect(new CardMemory(path).recall("planner")).toBeUndefined();
    await rm(folder, { recursive: true });
  });
});
