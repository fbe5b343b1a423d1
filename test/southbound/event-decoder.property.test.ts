import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { EventDecoder } from "../../src/southbound/event-decoder.ts";
import {
  anyChunkSizes,
  anyContainer,
  anyJson,
  anyLineEnds,
  anyObject,
  chunksOf,
  FRAMINGS,
  withLineEnds,
} from "./framings.ts";

/** As JSON texts, which tell apart what object comparison does not. */
function decode(stream: string, sizes: readonly number[]) {
  const malformed: string[] = [];
  const decoder = new EventDecoder({ maxEventBytes: 1e6, onMalformed: (text) => malformed.push(text) });
  const values = [...chunksOf(Buffer.from(stream), sizes)].flatMap((chunk) => decoder.push(chunk));
  const texts = [...values, ...decoder.end()].map(({ value }) => JSON.stringify(value));
  return { texts, malformed };
}

const textsOf = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value));

/** The beginning of an object that is not the whole, cut at `share` of its length. */
function cutShort(value: unknown, share: number, indent: number): string {
  const whole = JSON.stringify(value, null, indent);
  return whole.slice(0, 1 + Math.floor(share * (whole.length - 1)));
}

const anyLikelyCharacter = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  '"',
  ":",
  ",",
  "\\",
  "\n",
  "\r",
  " ",
  "data:",
  "1",
);
const shareOfWhole = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe.each(FRAMINGS)("$name", ({ carries, encode }) => {
  const values = fc.array(carries === "anything" ? anyJson : anyContainer, { maxLength: 6 });

  test("gives the values that were written, wherever it is cut and however lines end", () => {
    fc.assert(
      fc.property(values, anyLineEnds, anyChunkSizes, (values, ends, sizes) => {
        const stream = withLineEnds(encode(values), ends);
        expect(decode(stream, sizes)).toEqual({ texts: textsOf(values), malformed: [] });
      }),
    );
  });
});

describe("a broken event costs nothing but itself", () => {
  const streams: [string, (broken: string) => string, (good: unknown) => string, number][] = [
    ["SSE", (b) => `data: ${b}\n\n`, (good) => `data: ${JSON.stringify(good)}\n\n`, 0],
    ["SSE without blank lines", (b) => `data: ${b}\n`, (good) => `data: ${JSON.stringify(good)}\n`, 0],
    [
      "prefixed pretty-printed lines",
      (b) => `data: ${b.replaceAll("\n", "\ndata: ")}\n\n`,
      (good) => `data: ${JSON.stringify(good, null, 2).replaceAll("\n", "\ndata: ")}\n\n`,
      2,
    ],
    [
      "bare pretty-printed lines without blank lines",
      (b) => `data: ${b}\n`,
      (good) => `data: ${JSON.stringify(good, null, 2)}\n`,
      2,
    ],
  ];

  test.each(streams)("in %s", (_, breakOff, encode, indent) => {
    const piece = fc.record({ good: anyObject, victim: anyObject, share: shareOfWhole });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), anyChunkSizes, (pieces, sizes) => {
        const stream = pieces
          .map(({ good, victim, share }) => breakOff(cutShort(victim, share, indent)) + encode(good))
          .join("");
        expect(decode(stream, sizes).texts).toEqual(textsOf(pieces.map(({ good }) => good)));
      }),
      { numRuns: 300 },
    );
  });

  test("arbitrary bytes never throw", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: anyLikelyCharacter }),
        (noise, likely) => {
          const decoder = new EventDecoder({ maxEventBytes: 1e6 });
          expect(() => [decoder.push(noise), decoder.push(Buffer.from(likely)), decoder.end()]).not.toThrow();
        },
      ),
    );
  });
});
