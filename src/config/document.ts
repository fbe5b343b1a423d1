/** YAML text to a plain value, with references resolved and the position of everything kept for fault messages. */
import { isDeepStrictEqual } from "node:util";
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
import { hasReference, interpolate, mask, unmask, type Sources } from "./interpolate.ts";

export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A fault that is still to be put into words for the reader. */
export interface Finding extends Position {
  readonly path: Path;
  readonly message: string;
}

/** Nested this deep, the file loops through an alias or is no configuration. */
const DEEPEST = 50;

export const keyOf = (path: Path): string => JSON.stringify(path);

/** A mapping or a list. */
export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

export const member = (value: unknown, step: string | number): unknown =>
  isObject(value) ? Reflect.get(value, step) : undefined;

/** What is at `path` within a value of any shape. */
export const valueAt = (value: unknown, path: Path): unknown => path.reduce(member, value);

export class SourceDocument {
  readonly value: unknown;
  /** Syntax faults, duplicate keys and references that lead nowhere. */
  readonly findings: readonly Finding[];
  /** Contents of files that came in by `${file:…}`. */
  readonly secrets: readonly string[];
  /** The text could not be understood as YAML; `value` is undefined. */
  readonly broken: boolean;
  readonly #document: Document;
  readonly #sources: Sources;
  readonly #lines = new LineCounter();
  readonly #offsets = new Map<string, { key: number | undefined; value: number | undefined }>();
  /** What was written where a reference has been replaced. */
  readonly #interpolated = new Map<string, { path: Path; text: string }>();
  readonly #unresolved: Path[] = [];
  readonly #findings: Finding[] = [];
  readonly #secrets: string[] = [];

  constructor(text: string, sources: Sources) {
    this.#sources = sources;
    // Duplicate keys are found below, where their path is known.
    this.#document = parseDocument(mask(text), { uniqueKeys: false, prettyErrors: false });
    // Counted here, since the parser misses the line breaks inside a key that spans lines.
    this.#lines.addNewLine(0);
    for (const { index } of text.matchAll(/\n/g)) this.#lines.addNewLine(index + 1);
    for (const { pos, message } of [...this.#document.errors, ...this.#document.warnings]) {
      const finding = { path: [], message: `YAML: ${withoutSource(message)}`, ...this.#position(pos[0]) };
      // Collections that end together say the same of their end, each for itself.
      if (!this.#findings.some((known) => isDeepStrictEqual(known, finding))) this.#findings.push(finding);
    }
    this.broken = this.#findings.length > 0;
    this.value = this.broken ? undefined : this.#read(this.#document.contents, []);
    this.findings = this.#findings;
    this.secrets = this.#secrets;
  }

  /** Where the path's key (or list item) stands, or what is nearest above it. */
  locate(path: Path, prefer: "key" | "value" = "value"): Position {
    for (let length = path.length; length > 0; length--) {
      const found = this.#offsets.get(keyOf(path.slice(0, length)));
      const offset = prefer === "value" && length === path.length ? (found?.value ?? found?.key) : found?.key;
      if (offset !== undefined) return this.#position(offset);
    }
    return { line: 1, column: 1 };
  }

  /** The value came, at least in part, from a reference. */
  isInterpolated(path: Path): boolean {
    return this.#interpolated.has(keyOf(path));
  }

  /** What was written there, where it has references. */
  template(path: Path): string | undefined {
    return this.#interpolated.get(keyOf(path))?.text;
  }

  /** The same for everything at and below the path. */
  templates(base: Path): string[] {
    const within = [...this.#interpolated.values()].filter(({ path }) =>
      base.every((step, index) => path[index] === step),
    );
    return within.map(({ text }) => text);
  }

  /** The value there; undefined where there is none. */
  at(path: Path): unknown {
    return valueAt(this.value, path);
  }

  /** A finding already says why this value, or one around it, is not there. */
  isUnresolved(path: Path): boolean {
    return this.#unresolved.some((known) => known.every((step, index) => path[index] === step));
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  #find(path: Path, offset: number | undefined, message: string): void {
    const position = offset === undefined ? this.locate(path) : this.#position(offset);
    this.#findings.push({ path, message, ...position });
  }

  #read(node: unknown, path: Path): unknown {
    if (path.length > DEEPEST) {
      this.#find(path.slice(0, 1), undefined, "is nested too deeply");
      return undefined;
    }
    if (isAlias(node)) return this.#readAlias(node.resolve(this.#document), path);
    if (isMap(node)) return this.#readMap(node.items, path);
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const itemPath = [...path, index];
        this.#offsets.set(keyOf(itemPath), { key: start(item), value: start(item) });
        return this.#read(item, itemPath);
      });
    }
    if (!isScalar(node)) return null;
    return typeof node.value === "string" ? this.#readText(unmask(node.value), path) : node.value;
  }

  #readAlias(target: Node | undefined, path: Path): unknown {
    if (target) return this.#read(target, path);
    this.#find(path, undefined, "YAML: there is no such anchor before this alias");
    this.#unresolved.push(path);
    return undefined;
  }

  #readMap(items: readonly { key: unknown; value: unknown }[], path: Path): Record<string, unknown> {
    const seen = new Map<string, unknown>();
    for (const { key, value } of items) {
      const name = isScalar(key) ? unmask(String(key.value)) : "?";
      const child = [...path, name];
      if (seen.has(name)) {
        this.#find(child, start(key), "duplicate key");
        continue;
      }
      const blank = isScalar(value) && value.source === "";
      this.#offsets.set(keyOf(child), { key: start(key), value: blank ? undefined : start(value) });
      seen.set(name, this.#read(value, child));
    }
    // Unlike assignment, this makes `__proto__` a key like any other.
    return Object.fromEntries(seen);
  }

  #readText(text: string, path: Path): string {
    if (!hasReference(text)) return text;
    const { value, secrets, faults } = interpolate(text, this.#sources);
    this.#interpolated.set(keyOf(path), { path, text });
    this.#secrets.push(...secrets);
    for (const fault of faults) this.#find(path, undefined, fault);
    if (faults.length > 0) this.#unresolved.push(path);
    return value;
  }
}

const start = (node: unknown): number | undefined =>
  isScalar(node) || isAlias(node) ? node.range?.[0] : undefined;

/** The parser's message without what it quotes from the file: that may be a secret. */
const withoutSource = (message: string): string =>
  message.replace(/(?<=\w): .*$|(?<=escape sequence) .*$/s, "").replace(/^./, (first) => first.toLowerCase());
