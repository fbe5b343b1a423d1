/** `GET …/.well-known/agent-card.json`: the served card over HTTP. */
import type { Logger } from "pino";
import type { Gate } from "../auth/gate.ts";
import { identify } from "./access.ts";
import { VERSION_HEADER } from "./dialects.ts";
import { noteError, sendFault, type Context } from "./http.ts";
import type { ServedAgent } from "./served-agent.ts";
import type { Door } from "./served-card.ts";

interface CardDeps {
  readonly log: Logger;
  readonly gate: Gate;
}

/**
 * Sends the card, or 304 to whoever has it already; 502 where the vendor's is not to be had. Rejects with `unauthenticated` or
 * `forbidden` where it is not for everybody.
 * @param door whose card it is; absent: that of the agent's usual URL, where a request may name its version
 */
export async function sendCard(
  ctx: Context,
  agent: ServedAgent,
  { log, gate }: CardDeps,
  door?: Door,
): Promise<void> {
  const scope = gate.publicCard ? "public" : "private";
  const skills = gate.publicCard ? undefined : await skillsOfCaller(ctx, agent, gate);
  try {
    const named = door ? undefined : agent.dialects.named(ctx);
    const { json, etag } = await agent.card(skills, door ?? (named && agent.usualDoorOf(named)));
    if (!door) ctx.vary(VERSION_HEADER);
    ctx.status = 200;
    ctx.type = "application/json";
    ctx.set({ ETag: etag, "Cache-Control": `${scope}, max-age=60` });
    ctx.body = json;
    if (ctx.fresh) ctx.status = 304;
  } catch (thrown) {
    const { code, message, data, httpStatus } = noteError(ctx, thrown, log);
    // A 4xx would blame the client for what went wrong between the proxy and the vendor.
    const status = httpStatus < 500 ? 502 : httpStatus;
    // Where a card was looked for is the operator's to know: the log and `check` say it.
    if (data?.["tried"] === undefined) sendFault(ctx, status, code, message, data);
    else sendFault(ctx, status, code, "No card of the agent was found", { agent: agent.config.name });
  }
}

/** Which skills the caller may see; rejects with `unauthenticated` or `forbidden`. */
async function skillsOfCaller(
  ctx: Context,
  { config: { name } }: ServedAgent,
  gate: Gate,
): Promise<ReadonlySet<string> | undefined> {
  const principal = await identify(ctx, gate);
  gate.requireReach(principal, name);
  return gate.skillsFor(principal, name);
}
