/** `GET /agents`: which agents there are, and where. */
import { setImmediate } from "node:timers/promises";
import { CARD_PATHS } from "./agent-card.ts";
import type { Handler } from "./http.ts";
import type { ServedAgent } from "./served-agent.ts";

/** `{agents: [{name, url, cardUrl, title?, description?}]}`; the last two are the card's, where it is at hand. */
export const catalogue =
  (agents: readonly ServedAgent[]): Handler =>
  async (ctx) => {
    ctx.set("Cache-Control", "no-cache");
    ctx.body = { agents: await Promise.all(agents.map(entry)) };
  };

async function entry(agent: ServedAgent): Promise<Record<string, string>> {
  const place = { name: agent.config.name, url: agent.url, cardUrl: agent.url + CARD_PATHS[0].slice(1) };
  // One slow vendor must not hold up the list: a card that is not there at once is left out this time.
  const document = await Promise.race([agent.card().catch(() => undefined), setImmediate(undefined)]);
  if (document === undefined) return place;
  const { name: title, description } = document.card;
  return { ...place, title, description };
}
