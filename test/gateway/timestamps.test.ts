import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { TimeZone, utcTimestamp } from "../../src/gateway/task/fill-missing.ts";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");

test.each([
  ["2026-11-22T01:02:03.456Z", "2026-11-22T01:02:03.456Z"],
  ["2026-11-22T01:02:03Z", "2026-11-22T01:02:03.000Z"],
  ["2026-11-22T01:02:03.456789+02:00", "2026-11-21T23:02:03.456Z"],
  ["2026-11-22T01:02:03.456789", "2026-11-22T01:02:03.456Z"],
  ["2026-11-22T20:00:00", "2026-11-22T12:00:00.000Z"],
  ["2026-11-22T20:00:00Z", "2026-11-22T20:00:00.000Z"],
  ["yesterday", "2026-11-22T12:00:00.000Z"],
  [undefined, "2026-11-22T12:00:00.000Z"],
  [1_763_769_600, "2026-11-22T12:00:00.000Z"],
])("%j is %s", (raw, utc) => {
  expect(utcTimestamp(raw, NOW)).toBe(utc);
});

describe("a zone", () => {
  test.each([
    ["+08:00", "2026-11-22T08:00:00.5", "2026-11-22T00:00:00.500Z"],
    ["Asia/Kolkata", "2026-11-22T08:00:00", "2026-11-22T02:30:00.000Z"],
    ["Europe/Berlin", "2026-07-01T08:00:00", "2026-07-01T06:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00.000Z"],
    ["America/New_York", "2026-11-01T00:59:59", "2026-11-01T04:59:59.000Z"],
    ["Asia/Shanghai", "2026-11-22T20:30:00+00:00", "2026-11-22T20:30:00.000Z"],
  ])("%s: %s is %s", (zone, raw, utc) => {
    expect(utcTimestamp(raw, NOW, new TimeZone(zone))).toBe(utc);
  });

  test("gives each time at which its clocks show what was written", () => {
    const zones = ["Asia/Shanghai", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "-03:30"];
    const from = Date.parse("2000-01-01T00:00:00Z");
    const to = Date.parse("2040-01-01T00:00:00Z");
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: from, max: to }), (name, time) => {
        // Swedes write times as ISO 8601 does.
        const clock = new Intl.DateTimeFormat("sv-SE", {
          timeZone: name,
          dateStyle: "short",
          timeStyle: "medium",
        });
        const shown = clock.format(time);
        const utc = utcTimestamp(shown.replace(" ", "T"), time, new TimeZone(name));
        expect(clock.format(Date.parse(utc))).toBe(shown);
      }),
    );
  });
});
