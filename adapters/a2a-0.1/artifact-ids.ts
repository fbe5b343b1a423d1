/**
 * Which artifact is meant, where 0.1 knows artifacts by `index` alone. By its schema an absent index is 0, but servers
 * leave it out and tell artifacts apart by their names, or not at all. `index` n is `artifact-n`; those without one are
 * `artifact-0`, `artifact-0-2`, … in their order, the same in a stream as in the task.
 *
 * - Without an index, another name is another artifact, and so is one that does not go on with the text of the one before.
 * - With an explicit index it replaces the one before it in a stream; in a task, both are listed and both are there.
 */
import { isDeepStrictEqual } from "node:util";
import type { Part } from "../../src/protocol/model.ts";
import type { WireArtifact } from "./wire.ts";

/**
 * What an artifact is to the one before it: it adds to it (`append`), is one as a whole (`whole`), or replaces it by the
 * operator's word (`replace`).
 */
export type Relation = "append" | "whole" | "replace";

interface Content {
  readonly text: string;
  readonly others: readonly Part[];
}

/** What a name or an index stands for now. */
interface Current {
  readonly id: string;
  readonly content: Content;
}

const indexOf = ({ index }: WireArtifact): number | undefined => index ?? undefined;

function contentOf(parts: readonly Part[]): Content {
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return { text, others: parts.filter(({ kind }) => kind !== "text") };
}

const joined = (one: Content, other: Content): Content => ({
  text: one.text + other.text,
  others: other.others.length === 0 ? one.others : [...one.others, ...other.others],
});

const goesOn = (later: Content, known: Content): boolean =>
  later.text.startsWith(known.text) &&
  isDeepStrictEqual(later.others.slice(0, known.others.length), known.others);

/** The ids of one stream's artifacts, or of one task's. */
export class ArtifactIds {
  /** By index, or by name; those with neither have the name "". */
  readonly #current = new Map<number | string, Current>();
  /** How many artifacts have the id `artifact-n`, `artifact-n-2`, … */
  readonly #counts = new Map<number, number>();
  /** A list holds each artifact once; in a stream one may come again, grown or changed. */
  readonly #isList: boolean;
  /** The name of the last artifact without an index. */
  #lastName: string | undefined;

  constructor(of: "stream" | "task") {
    this.#isList = of === "task";
  }

  /** @param parts of the artifact */
  next(wire: WireArtifact, parts: readonly Part[], relation: Relation): string {
    const index = indexOf(wire);
    const key = index ?? this.#nameOf(wire, relation);
    const known = this.#current.get(key);
    const content = contentOf(parts);
    const isSame = known && this.#isSame(index, content, { known, relation });
    const id = isSame ? known.id : this.#newId(index ?? 0);
    const isAdded = isSame && relation === "append";
    this.#current.set(key, { id, content: isAdded ? joined(known.content, content) : content });
    return id;
  }

  /** What is added need not repeat the name. */
  #nameOf({ name }: WireArtifact, relation: Relation): string {
    const isContinued = relation === "append" && !name && this.#lastName !== undefined;
    this.#lastName = isContinued ? this.#lastName : (name ?? "");
    return this.#lastName ?? "";
  }

  #isSame(
    index: number | undefined,
    content: Content,
    { known, relation }: { known: Current; relation: Relation },
  ): boolean {
    if (relation !== "whole") return true;
    return !this.#isList && (index !== undefined || goesOn(content, known.content));
  }

  #newId(index: number): string {
    const count = (this.#counts.get(index) ?? 0) + 1;
    this.#counts.set(index, count);
    return count === 1 ? `artifact-${index}` : `artifact-${index}-${count}`;
  }
}
