import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { MATRIX_FILE, withMatrix } from "../../scripts/dialect-matrix.ts";

test("docs/dialects.md is what `node scripts/dialect-matrix.ts` finds out about the adapters", async () => {
  const document = await readFile(MATRIX_FILE, "utf8");
  expect(document).toBe(await withMatrix(document));
});

test("a client in front of an agent of its own dialect loses nothing", async () => {
  const document = await readFile(MATRIX_FILE, "utf8");
  const rows = [...document.matchAll(/^\| ([\w.-]+) \| ([\w.-]+) \| (.*) \| (.*) \|$/gm)];
  const own = rows.filter(([, client, agent]) => client === agent && client !== "---");
  expect(own.map(([, client]) => client)).toEqual(["a2a-0.3", "a2a-0.1", "a2a-1.0", "a2a-snake"]);
  for (const row of own) expect(row.slice(3)).toEqual(["nothing", "nothing"]);
});
