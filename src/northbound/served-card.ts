/** A card on its way to clients: in their dialect, and signed in the form that they read. */
import type { ClientDialect, UnaryResult } from "../dialect.ts";
import type { AgentCard } from "../protocol/card.ts";
import type { CardSigner } from "./card-signer.ts";

/** By which URL a client of a dialect comes to an agent. */
export interface Door {
  readonly dialect: ClientDialect;
  /** The base URL that speaks this dialect alone, with a slash at its end. */
  readonly url: string;
  readonly grpcUrl?: string | undefined;
  /** The client has come by the agent's usual URL, and may speak 0.3 as well. */
  readonly isUsual?: boolean;
}

/** What the cards of one agent are written with. */
export interface CardOffice {
  readonly signer?: CardSigner | undefined;
  /** The door of the dialect that 0.3.0's card is extended for; absent: it is 0.3.0's alone. */
  readonly extension?: Door | undefined;
}

export class ServedCard {
  /** As 0.3.0 has it, for transports that write it in a form of their own. */
  readonly card: AgentCard;
  /** As it is sent. */
  readonly document: object;

  constructor(card: AgentCard, document: object) {
    this.card = card;
    this.document = document;
  }

  toJSON(): object {
    return this.document;
  }
}

/** What a method answers, before it is written in a client's dialect. */
export type Answer = UnaryResult | ServedCard;

/**
 * Writes the card for a door, or for an agent's usual URL, at which clients of 0.3.0 and of another dialect may read the same
 * document. Such a document has a signature for each of its readers, since either verifies only what it knows.
 */
export async function servedAt(
  door: Door | undefined,
  card: AgentCard,
  { signer, extension }: CardOffice,
): Promise<ServedCard> {
  const signed = signer ? await signer.sign(card) : card;
  const { document, readings } = door ? cardFor(door, card) : cardForAll(extension, card);
  if (document === card) return new ServedCard(signed, signed);
  return new ServedCard(signed, signer ? await signer.sign(document, readings) : document);
}

interface Written {
  readonly document: object;
  /** What of it is left at the readers that there are. */
  readonly readings: readonly object[];
}

function cardFor(door: Door, card: AgentCard): Written {
  const { dialect, isUsual } = door;
  const usual = isUsual ? dialect.extendReference?.(card, door).asRead : undefined;
  const document = usual ?? dialect.fromCard(card, door);
  return { document, readings: [document] };
}

function cardForAll(extension: Door | undefined, card: AgentCard): Written {
  const extended = extension?.dialect.extendReference?.(card, extension);
  return extended
    ? { document: extended.document, readings: [card, extended.asRead] }
    : { document: card, readings: [card] };
}
