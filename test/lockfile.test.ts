/** What `npm ci` needs of package-lock.json, on every platform. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { z } from "zod";

const Names = z.record(z.string(), z.string()).default({});
const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({ integrity: z.string().optional(), dependencies: Names, optionalDependencies: Names }),
  ),
});
const { packages } = Lockfile.parse(JSON.parse(readFileSync("package-lock.json", "utf8")));

/** Whether a package within the folder `from` finds the one named, there or further up. */
function isLocked(name: string, from: string): boolean {
  if (`${from}/node_modules/${name}`.replace(/^\//, "") in packages) return true;
  return from !== "" && isLocked(name, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))));
}

test("holds every package that its packages name, also those of other platforms", () => {
  const named = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => ({ path, name })),
  );
  expect(named.filter(({ path, name }) => !isLocked(name, path))).toEqual([]);
  expect(named.length).toBeGreaterThan(500);
});

test("holds the checksum of every package", () => {
  const without = Object.entries(packages).filter(([, { integrity }]) => integrity === undefined);
  expect(without.map(([path]) => path)).toEqual([""]);
});
