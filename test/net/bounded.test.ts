import { describe, expect, test } from "@jest/globals";
import { readBounded } from "../../src/net/bounded.ts";

const BOUND = { limit: 6, beyond: "more than it should" };

/** One chunk after the other, without end; `state` says how many were pulled, and whether the reader has had enough. */
function endless(chunk: string) {
  const state = { pulled: 0, canceled: false };
  const body = new ReadableStream({
    pull: (controller) => {
      state.pulled += 1;
      controller.enqueue(new TextEncoder().encode(chunk));
    },
    cancel: () => {
      state.canceled = true;
    },
  });
  return { response: new Response(body), state };
}

describe("a body", () => {
  test.each(["", "abc", "abcdef", "äöü"])("that is within the limit is read: '%s'", async (text) => {
    expect((await readBounded(new Response(text), BOUND)).toString()).toBe(text);
  });

  test.each(["abcdefg", "äöüa"])("of more bytes than the limit is refused: '%s'", async (text) => {
    await expect(readBounded(new Response(text), BOUND)).rejects.toThrow(BOUND.beyond);
  });

  test("may be absent", async () => {
    expect(await readBounded(new Response(null, { status: 204 }), BOUND)).toHaveLength(0);
  });

  test("without end is not read on", async () => {
    const { response, state } = endless("abc");
    await expect(readBounded(response, BOUND)).rejects.toThrow(BOUND.beyond);
    expect(state.canceled).toBe(true);
    expect(state.pulled).toBeLessThan(6);
  });
});
