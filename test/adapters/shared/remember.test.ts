import { describe, expect, test } from "@jest/globals";
import { cached } from "../../../src/lib/cached.ts";

const never = new AbortController().signal;

describe("a remembered value", () => {
  test("is fetched once for all who ask at the same time", async () => {
    let fetched = 0;
    const value = cached(async () => (fetched += 1), 60_000);
    expect(await Promise.all([value.get(never), value.get(never), value.refresh(never)])).toEqual([1, 1, 1]);
    expect(await value.get(never)).toBe(1);
  });

  test("is fetched again once it is too old, and on request", async () => {
    let fetched = 0;
    const value = cached(async () => (fetched += 1), 0);
    expect(await value.get(never)).toBe(1);
    expect(await value.get(never)).toBe(2);
    expect(await value.refresh(never)).toBe(3);
  });

  test("one caller who leaves does not fail the others", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const value = cached(() => promise, 60_000);
    const leaver = new AbortController();
    const left = value.get(leaver.signal);
    const stayed = value.get(never);
    leaver.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    resolve("card");
    expect(await stayed).toBe("card");
  });

  test("a failure is told to all, and for a moment not tried again", async () => {
    let fetched = 0;
    const value = cached(async () => {
      fetched += 1;
      throw new Error("down");
    }, 60_000);
    await expect(Promise.all([value.get(never), value.get(never)])).rejects.toThrow("down");
    await expect(value.get(never)).rejects.toThrow("down");
    expect(fetched).toBe(1);
  });

  test("an old value is better than none", async () => {
    const answers = [async () => "card", async () => Promise.reject(new Error("down"))];
    const value = cached(() => answers.shift()?.() ?? Promise.reject(new Error("asked too often")), 0);
    expect(await value.get(never)).toBe("card");
    expect(await value.get(never)).toBe("card");
    expect(await value.get(never)).toBe("card");
  });
});
