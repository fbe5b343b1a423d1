/**
 * What may be missing from a task's artifacts. Events are lost where a connection breaks, and where one cannot be read;
 * only the agent's own record shows what they said.
 */
import type { Part } from "../../protocol/model.ts";

export type Continuity =
  /** Nothing is missing. */
  | "whole"
  /** A snapshot has filled the gap; whether the stream after it follows without another gap is not known. */
  | "seam"
  /** Events may be missing. */
  | "hole";

export class ContinuityTracker {
  #level: Continuity = "whole";
  /** The chunks since the gap of each artifact that may lack something. */
  readonly #since = new Map<string, Part[]>();

  get level(): Continuity {
    return this.#level;
  }

  /** Events were lost; from each of the `open` artifacts, chunks may be missing. */
  broke(open: Iterable<string>): void {
    this.#level = "hole";
    for (const id of open) if (!this.#since.has(id)) this.#since.set(id, []);
  }

  /** Parts of an artifact were streamed; with `replaces`, they are all that it has. */
  streamed(id: string, parts: readonly Part[], replaces: boolean): void {
    if (this.#level === "whole") return;
    const known = this.#since.get(id);
    if (known && !replaces) for (const part of parts) known.push(part);
    else this.#since.set(id, [...parts]);
  }

  /** The chunks since the gap; undefined for an artifact that lacks nothing. */
  since(id: string): readonly Part[] | undefined {
    return this.#since.get(id);
  }

  /** A Task was read that showed these artifacts as the agent has them; with `isFinal`, nothing follows it. */
  settle(shown: ReadonlySet<string>, isFinal: boolean): void {
    if (this.#level === "whole") return;
    const isShown = [...this.#since.keys()].every((id) => shown.has(id));
    if (!isShown) return;
    this.#level = isFinal ? "whole" : "seam";
    if (isFinal) this.#since.clear();
  }

  /** The agent has no record to compare with: a seam counts as whole. */
  trust(): void {
    if (this.#level === "seam") this.#level = "whole";
  }
}
