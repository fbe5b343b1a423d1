/**
 * The numbers of artifacts towards clients, which know an artifact by its `index` alone: n of `artifact-n`, which an agent of
 * 0.1 has had; for any other id, and if n is taken, the place among the artifacts. In a task and in the stream of its first
 * turn the numbers are the same, since the order is.
 */
export class ArtifactIndexes {
  readonly #byId = new Map<string, number>();
  readonly #taken = new Set<number>();

  of(artifactId: string): number {
    const known = this.#byId.get(artifactId);
    if (known !== undefined) return known;
    let index = numberIn(artifactId) ?? this.#byId.size;
    while (this.#taken.has(index)) index += 1;
    this.#byId.set(artifactId, index);
    this.#taken.add(index);
    return index;
  }
}

function numberIn(artifactId: string): number | undefined {
  const digits = /^artifact-(\d{1,9})$/.exec(artifactId)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
