/**
 * Which card every agent had when the proxy last read it, as digests of its top-level members, in a small file beside
 * the task store: so that a card that changes while the proxy is down is noticed, and `check` can tell.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { AgentCard } from "../protocol/card.ts";
import { canonicalJson } from "../protocol/card-payload.ts";
import { makeFolderOf, OWNER_ONLY } from "./private-files.ts";

const Digests = z.record(z.string(), z.string());
/** By the name of a card's member. */
export type CardDigests = z.infer<typeof Digests>;

const Memory = z.record(z.string(), Digests);

export const cardDigests = (card: AgentCard): CardDigests =>
  Object.fromEntries(
    Object.entries(card).flatMap(([key, value]) => (value === undefined ? [] : [[key, digest(value)]])),
  );

const digest = (value: unknown): string =>
  createHash("sha256").update(canonicalJson(value)).digest("base64url").slice(0, 22);

/** The top-level members that are not the same in both. */
export function changedMembers(before: CardDigests, after: CardDigests): string[] {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...members].filter((member) => before[member] !== after[member]).sort();
}

export class CardMemory {
  readonly #file: string | undefined;
  #known: Record<string, CardDigests>;

  /** @param storePath the task store's; beside `:memory:` nothing is kept */
  constructor(storePath: string) {
    this.#file = storePath === ":memory:" ? undefined : `${storePath}.cards.json`;
    this.#known = this.#file === undefined ? {} : read(this.#file);
  }

  /** Undefined for an agent whose card has never been read. */
  recall(agent: string): CardDigests | undefined {
    return Object.hasOwn(this.#known, agent) ? this.#known[agent] : undefined;
  }

  /** Throws where the file cannot be written; then it is known to this process only. */
  remember(agent: string, digests: CardDigests): void {
    this.#known = { ...this.#known, [agent]: digests };
    if (this.#file === undefined) return;
    makeFolderOf(this.#file);
    const next = `${this.#file}.${process.pid}`;
    writeFileSync(next, JSON.stringify(this.#known, null, 2), { mode: OWNER_ONLY });
    renameSync(next, this.#file);
  }
}

/** A file that is not there, or broken, remembers nothing. */
function read(file: string): Record<string, CardDigests> {
  try {
    return Memory.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}
