/** What the operator's configuration says of an agent wins over what its vendor says. */
import type { CardOverlay } from "../config/cards.ts";
import type { AgentCard, AgentSkill } from "../protocol/card.ts";

/** The card with what the overlay replaces; everything else is the vendor's. */
export function withOverlay(card: AgentCard, overlay: CardOverlay | undefined): AgentCard {
  if (!overlay) return card;
  const { skills, defaultInputModes, defaultOutputModes, ...texts } = overlay;
  return {
    ...card,
    ...texts,
    ...(defaultInputModes && { defaultInputModes: [...defaultInputModes] }),
    ...(defaultOutputModes && { defaultOutputModes: [...defaultOutputModes] }),
    skills: skills ? card.skills.filter((skill) => isShown(skill, skills)) : card.skills,
  };
}

/** The card with these skills and no others; as it is where all may be seen. */
export const withSkills = (card: AgentCard, granted: ReadonlySet<string> | undefined): AgentCard =>
  granted ? { ...card, skills: card.skills.filter(({ id }) => granted.has(id)) } : card;

const isShown = ({ id }: AgentSkill, skills: NonNullable<CardOverlay["skills"]>): boolean =>
  "include" in skills ? skills.include.includes(id) : !skills.exclude.includes(id);
