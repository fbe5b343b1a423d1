/** Whether the skills that grants name are on the agents' cards: a misspelt one would refuse every message. */
import type { AuthConfig, Grant } from "../config/auth.ts";
import type { Config } from "../config/config.ts";
import { suggestion } from "../config/faults.ts";
import type { AgentCard } from "../protocol/card.ts";

/** @param cards of the agents whose cards could be read; nothing is said of grants for others */
export function skillWarnings(
  { auth, agents }: Pick<Config, "auth" | "agents">,
  cards: ReadonlyMap<string, AgentCard>,
): string[] {
  if (typeof auth === "string") return [];
  return placed(auth).flatMap(([path, grant]) => {
    const names = grant.agents ?? [...agents.keys()];
    const read = names.flatMap((name) => cards.get(name) ?? []);
    if (read.length < names.length) return [];
    const known = new Set(read.flatMap(({ skills }) => skills.map(({ id }) => id)));
    const whose =
      names.length === 1 ? `the card of ${names.join()} has` : `the cards of ${names.join(", ")} have`;
    return (grant.skills ?? []).flatMap((skill) =>
      known.has(skill) ? [] : [`${path}.skills: ${whose} no skill ${skill}${suggestion(skill, known)}`],
    );
  });
}

/** Every grant, with its place in the file. */
function placed({ apiKeys, oidc, mtls }: AuthConfig): [path: string, grant: Grant][] {
  return [
    ...Object.entries(apiKeys?.keys ?? {}).map(([name, key]): [string, Grant] => [
      `auth.apiKeys.keys.${name}`,
      key,
    ]),
    ...(oidc ?? []).flatMap(({ grants = [] }, issuer) =>
      grants.map((grant, index): [string, Grant] => [`auth.oidc[${issuer}].grants[${index}]`, grant]),
    ),
    ...(mtls?.grants ?? []).map((grant, index): [string, Grant] => [`auth.mtls.grants[${index}]`, grant]),
  ];
}
