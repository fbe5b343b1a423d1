/**
 * Bytes of an event stream to JSON values. eventsource-parser knows the fields, the assembler knows JSON; this file
 * splits lines (CR, LF or CRLF, cut anywhere) and hands each one over as soon as it is whole, because agents leave out
 * the blank line that the SSE standard waits for.
 */
import { createParser, type EventSourceParser } from "eventsource-parser";
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

/** Decodes whole lines, so that no character is ever cut, and drops a BOM wherever a line begins with one. */
const utf8 = new TextDecoder();
const LF = 0x0a;
const CR = 0x0d;
const EXCERPT = 200;
const FIELD_START = /^[a-z:]/;
const DATA = "data:";

/** The value of a `data:` line. */
const dataOf = (line: string): string =>
  line.slice(line.charAt(DATA.length) === " " ? DATA.length + 1 : DATA.length);

/** Calls `onLine` with each whole line, `onOpen` with the size of the line that is not whole yet. */
class LineSplitter {
  readonly #onLine: (line: Uint8Array) => void;
  readonly #onOpen: (bytes: number) => void;
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #afterCr = false;

  constructor(onLine: (line: Uint8Array) => void, onOpen: (bytes: number) => void) {
    this.#onLine = onLine;
    this.#onOpen = onOpen;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    let start = this.#afterCr && chunk[0] === LF ? 1 : 0;
    this.#afterCr = false;
    let lf = chunk.indexOf(LF, start);
    let cr = chunk.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
      if (end === cr) {
        this.#afterCr = start === chunk.length;
        if (chunk[start] === LF) start++;
        cr = chunk.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = chunk.indexOf(LF, start);
    }
    if (start === chunk.length) return;
    this.#open.push(chunk.subarray(start));
    this.#openBytes += chunk.length - start;
    this.#onOpen(this.#openBytes);
  }

  end(): void {
    if (this.#openBytes > 0) this.#finish(new Uint8Array());
  }

  #finish(last: Uint8Array): void {
    const line = this.#openBytes === 0 ? last : Buffer.concat([...this.#open, last]);
    this.#open = [];
    this.#openBytes = 0;
    this.#onLine(line);
  }
}

/** The synchronous core of an event stream; no timers, no I/O. */
export class EventDecoder {
  readonly #options: EventDecoderOptions;
  readonly #lines: LineSplitter;
  readonly #assembler: JsonAssembler;
  /** Made with the first line that is not simply `data:`. */
  #parser: EventSourceParser | undefined;
  /** It may hold an `event:` or `id:` for the next `data:`. */
  #isNamed = false;
  #values: StreamedValue[] = [];
  #fault: A2AError | undefined;
  #heldBytes = 0;

  constructor(options: EventDecoderOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(
      (line) => this.#take(line),
      (bytes) => this.#guard(this.#heldBytes + bytes),
    );
    this.#assembler = new JsonAssembler({
      emit: (value, { event, id }) => {
        if (isNestedDeeper(value)) throw tooDeep({ stage: "event" });
        this.#values.push({ value, event, id });
      },
      onMalformed: (text) => options.onMalformed?.(text.trim().slice(0, EXCERPT)),
    });
  }

  /**
   * The values that are complete; throws an A2AError once an event is too large. Values that came before it in the
   * same chunk are returned first; the next call throws.
   */
  push(chunk: Uint8Array): StreamedValue[] {
    return this.#run(() => this.#lines.push(chunk));
  }

  /** The values that the end completes; throws as `push` does. */
  end(): StreamedValue[] {
    return this.#run(() => {
      this.#lines.end();
      this.#assembler.boundary();
    });
  }

  #run(step: () => void): StreamedValue[] {
    if (this.#fault) throw this.#fault;
    this.#values = [];
    try {
      step();
    } catch (error) {
      this.#fault = A2AError.from(error);
      if (this.#values.length === 0) throw this.#fault;
    }
    return this.#values;
  }

  #take(line: Uint8Array): void {
    if (line.length === 0) {
      if (this.#isNamed) this.#field("");
      this.#assembler.boundary();
      this.#heldBytes = 0;
      return;
    }
    this.#heldBytes += line.length;
    this.#guard(this.#heldBytes);
    const text = utf8.decode(line);
    // No field begins like this. The parser would say so too, with an Error and its stack for each such line.
    if (!FIELD_START.test(text)) this.#assembler.push({ text, prefixed: false });
    else if (this.#isNamed || !text.startsWith(DATA)) this.#field(text);
    else this.#assembler.push({ text: dataOf(text), prefixed: true });
    if (!this.#assembler.busy) this.#heldBytes = 0;
  }

  /**
   * The parser would collect `data:` lines until a blank one; ended here, each is an event of its own, which takes along
   * the `event:` and `id:` before it.
   */
  #field(text: string): void {
    const ends = text === "" || text.startsWith("data");
    this.#parser ??= this.#createParser();
    this.#parser.feed(ends ? `${text}\n\n` : `${text}\n`);
    this.#isNamed = !ends;
  }

  #createParser(): EventSourceParser {
    return createParser({
      onEvent: ({ data, event, id }) => this.#assembler.push({ text: data, prefixed: true, event, id }),
      onError: ({ type, line }) => {
        if (type === "unknown-field" && line !== undefined)
          this.#assembler.push({ text: line, prefixed: false });
      },
    });
  }

  #guard(bytes: number): void {
    const { maxEventBytes } = this.#options;
    if (bytes <= maxEventBytes) return;
    throw new A2AError("invalid-agent-response", {
      message: `The agent sent an event of more than ${maxEventBytes} bytes`,
      data: { stage: "event", limit: maxEventBytes },
    });
  }
}
