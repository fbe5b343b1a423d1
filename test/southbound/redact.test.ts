import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createRedactor } from "../../src/southbound/redact.ts";

const SECRET = 'pa$$/w+rd "x"';

const everyByte = (write: (hex: string) => string): string =>
  [...Buffer.from(SECRET)].map((byte) => write(byte.toString(16).toUpperCase().padStart(2, "0"))).join("");

describe("redaction", () => {
  const redact = createRedactor(["short", SECRET, `${SECRET}-longer`]);

  test.each([
    ["as it is", SECRET],
    ["URL-encoded", encodeURIComponent(SECRET)],
    ["form-encoded", "pa%24%24%2Fw%2Brd+%22x%22"],
    ["JSON-escaped", JSON.stringify(SECRET).slice(1, -1)],
    ["a longer one that contains it", `${SECRET}-longer`],
    ["of few characters", "short"],
    ["URL-encoded in lower case, as .NET and Java do", encodeURIComponent(SECRET).toLowerCase()],
    ["URL-encoded in every letter", everyByte((hex) => `%${hex}`)],
    ["URL-encoded in every letter and lower case", everyByte((hex) => `%${hex.toLowerCase()}`)],
    ["in hex", everyByte((hex) => hex)],
    ["in lower-case hex", everyByte((hex) => hex.toLowerCase())],
    ["in HTML", "pa$$/w+rd &quot;x&quot;"],
    ["in HTML by numbers", "pa$$/w&#43;rd &#34;x&#34;"],
    ["in HTML by numbers in hex", "pa$$&#x2F;w&#x2B;rd &#x22;x&#x22;"],
    ["in HTML in every letter", everyByte((hex) => `&#x${hex};`)],
    ["in JSON with an escaped slash", 'pa$$\\/w+rd \\"x\\"'],
    ["in JSON within JSON", JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ["in JSON with Unicode escapes", "pa$$/w\\u002brd \\u0022x\\u0022"],
    ["in JSON in every letter", everyByte((hex) => `\\u00${hex}`)],
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

  test("hides a secret in the other alphabet of base64, and in base64 within a URL or JSON", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string({ minLength: 8, unit: "binary" }),
        (before, after, secret) => {
          const bytes = Buffer.from(`${before}${secret}${after}`);
          const base64 = bytes.toString("base64");
          const forms = [
            bytes.toString("base64url"),
            encodeURIComponent(base64),
            base64.replaceAll("/", "\\/"),
          ];
          const hide = createRedactor([secret]);
          for (const form of forms) expect(hide(`x ${form}`)).toContain("[redacted]");
        },
      ),
    );
  });

  test("hides any secret in any mixture of encodings", () => {
    const encodings: ((char: string) => string)[] = [
      (char) => char,
      (char) => `&#${char.charCodeAt(0)};`,
      (char) => `%${Buffer.from(char).toString("hex")}`,
      (char) => JSON.stringify(char).slice(1, -1),
      (char) => `\\u00${Buffer.from(char).toString("hex")}`,
    ];
    const special = fc.constantFrom(...Array.from(`%&/"'+=<> ~!*:;,@#?()[]{}|^$\``));
    const secrets = fc.array(fc.tuple(special, fc.constantFrom(...encodings)), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(secrets, (chars) => {
        const secret = `k3y${chars.map(([char]) => char).join("")}k3y`;
        const text = `k3y${chars.map(([char, encode]) => encode(char)).join("")}k3y`;
        expect(createRedactor([secret])(`<${text}>`)).toBe("<[redacted]>");
      }),
    );
  });

  test("hides a secret with backslashes", () => {
    const hide = createRedactor(["k3y\\\\\\k3y"]);
    const all = ["\\\\\\", "\\\\\\\\\\\\", "%5c%5C%5c", "&#92;&#x5c;&bsol;", "\\u005c\\u005C\\u005c"];
    for (const written of all) expect(hide(`<k3y${written}k3y>`)).toBe("<[redacted]>");
  });

  test.each([
    ["backslashes", "\\".repeat(64)],
    ["quotes", '\\"'.repeat(32)],
    ["signs of percent", "%25".repeat(32)],
    ["entities", "&amp;".repeat(32)],
  ])("is done at once with a long text of %s", (_, secret) => {
    const hide = createRedactor([`${secret}x`]);
    const text = secret.repeat(200_000 / secret.length);
    const before = process.cpuUsage();
    expect(hide(text)).toBe(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
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
