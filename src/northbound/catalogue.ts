/** `GET /agents`: which agents there are for the caller, and where. */
import { setTimeout } from "node:timers/promises";
import type { Gate } from "../auth/gate.ts";
import { mayReach } from "../auth/principal.ts";
import { identify } from "./access.ts";
import { CARD_PATHS } from "./agent-card.ts";
import type { Handler } from "./http.ts";
import type { ServedAgent } from "./served-agent.ts";

/** How long the list waits for cards that have to be fetched first: one slow vendor must not hold up the others. */
const PATIENCE_MS = 250;

/** `{agents: [{name, url, cardUrl, title?, description?}]}`; the last two are the card's, where it can be had. */
export const catalogue =
  (agents: readonly ServedAgent[], gate: Gate): Handler =>
  async (ctx) => {
    const principal = await identify(ctx, gate);
    const reachable = agents.filter(({ config }) => mayReach(principal, config.name));
    const late = setTimeout(PATIENCE_MS, undefined, { ref: false });
    ctx.set("Cache-Control", "no-cache");
    ctx.body = { agents: await Promise.all(reachable.map((agent) => entry(agent, late))) };
  };

async function entry(agent: ServedAgent, late: Promise<undefined>): Promise<Record<string, string>> {
  const place = { name: agent.config.name, url: agent.url, cardUrl: agent.url + CARD_PATHS[0].slice(1) };
  const document = await Promise.race([agent.card().catch(() => undefined), late]);
  if (document === undefined) return place;
  const { name: title, description } = document.card;
  return { ...place, title, description };
}
