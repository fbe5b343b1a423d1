/** That the benchmarks run and report, with sizes that show nothing of speed. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { bench } from "../../bench/run.ts";
import { toSvg, toTable, type Report } from "../../bench/report.ts";

const GROWTH = "last against first thousand chunks";

let report: Report;

beforeAll(async () => {
  report = await bench({ smoke: true });
}, 120_000);

describe("a run of the benchmarks", () => {
  test("measures every dialect against the peers that need nothing installed", () => {
    const sends = report.series.filter(({ measure }) => measure === "sends");
    const measured = sends
      .filter(({ peer }) => peer !== "nginx")
      .map(({ peer, dialect }) => `${peer}, ${dialect}`);
    expect(measured).toEqual([
      "node:http pipe, canonical",
      "koa with undici, canonical",
      "SDK relay, canonical",
      "a2a-compat-proxy, canonical",
      "a2a-compat-proxy, legacy",
      "a2a-compat-proxy, snake",
      "a2a-compat-proxy, appbuilder",
    ]);
    // A stream this short may arrive at once: the speed of its beginning and end cannot be told.
    for (const { measure, values } of report.series) {
      if (measure === GROWTH) continue;
      expect(values.every((value) => Number.isFinite(value))).toBe(true);
    }
  });

  test("holds every goal against what was measured", () => {
    expect(report.verdicts.length).toBeGreaterThan(15);
    const comparable = report.verdicts.filter(({ goal }) => !goal.includes("nginx") && goal !== GROWTH);
    for (const { value } of comparable) expect(Number.isFinite(value)).toBe(true);
  });

  test("is a table and a picture", () => {
    expect(toTable(report)).toContain("a2a-compat-proxy  appbuilder");
    expect(toSvg(report)).toMatch(/^<svg .*<\/svg>\n$/s);
  });
});
