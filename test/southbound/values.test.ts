import { describe, expect, test } from "@jest/globals";
import { mapped, only, opened } from "../../src/southbound/values.ts";

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const message = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : "no error");

/** Yields these, then fails where there is a fault. */
async function* source(values: readonly number[], fault?: Error): AsyncGenerator<number, undefined> {
  yield* values;
  if (fault) throw fault;
}

/** A source of which every value is waited for, and which tells that it was left. */
function silent() {
  let isLeft = false;
  const pending = Promise.withResolvers<IteratorResult<number, undefined>>();
  const values: AsyncIterableIterator<number, undefined> = {
    [Symbol.asyncIterator]: () => values,
    next: () => pending.promise,
    return() {
      isLeft = true;
      pending.resolve({ done: true, value: undefined });
      return pending.promise;
    },
  };
  return { values, isLeft: () => isLeft };
}

describe("mapped values", () => {
  test("are none, one or several for each, in order", async () => {
    const counted = mapped(source([2, 0, 0, 3]), { value: (n) => Array.from({ length: n }, () => n) });
    expect(await allOf(counted)).toEqual([2, 2, 3, 3, 3]);
  });

  test("end with what follows the last", async () => {
    expect(await allOf(mapped(source([1]), { value: (n) => [n], end: () => [8, 9] }))).toEqual([1, 8, 9]);
    expect(await allOf(mapped(source([1]), { value: () => [], end: () => [9] }))).toEqual([9]);
  });

  test("are not thousands of promises deep after as many values of which nothing comes", async () => {
    const many = Array.from({ length: 100_000 }, (_, n) => n);
    expect(await allOf(mapped(source(many), { value: (n) => (n === 99_999 ? [n] : []) }))).toEqual([99_999]);
  });

  test.each([[[1]], [[1, 0]]])("throw what their source throws, once, after %j", async (values) => {
    const positive = mapped(source(values, new Error("broken")), { value: (n) => (n > 0 ? [n] : []) });
    expect(await positive.next()).toEqual({ done: false, value: 1 });
    expect(await positive.next().catch(message)).toBe("broken");
    expect(await positive.next()).toEqual({ done: true, value: undefined });
  });

  test.each([[[1, 2]], [[1, 0, 2]]])(
    "throw what a step throws, and leave the source, at %j",
    async (values) => {
      let isLeft = false;
      async function* watched(): AsyncGenerator<number, undefined> {
        try {
          yield* values;
        } finally {
          isLeft = true;
        }
      }
      const small = mapped(watched(), {
        value: (n) => {
          if (n > 1) throw new Error("too large");
          return n === 0 ? [] : [n];
        },
      });
      expect(await small.next()).toEqual({ done: false, value: 1 });
      expect(await small.next().catch(message)).toBe("too large");
      expect(isLeft).toBe(true);
      expect(await small.next()).toEqual({ done: true, value: undefined });
    },
  );

  test("may make something of a fault", async () => {
    const told: unknown[] = [];
    const fail = (error: unknown): string[] => {
      told.push(message(error));
      return ["last"];
    };
    const broken = mapped(source([1], new Error("broken")), { value: (n) => [`${n}`], fail });
    expect(await allOf(broken)).toEqual(["1", "last"]);
    const refused = mapped(source([1]), {
      value: () => {
        throw new Error("refused");
      },
      fail,
    });
    expect(await allOf(refused)).toEqual(["last"]);
    expect(told).toEqual(["broken", "refused"]);
  });

  test("leave their source also while it is waited for", async () => {
    const { values, isLeft } = silent();
    const same = mapped(values, { value: (n) => [n] });
    const next = same.next();
    await same.return?.();
    expect(isLeft()).toBe(true);
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe("values opened late", () => {
  test("are opened by the first asking, once", async () => {
    let times = 0;
    const values = opened(async () => {
      times += 1;
      return source([1, 2]);
    });
    expect(times).toBe(0);
    expect(await allOf(values)).toEqual([1, 2]);
    expect(times).toBe(1);
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test("fail where they cannot be opened, and are over then", async () => {
    const values = opened<number>(() => Promise.reject(new Error("refused")));
    expect(await values.next().catch(message)).toBe("refused");
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test("are not opened once they are left, and are left as soon as they are open", async () => {
    let times = 0;
    const never = opened(async () => {
      times += 1;
      return only(1);
    });
    await never.return?.();
    expect(await never.next()).toEqual({ done: true, value: undefined });
    expect(times).toBe(0);

    const { values, isLeft } = silent();
    const opening = Promise.withResolvers<AsyncIterable<number>>();
    const late = opened(() => opening.promise);
    const next = late.next();
    await late.return?.();
    opening.resolve(values);
    expect(await next).toEqual({ done: true, value: undefined });
    expect(isLeft()).toBe(true);
  });
});
