/**
 * 0.1 and 0.3 differ in nothing that can be probed at agents without push notifications. Such an agent shows its dialect by
 * refusing the other one's method, which does nothing there: the message is then sent in the sibling dialect.
 */
import { z } from "zod";
import { A2AError } from "../../src/protocol/errors.ts";
import { isUnknownMethod } from "../shared/nested-error.ts";
import type { Dialect } from "./signs.ts";

type Method = "send" | "stream";

interface Sibling {
  readonly methods: Readonly<Record<Method, string>>;
  readonly sibling: Dialect;
}

const SIBLINGS: Readonly<Partial<Record<Dialect, Sibling>>> = {
  "a2a-0.3": { methods: { send: "message/send", stream: "message/stream" }, sibling: "a2a-0.1" },
  "a2a-0.1": { methods: { send: "tasks/send", stream: "tasks/sendSubscribe" }, sibling: "a2a-0.3" },
};

const AgentError = z.looseObject({
  vendor: z.looseObject({ code: z.number(), message: z.string().catch(""), data: z.unknown().optional() }),
});

export const siblingOf = (dialect: Dialect): Dialect | undefined => SIBLINGS[dialect]?.sibling;

/** The agent has said that it has no such method, so nothing has happened there. */
export function isRefusal(thrown: unknown, dialect: Dialect, method: Method): boolean {
  const name = SIBLINGS[dialect]?.methods[method];
  if (!(thrown instanceof A2AError) || name === undefined) return false;
  if (thrown.code === "method-not-found") return true;
  const { data } = AgentError.safeParse(thrown.data);
  return data !== undefined && isUnknownMethod(data.vendor, name);
}

/** A stream that is replaced by another one if it fails before its first value; `instead` may throw. */
export class WithSubstitute<T> implements AsyncIterableIterator<T> {
  #values: AsyncIterator<T>;
  #instead: ((thrown: unknown) => AsyncIterable<T>) | undefined;

  constructor(values: AsyncIterable<T>, instead: (thrown: unknown) => AsyncIterable<T>) {
    this.#values = values[Symbol.asyncIterator]();
    this.#instead = instead;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T>> {
    return this.#instead ? this.#first(this.#instead) : this.#values.next();
  }

  async return(): Promise<IteratorResult<T>> {
    this.#instead = undefined;
    await this.#values.return?.();
    return { done: true, value: undefined };
  }

  async #first(instead: (thrown: unknown) => AsyncIterable<T>): Promise<IteratorResult<T>> {
    try {
      return await this.#values.next();
    } catch (thrown) {
      // It was left meanwhile.
      if (!this.#instead) throw thrown;
      this.#values = instead(thrown)[Symbol.asyncIterator]();
      return await this.#values.next();
    } finally {
      this.#instead = undefined;
    }
  }
}

/** A card that denies streaming has refused the stream before it was sent. */
export const isUnsupported = (thrown: unknown): boolean =>
  thrown instanceof A2AError && thrown.code === "unsupported-operation";
