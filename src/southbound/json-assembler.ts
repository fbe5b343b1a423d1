/**
 * Lines to JSON values. SSE says that one event is one value and that a blank line ends it (HTML standard, 9.2); what
 * agents send is pretty-printed JSON over lines of which only the first is prefixed, events without blank lines
 * between them, several values on a line, and halves of events. So the JSON itself says where a value ends.
 */
export interface PayloadLine {
  readonly text: string;
  /** Whether it came as `data:`, or bare: a continuation line, NDJSON, a plain body. */
  readonly prefixed: boolean;
  readonly event?: string | undefined;
  readonly id?: string | undefined;
}

export interface AssemblerOptions {
  /** `origin` is the line in which the value began. */
  emit(value: unknown, origin: PayloadLine): void;
  /** Called with the text of what was dropped. */
  onMalformed(text: string): void;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Separates the texts of a JSON sequence (RFC 7464); some agents write it before the JSON of each event, or after. */
const RECORD_SEPARATOR = 0x1e;

const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d || code === RECORD_SEPARATOR;
/** At column 0, because what is indented belongs to a pretty-printed value around it. */
const beginsValue = (line: PayloadLine): boolean => line.text.startsWith("{") || line.text.startsWith("[");

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

/** The index of the quote that ends the string begun at `start`, or -1 where the line ends first. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** Enough of a broken value to know it by. */
const MAX_SHOWN_LINES = 5;

const beginningOf = (lines: readonly PayloadLine[]): string =>
  lines
    .slice(0, MAX_SHOWN_LINES)
    .map(({ text }) => text)
    .join("\n");

/** The line without separators at its ends, the very same where there are none. */
function withoutSeparators(line: PayloadLine): PayloadLine {
  const { text } = line;
  const start = text.charCodeAt(0) === RECORD_SEPARATOR ? 1 : 0;
  const end = text.charCodeAt(text.length - 1) === RECORD_SEPARATOR ? -1 : text.length;
  return start === 0 && end === text.length ? line : { ...line, text: text.slice(start, end) };
}

/** Each character is scanned once and each value parsed once, however many lines it takes. */
export class JsonAssembler {
  readonly #options: AssemblerOptions;
  /** The lines of the value that is not complete yet. */
  #pending: PayloadLine[] = [];
  /** Its open brackets. */
  #stack: number[] = [];
  /** The last character in it that is not space. */
  #last = 0;
  /** The rest of a broken value is being passed over. */
  #skipping = false;

  constructor(options: AssemblerOptions) {
    this.#options = options;
  }

  /** Whether a value has begun and not ended. */
  get busy(): boolean {
    return this.#pending.length > 0;
  }

  push(received: PayloadLine): void {
    const line = withoutSeparators(received);
    // Where continuation lines are bare, `data:` is the only sign that the vendor has begun another event.
    if (line.prefixed && this.#pending.at(-1)?.prefixed === false) this.boundary();
    if (this.busy) this.#scan(line);
    else this.#begin(line);
  }

  /** Nothing goes on beyond here: a blank line, or the end. */
  boundary(): void {
    if (this.busy) this.#abandon();
    this.#skipping = false;
  }

  #begin(line: PayloadLine): void {
    if (this.#skipping && !line.prefixed && !beginsValue(line)) return;
    this.#skipping = false;
    const whole = parse(line.text);
    if (whole.ok) {
      this.#options.emit(whole.value, line);
      return;
    }
    const text = line.text.trim();
    if (text !== "" && text !== "[DONE]") this.#scan(line);
  }

  #scan(line: PayloadLine): void {
    const { text } = line;
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (isSpace(code)) continue;
      if (this.#stack.length === 0) {
        if (code !== OPEN_OBJECT && code !== OPEN_ARRAY) {
          this.#options.onMalformed(text.slice(at));
          return;
        }
        start = at;
      } else if (!this.#mayFollow(code)) {
        this.#breakAt(line);
        return;
      }
      if (code === QUOTE) {
        at = endOfString(text, at);
        // JSON has no line break in a string: the rest of this value will not come.
        if (at === -1) {
          this.#breakAt(line);
          return;
        }
      } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#stack.push(code);
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) this.#stack.pop();
      this.#last = code;
      if (this.#stack.length === 0 && !this.#complete(line, text.slice(start, at + 1))) return;
    }
    if (this.#stack.length > 0) this.#pending.push(start === 0 ? line : { ...line, text: text.slice(start) });
  }

  /** Only as much grammar as tells at once that a value was cut off and another has begun. */
  #mayFollow(code: number): boolean {
    const inObject = this.#stack.at(-1) === OPEN_OBJECT;
    switch (code) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        return inObject ? this.#last === COLON : this.#last === COMMA || this.#last === OPEN_ARRAY;
      case CLOSE_OBJECT:
        return inObject;
      case CLOSE_ARRAY:
        return !inObject;
      default:
        return true;
    }
  }

  /** False where the brackets match and it is no JSON all the same. */
  #complete(line: PayloadLine, tail: string): boolean {
    const lines = this.#pending;
    const parsed = parse(lines.length === 0 ? tail : [...lines.map(({ text }) => text), tail].join("\n"));
    if (!parsed.ok) {
      this.#breakAt(line);
      return false;
    }
    this.#pending = [];
    this.#options.emit(parsed.value, lines[0] ?? line);
    return true;
  }

  /** The pending value is broken; `line` showed it, and may be the first of the next. */
  #breakAt(line: PayloadLine): void {
    const wasPending = this.busy;
    this.#abandon();
    if (wasPending && (line.prefixed || beginsValue(line))) {
      this.#begin(line);
      return;
    }
    this.#skipping = true;
    if (!wasPending) this.#options.onMalformed(line.text);
  }

  /** Drops the pending value, but not the whole values that the scanner took for its members. */
  #abandon(): void {
    const [first, ...rest] = this.#pending;
    this.#pending = [];
    this.#stack = [];
    if (first) this.#options.onMalformed(beginningOf([first, ...rest]));
    for (const line of rest) {
      const parsed = line.prefixed && line.text.startsWith("{") ? parse(line.text) : undefined;
      if (parsed?.ok) this.#options.emit(parsed.value, line);
    }
  }
}
