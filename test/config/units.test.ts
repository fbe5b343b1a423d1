import { describe, expect, test } from "@jest/globals";
import { duration, formatDuration, formatSize, size } from "../../src/config/units.ts";

const messageOf = (result: ReturnType<ReturnType<typeof duration | typeof size>["safeParse"]>): unknown =>
  result.success ? result.data : result.error.issues.map(({ message }) => message).join();

const DURATION_HINT = "write a number and a unit (ms, s, m, h, d, w), as in `500ms`, `30s` or `1h`";
const SIZE_HINT = "write a number and a unit (B, KiB, MiB, GiB), as in `512KiB` or `4MiB`";

describe("a duration", () => {
  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5h", 5_400_000],
    ["2 m", 120_000],
    [" 1d ", 86_400_000],
    ["1w", 604_800_000],
    ["0s", 0],
    ["24d", 24 * 86_400_000],
  ])("%j is %d ms", (text, value) => {
    expect(messageOf(duration().safeParse(text))).toBe(value);
  });

  test.each([
    [30, `needs a unit: ${DURATION_HINT}`],
    ["30", `needs a unit: ${DURATION_HINT}`],
    ["-1s", DURATION_HINT],
    ["soon", DURATION_HINT],
    ["1y", DURATION_HINT],
    ["30S", DURATION_HINT],
    [true, DURATION_HINT],
    ["25d", "must be at most 24d"],
  ])("%j is refused", (value, message) => {
    expect(messageOf(duration().safeParse(value))).toBe(message);
  });

  test("may have a least value", () => {
    expect(messageOf(duration({ min: 1 }).safeParse("0s"))).toBe("must be at least 1ms");
  });

  test("is written back with its largest whole unit", () => {
    expect([500, 30_000, 3_600_000].map(formatDuration)).toStrictEqual(["500ms", "30s", "1h"]);
  });
});

describe("a size", () => {
  test.each([
    ["512B", 512],
    ["64KiB", 65_536],
    ["4MiB", 4_194_304],
    ["4MB", 4_194_304],
    ["1.5 gib", 1_610_612_736],
  ])("%j is %d bytes", (text, value) => {
    expect(messageOf(size().safeParse(text))).toBe(value);
  });

  test.each([
    [4, `needs a unit: ${SIZE_HINT}`],
    ["4", `needs a unit: ${SIZE_HINT}`],
    ["4M", SIZE_HINT],
    ["4MiBs", SIZE_HINT],
    ["0B", "must be at least 1B"],
    ["9999999999GiB", "is too large"],
  ])("%j is refused", (value, message) => {
    expect(messageOf(size().safeParse(value))).toBe(message);
  });

  test("is written back with its largest unit", () => {
    expect([512, 65_536, 4_194_304].map(formatSize)).toStrictEqual(["512B", "64KiB", "4MiB"]);
  });
});
