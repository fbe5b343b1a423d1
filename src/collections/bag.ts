/**
 * Collections for what comes and goes with every request. A Set or a Map would do, but for V8's garbage collector: while
 * members come and go, their table is replaced again and again, and each table points at the one after it. Once one of
 * them has been moved to the old generation, no minor collection frees those that follow, nor what was in them: every
 * request would outlive its answer until the next major one.
 */

/** What can be in a Bag; `place` is the Bag's to write. */
export interface Placed {
  place: number;
}

/** Where a member is that is in no Bag. */
export const NO_PLACE = -1;

/** Members in no order, each at most once; adding and removing cost the same however many there are. */
export class Bag<T extends Placed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** Of no effect on what is not in it. */
  delete(member: T): void {
    const last = this.#members.at(-1);
    if (member.place === NO_PLACE || !last) return;
    this.#members[member.place] = last;
    last.place = member.place;
    this.#members.pop();
    member.place = NO_PLACE;
  }

  /** Those that are in it now, and of them those that are wanted; it may be changed meanwhile. */
  members(isWanted: (member: T) => boolean = () => true): readonly T[] {
    return this.#members.filter(isWanted);
  }
}
