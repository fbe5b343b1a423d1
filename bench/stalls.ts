/** How long the proxy answers nobody while it deals with a body that was made to keep it busy. */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { WORST_BODIES } from "./bodies.ts";
import type { Results } from "./measures.ts";
import type { Peer } from "./processes.ts";
import { extraHeaders } from "./wire.ts";

/** Between two looks at /healthz, ms. */
const PAUSE = 1;

/** A request whose answer is read and dropped. */
async function exchange(
  agent: Agent,
  { port }: Peer,
  { path, body }: { readonly path: string; readonly body?: Buffer },
): Promise<number> {
  const headers = [...extraHeaders.map((header) => header.split(": ")), ["Content-Type", "application/json"]];
  const post = body && {
    method: "POST",
    headers: Object.fromEntries([...headers, ["Content-Length", body.length]]),
  };
  const sent = request({ agent, host: "127.0.0.1", port, path, ...post });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  return response.statusCode;
}

/** The longest that /healthz takes while the body is dealt with, ms. */
export async function stallOf(peer: Peer, path: string, body: string): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const bytes = Buffer.from(body);
  const over = new AbortController();
  let longest = 0;
  const probing = (async () => {
    while (!over.signal.aborted) {
      const start = performance.now();
      await exchange(agent, peer, { path: "/healthz" });
      longest = Math.max(longest, performance.now() - start);
      await sleep(PAUSE);
    }
  })();
  await sleep(20);
  await exchange(agent, peer, { path, body: bytes });
  // What is done after the answer, too: the store, the garbage.
  await sleep(50);
  over.abort();
  await probing;
  agent.destroy();
  return longest;
}

/** Each of the worst bodies in turn. */
export async function measureStalls(proxy: Peer, results: Results): Promise<void> {
  const path = proxy.path("canonical") ?? "/";
  let longest = 0;
  for (const { body } of WORST_BODIES) longest = Math.max(longest, await stallOf(proxy, path, body));
  results.add("longest /healthz beside a body", proxy.name, "canonical", "ms", longest);
}
