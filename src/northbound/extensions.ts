/** Extension activation (§3.2.5, `X-A2A-Extensions`): the client lists URIs, the answer lists those that apply. */
import type { ServedAgent } from "./served-agent.ts";

export const EXTENSIONS_HEADER = "X-A2A-Extensions";

/** The URIs of the header's value: comma-separated, each once. */
export function requestedExtensions(header: string): readonly string[] {
  const uris = header.split(",").map((uri) => uri.trim());
  return [...new Set(uris)].filter((uri) => uri !== "");
}

/** Those of the URIs that the agent's served card declares; none while there is no card. */
export async function activatedExtensions(
  agent: ServedAgent,
  uris: readonly string[],
): Promise<readonly string[]> {
  if (uris.length === 0) return [];
  try {
    const { card } = await agent.card();
    const declared = new Set(card.capabilities.extensions?.map(({ uri }) => uri));
    return uris.filter((uri) => declared.has(uri));
  } catch {
    // The call itself says what is wrong with the agent, if anything is.
    return [];
  }
}
