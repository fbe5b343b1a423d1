import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { ConfigError } from "../../src/config/faults.ts";
import { load } from "./support.ts";

const SECRET = "hunter2-correct-horse";

const TEXT = `server: { port: \${PORT:-8080}, heartbeat: 15s } # \${comment}
default: a
agents:
  a: &a
    adapter: fancy
    url: https://vendor.example/a
    card: "/card?api_key=\${TOKEN}"
    credentials: { type: bearer, token: \${TOKEN} }
    options: { endUserId: x, deep: { flag: true } }
  b: *a
  c: { adapter: plain, url: "https://\${TOKEN}.example/", limits: { event: 4MiB } }
`;

/** Cuts, doubles or replaces a piece of the file. */
const mutilated = fc
  .array(
    fc.tuple(
      fc.nat(TEXT.length),
      fc.nat(12),
      fc.constantFrom("", "\n", "  ", "{", "}", "[", ": ", "- ", '"', "*a", "$", "#", "\t", "null"),
    ),
    {
      maxLength: 4,
    },
  )
  .map((edits) =>
    edits.reduce((text, [at, length, piece]) => text.slice(0, at) + piece + text.slice(at + length), TEXT),
  );

test("any mutilated file gives a configuration or placed faults, and never shows a secret", async () => {
  await fc.assert(
    fc.asyncProperty(mutilated, async (text) => {
      try {
        const { warnings } = await load(text, { TOKEN: SECRET });
        expect(warnings.join()).not.toContain(SECRET);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(error.message).not.toContain(SECRET);
        const lines = text.split("\n");
        for (const { line, column } of error.faults) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
        }
        expect(error.faults.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});

test("any text at all gives a configuration or faults", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      await expect(load(text)).rejects.toBeInstanceOf(ConfigError);
    }),
  );
});
