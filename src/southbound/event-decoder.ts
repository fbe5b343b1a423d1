/**
 * Bytes of an event stream to JSON values. eventsource-parser knows the fields, the assembler knows JSON; this file
 * splits lines (CR, LF or CRLF, cut anywhere) and hands each one over as soon as it is whole, because agents leave out
 * the blank line that the SSE standard waits for.
 */
import { createParser } from "eventsource-parser";
import { A2AError } from "../protocol/errors.ts";
import { isNestedDeeper } from "../protocol/nesting.ts";
import type { StreamedValue } from "./http.ts";
import { JsonAssembler } from "./json-assembler.ts";
import { tooDeep } from "./too-deep.ts";

export interface EventDecoderOptions {
  /** The most that one value may take, with its line ends and prefixes. */
  readonly maxEventBytes: number;
  /** Called with the beginning of each text that was dropped because it is no JSON. */
  readonly onMalformed?: (excerpt: string) => void;
}

/**
 * `push` and `end` return the values that are complete, and throw an A2AError once an event is too large. Values
 * that came before it in the same chunk are returned first; the next call throws.
 */
export interface EventDecoder {
  push(chunk: Uint8Array): StreamedValue[];
  end(): StreamedValue[];
}

const LF = 0x0a;
const CR = 0x0d;
const EXCERPT = 200;
const FIELD_START = /^[a-z:]/;

/** Calls `onLine` with each whole line, `onOpen` with the size of the line that is not whole yet. */
function createLineSplitter(onLine: (line: Uint8Array) => void, onOpen: (bytes: number) => void) {
  let open: Uint8Array[] = [];
  let openBytes = 0;
  let afterCr = false;

  function finish(last: Uint8Array): void {
    const line = openBytes === 0 ? last : Buffer.concat([...open, last]);
    open = [];
    openBytes = 0;
    onLine(line);
  }

  function push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    let start = afterCr && chunk[0] === LF ? 1 : 0;
    afterCr = false;
    let lf = chunk.indexOf(LF, start);
    let cr = chunk.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      finish(chunk.subarray(start, end));
      start = end + 1;
      if (end === cr) {
        afterCr = start === chunk.length;
        if (chunk[start] === LF) start++;
        cr = chunk.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = chunk.indexOf(LF, start);
    }
    if (start === chunk.length) return;
    open.push(chunk.subarray(start));
    openBytes += chunk.length - start;
    onOpen(openBytes);
  }

  return {
    push,
    end: () => {
      if (openBytes > 0) finish(new Uint8Array());
    },
  };
}

/** The synchronous core of an event stream; no timers, no I/O. */
export function createEventDecoder({ maxEventBytes, onMalformed }: EventDecoderOptions): EventDecoder {
  let values: StreamedValue[] = [];
  let fault: A2AError | undefined;
  let heldBytes = 0;
  // Decodes line by line, so that no character is ever cut, and drops a BOM wherever a line begins with one.
  const utf8 = new TextDecoder();

  const assembler = new JsonAssembler({
    emit: (value, { event, id }) => {
      if (isNestedDeeper(value)) throw tooDeep({ stage: "event" });
      values.push({ value, event, id });
    },
    onMalformed: (text) => onMalformed?.(text.trim().slice(0, EXCERPT)),
  });
  const parser = createParser({
    onEvent: ({ data, event, id }) => assembler.push({ text: data, prefixed: true, event, id }),
    onError: ({ type, line }) => {
      if (type === "unknown-field" && line !== undefined) assembler.push({ text: line, prefixed: false });
    },
  });
  const lines = createLineSplitter(onLine, (bytes) => guard(heldBytes + bytes));

  function guard(bytes: number): void {
    if (bytes <= maxEventBytes) return;
    throw new A2AError("invalid-agent-response", {
      message: `The agent sent an event of more than ${maxEventBytes} bytes`,
      data: { stage: "event", limit: maxEventBytes },
    });
  }

  function onLine(line: Uint8Array): void {
    if (line.length === 0) {
      parser.feed("\n");
      assembler.boundary();
      heldBytes = 0;
      return;
    }
    heldBytes += line.length;
    guard(heldBytes);
    const text = utf8.decode(line);
    // No field begins like this. The parser would say so too, with an Error and its stack for each such line.
    if (!FIELD_START.test(text)) assembler.push({ text, prefixed: false });
    // The parser would collect `data:` lines until a blank one; ended here, each is an event of its own, which takes
    // along the `event:` and `id:` before it.
    else parser.feed(text.startsWith("data") ? `${text}\n\n` : `${text}\n`);
    if (!assembler.busy) heldBytes = 0;
  }

  function run(step: () => void): StreamedValue[] {
    if (fault) throw fault;
    values = [];
    try {
      step();
    } catch (error) {
      fault = A2AError.from(error);
      if (values.length === 0) throw fault;
    }
    return values;
  }

  return {
    push: (chunk) => run(() => lines.push(chunk)),
    end: () =>
      run(() => {
        lines.end();
        assembler.boundary();
      }),
  };
}
