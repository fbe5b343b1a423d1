import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createRedactor } from "../../src/southbound/redact.ts";

const SECRET = 'pa$$/w+rd "x"';

describe("redaction", () => {
  const redact = createRedactor(["short", SECRET, `${SECRET}-longer`]);

  test.each([
    ["as it is", SECRET],
    ["URL-encoded", encodeURIComponent(SECRET)],
    ["form-encoded", "pa%24%24%2Fw%2Brd+%22x%22"],
    ["JSON-escaped", JSON.stringify(SECRET).slice(1, -1)],
    ["a longer one that contains it", `${SECRET}-longer`],
    ["of few characters", "short"],
  ])("hides a secret %s", (_, text) => {
    expect(redact(`key=${text}&b=1, and ${text}.`)).toBe("key=[redacted]&b=1, and [redacted].");
  });

  test("hides a secret in base64 beside anything", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const encoded = Buffer.from(`${before}${SECRET}${after}`).toString("base64");
        expect(redact(`x ${encoded}`)).toContain("[redacted]");
      }),
    );
  });

  test("hides what looks like a token that it does not know", () => {
    expect(redact("got Bearer eyJhb.GciOi-J9_x= and basic YW5uOnB3cHc=")).toBe(
      "got Bearer [redacted] and basic [redacted]",
    );
  });

  test("hides the key alone where it is configured with its scheme", () => {
    expect(createRedactor(["Bearer k-123"])("no such key: k-123")).toBe("no such key: [redacted]");
  });

  test("goes into objects and arrays, keys too, and leaves the rest", () => {
    const value = { a: [{ short: "short", n: 1, none: null }], yes: true };
    expect(redact(value)).toEqual({ a: [{ "[redacted]": "[redacted]", n: 1, none: null }], yes: true });
    expect(redact(undefined)).toBeUndefined();
  });

  test("leaves text alone where there are no secrets", () => {
    expect(createRedactor([])("plain text")).toBe("plain text");
    expect(createRedactor([""])("plain text")).toBe("plain text");
  });

  test("that is only to hide what is known leaves words alone", () => {
    const redactor = createRedactor(["short", "a-long-secret"]);
    const card = { url: "https://a.example/?key=a-long-secret", tags: ["Basic knowledge", "a short text"] };
    expect(redactor.known(card)).toEqual({ ...card, url: "https://a.example/?key=[redacted]" });
  });

  test("that is to hide more for once hides that and all that it knows, and is itself as before", () => {
    const redactor = createRedactor(["configured"]);
    redactor.learn("learned-token");
    const text = "configured, learned-token, for-once";
    expect(redactor.also(["for-once"])(text)).toBe("[redacted], [redacted], [redacted]");
    expect(redactor(text)).toBe("[redacted], [redacted], for-once");
  });

  test("does not learn a token that may be a word", () => {
    const learning = createRedactor([]);
    for (const token of ["e", "", "tasks", "long-enough-token"]) learning.learn(token);
    expect(learning("these tasks: long-enough-token")).toBe("these tasks: [redacted]");
  });
});
