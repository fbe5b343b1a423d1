/** Parrot's card has a name and a sentence; 0.3.0 wants more. The proxy puts its own URL and capabilities in. */
import type { AgentCard } from "../../../src/index.ts";
import type { WireCard } from "./wire.ts";

export function toCanonicalCard({ parrot, about }: WireCard, url: string): AgentCard {
  return {
    protocolVersion: "0.3.0",
    name: parrot,
    description: about ?? "A parrot",
    url,
    version: "1",
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
}
