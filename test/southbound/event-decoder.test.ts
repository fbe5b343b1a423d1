import { describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import { EventDecoder } from "../../src/southbound/event-decoder.ts";

/** The values of the pieces, and what was dropped. */
function decode(...pieces: (string | Uint8Array)[]) {
  const malformed: string[] = [];
  const decoder = new EventDecoder({ maxEventBytes: 10_000, onMalformed: (text) => malformed.push(text) });
  const values = pieces.flatMap((piece) => decoder.push(Buffer.from(piece)));
  return { values: [...values, ...decoder.end()].map(({ value }) => value), malformed };
}

/** What each piece gives as soon as it has arrived. */
function arrivals(...pieces: string[]): unknown[][] {
  const decoder = new EventDecoder({ maxEventBytes: 10_000 });
  return pieces.map((piece) => decoder.push(Buffer.from(piece)).map(({ value }) => value));
}

function thrownBy(action: () => unknown): A2AError {
  try {
    action();
  } catch (error) {
    if (error instanceof A2AError) return error;
  }
  throw new Error("expected an A2AError");
}

describe("framing", () => {
  test.each([
    ["LF", 'data: {"a":1}\n\ndata: {"b":2}\n\n'],
    ["CRLF", 'data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n'],
    ["CR", 'data: {"a":1}\r\rdata: {"b":2}\r\r'],
    ["mixed line ends", 'data: {"a":1}\r\n\ndata: {"b":2}\r\n'],
    ["a BOM", '\uFEFFdata: {"a":1}\n\ndata: {"b":2}\n\n'],
    ["comments and heartbeats", ': hi\n\ndata: {"a":1}\n: ping\n\n:\n\ndata:\n\ndata: {"b":2}\n\n'],
    ["unused fields", 'retry: 5\nretry: x\ndata: {"a":1}\n\nid\nevent\ndata: {"b":2}\n\n'],
    ["[DONE]", 'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n'],
    ["no line end at the end", 'data: {"a":1}\n\ndata: {"b":2}'],
    ["several data: lines per value", 'data: {\ndata: "a":\ndata: 1}\n\ndata: {"b"\ndata: :2}\n\n'],
    ["bare continuation lines, no blank lines", 'data: {\n  "a": 1\n}\ndata: {\n  "b": 2\n}\n'],
    ["no blank lines", 'data: {"a":1}\ndata: {"b":2}\n'],
    ["NDJSON", '{"a":1}\n{"b":2}\n'],
    ["NDJSON with blank lines", '{"a":1}\n\n{"b":2}\n\n'],
    ["a pretty-printed body", '{\n  "a": 1\n}\n{\n  "b": 2\n}'],
    ["one line", '{"a":1} {"b":2}'],
    ["one data: line", 'data: {"a":1}{"b":2}\n\n'],
    ["U+001E before each value", 'data: \u001e{"a":1}\n\ndata: \u001e{"b":2}\n\n'],
    ["U+001E after each value", 'data: {"a":1}\u001e\n\ndata: {"b":2}\u001e\n\n'],
    ["a JSON sequence", '\u001e{"a":1}\n\u001e{"b":2}\n'],
    ["a pretty-printed JSON sequence", '\u001e{\n  "a": 1\n}\n\u001e{\n  "b": 2\n}\n'],
    [
      "U+001E on lines of its own, doubled and between values",
      '\u001e\ndata: \u001e\u001e{"a":1}\u001e{"b":2}\n\n',
    ],
    ["a value that begins on another's last line", 'data: {\n"a":1} {\n"b":2\n}\n\n'],
  ])("%s is understood", (_, stream) => {
    expect(decode(stream)).toEqual({ values: [{ a: 1 }, { b: 2 }], malformed: [] });
  });

  test("brackets, quotes and backslashes in strings do not count", () => {
    const value = { 'k"}]': '{[\\"', path: "C:\\", text: "\u2028é漢🙂\uFEFF" };
    expect(decode(`data: ${JSON.stringify(value, null, 2)}\n`)).toEqual({ values: [value], malformed: [] });
  });

  test("a character of several bytes survives a cut at each of them", () => {
    const bytes = Buffer.from('data: {"a":"漢🙂"}\n\n');
    const cuts = Array.from({ length: bytes.length }, (_, cut) => [
      bytes.subarray(0, cut),
      bytes.subarray(cut),
    ]);
    expect(cuts.map((pieces) => decode(...pieces).values)).toEqual(cuts.map(() => [{ a: "漢🙂" }]));
  });

  test("a CRLF that is cut in two is one line end", () => {
    expect(decode('data: {"a":\r', "\ndata: 1}\r", "\n\r", "\n")).toEqual({
      values: [{ a: 1 }],
      malformed: [],
    });
  });

  test("event and id belong to the value after them and to no other", () => {
    const decoder = new EventDecoder({ maxEventBytes: 1000 });
    const stream = 'event: x\nid: 7\ndata: {\ndata: "a":1}\n\nevent: lost\n\ndata: {"b":2}\n\n';
    expect(decoder.push(Buffer.from(stream))).toEqual([
      { value: { a: 1 }, event: "x", id: "7" },
      { value: { b: 2 }, event: undefined, id: undefined },
    ]);
  });
});

describe("promptness", () => {
  test("a value comes with the end of its line, not with the blank line", () => {
    expect(arrivals('data: {"a":1}', "\n", "\n")).toEqual([[], [{ a: 1 }], []]);
  });

  test("a pretty-printed value comes with its last line", () => {
    expect(arrivals('data: {\n "a": 1\n', "}\n", "data: {\n")).toEqual([[], [{ a: 1 }], []]);
  });

  test("a CR at the end of a chunk ends the line", () => {
    expect(arrivals('data: {"a":1}\r', '\n\r\ndata: {"b":2}\r')).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  });
});

describe("broken values", () => {
  test("half an event before a blank line is reported and passed over", () => {
    const { values, malformed } = decode('data: {"a":{"t":\n\ndata: {"b":2}\n\n');
    expect({ values, malformed }).toEqual({ values: [{ b: 2 }], malformed: ['{"a":{"t":'] });
  });

  test.each([
    ["in a string", 'data: {"a":"he\ndata: {"b":2}\ndata: {"c":3}\n'],
    ["in a number", 'data: {"a":1\ndata: {"b":2}\ndata: {"c":3}\n'],
    ["after a comma", 'data: {"a":1,\ndata: {"b":2}\ndata: {"c":3}\n'],
    ["after a colon", 'data: {"a":\ndata: {"b":2}\ndata: {"c":3}\n'],
    ["in an array", 'data: {"a":[\ndata: {"b":2}\ndata: {"c":3}\n'],
    ["with the wrong bracket", 'data: {"a":[1}\ndata: {"b":2}\ndata: {"c":3}\n'],
    ["in no JSON at all", 'data: {a:1}\ndata: {"b":2}\ndata: {"c":3}\n'],
    ["in bare lines", 'data: {\n  "a": "he\n  "x": 1\n  {\n}\ndata: {\n  "b": 2\n}\ndata: {\n  "c": 3\n}\n'],
    ["in NDJSON", '{"a":"he\n{"b":2}\n{"c":3}\n'],
  ])("an event cut off %s costs no later one, even without blank lines", (_, stream) => {
    const { values, malformed } = decode(stream);
    expect(values).toEqual([{ b: 2 }, { c: 3 }]);
    expect(malformed).toHaveLength(1);
  });

  test("the rest of a broken value is not taken for values", () => {
    expect(decode('data: {\n  "a": "he\n  42,\n  {"x": 1}\n}\ndata: {"b":2}\n').values).toEqual([{ b: 2 }]);
  });

  test("a value that is cut off by the end is reported", () => {
    expect(decode('data: {"a":1}\n\ndata: {"b":')).toEqual({ values: [{ a: 1 }], malformed: ['{"b":'] });
  });

  test("text that is no JSON is reported, at most its beginning", () => {
    const { values, malformed } = decode(`oops ${"x".repeat(500)}\n\ndata: nonsense\n\ndata: {"b":2}\n\n`);
    expect(values).toEqual([{ b: 2 }]);
    expect(malformed).toEqual([`oops ${"x".repeat(195)}`, "nonsense"]);
  });
});

describe("the size limit", () => {
  const tooLarge = { code: "invalid-agent-response", data: { stage: "event", limit: 100 } };
  const limited = () => new EventDecoder({ maxEventBytes: 100 });

  test("a line that does not end is refused as soon as it is too long", () => {
    const decoder = limited();
    expect(decoder.push(Buffer.from(`data: "${"x".repeat(93)}`))).toEqual([]);
    expect(thrownBy(() => decoder.push(Buffer.from("x")))).toMatchObject(tooLarge);
  });

  test("bytes count, not characters", () => {
    expect(thrownBy(() => limited().push(Buffer.from(`data: "${"é".repeat(50)}"\n`)))).toMatchObject(
      tooLarge,
    );
  });

  test("lines of one value count together, those of several do not", () => {
    const decoder = limited();
    const line = `data: "${"x".repeat(50)}"\n`;
    expect(decoder.push(Buffer.from(line.repeat(3)))).toHaveLength(3);
    const pieces = `data: [\n${`"${"x".repeat(50)}",\n`.repeat(2)}`;
    expect(thrownBy(() => decoder.push(Buffer.from(pieces)))).toMatchObject(tooLarge);
  });

  test("values before it are delivered first", () => {
    const decoder = limited();
    const chunk = Buffer.from(`data: {"a":1}\n\ndata: ${"x".repeat(200)}`);
    expect(decoder.push(chunk).map(({ value }) => value)).toEqual([{ a: 1 }]);
    expect(thrownBy(() => decoder.end())).toMatchObject(tooLarge);
  });
});

test("an event that is nested too deeply ends the stream with an error", () => {
  const decoder = new EventDecoder({ maxEventBytes: 1_000_000 });
  const line = `data: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n`;
  const error = thrownBy(() => decoder.push(Buffer.from(line)));
  expect(error.code).toBe("invalid-agent-response");
  expect(error.data).toEqual({ stage: "event", limit: 128 });
});
