import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { MATRIX_FILE, withMatrix } from "../../scripts/dialect-matrix.ts";

test("docs/dialects.md is what `node scripts/dialect-matrix.ts` finds out about the adapters", async () => {
  const document = await readFile(MATRIX_FILE, "utf8");
  expect(document).toBe(await withMatrix(document));
});
