/**
 * What the SDKs make of ProtoJSON's files and parts. The Python and the Java SDK take the base64 text of a file for its bytes
 * and encode it once more; the Java SDK refuses a whole answer for members that its own proto lacks.
 */
import { isFields, type Fields } from "./json.ts";

/** Of a writer of whom nothing is known, shorter text of these letters may well be what the file says. */
export const MIN_REPAIRED = 16;

/**
 * A message with each file's bytes encoded once. Bytes that are themselves nothing but canonical base64, of at least so many
 * letters, are taken for encoded twice; a file that really holds such a text is read as what the text stands for.
 */
export function withPlainBytes(value: unknown, minLetters: number): unknown {
  if (Array.isArray(value)) return value.map((one) => withPlainBytes(one, minLetters));
  return isFields(value) ? plainMembers(value, minLetters) : value;
}

/** The same for an object. */
export const plainMembers = (value: Readonly<Fields>, minLetters: number): Fields =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      (name === "fileWithBytes" || name === "file_with_bytes") && typeof member === "string"
        ? onceEncoded(member, minLetters)
        : name === "metadata" || name === "data"
          ? member
          : withPlainBytes(member, minLetters),
    ]),
  );

function onceEncoded(bytes: string, minLetters: number): string {
  const inner = Buffer.from(bytes, "base64").toString("latin1");
  return inner.length >= minLetters && isBase64(inner) ? inner : bytes;
}

/** A pattern that counts the letters in fours would run out of stack on a file of some megabytes. */
const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** What the reader of an answer needs. */
export interface Reader {
  /** It takes a file's bytes for base64 text. */
  readonly decodesTwice: boolean;
  /** It refuses the metadata of parts and the names of files. */
  readonly refusesUnknown: boolean;
}

/** ProtoJSON of a task, a message or an event as the reader needs it; the very value if nothing has to change. */
export function writtenFor(reader: Reader, value: Readonly<Fields>): Readonly<Fields> {
  if (!reader.decodesTwice && !reader.refusesUnknown) return value;
  return fitMembers(value, (part) => fitPart(part, reader));
}

/** A message's parts are its `content`; an artifact's, its `parts`. */
const PARTS: ReadonlySet<string> = new Set(["content", "parts"]);

function fitMembers(value: Readonly<Fields>, fit: (part: Fields) => Fields): Fields {
  const fitAny = (member: unknown): unknown => {
    if (Array.isArray(member)) return member.map(fitAny);
    return isFields(member) ? fitMembers(member, fit) : member;
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === "metadata") return [name, member];
      if (!PARTS.has(name) || !Array.isArray(member)) return [name, fitAny(member)];
      return [name, member.map((part: unknown) => (isFields(part) ? fit(part) : part))];
    }),
  );
}

function fitPart({ metadata, file, ...part }: Fields, { decodesTwice, refusesUnknown }: Reader): Fields {
  if (isFields(file)) part["file"] = fitFile(file, { decodesTwice, refusesUnknown });
  return metadata === undefined || refusesUnknown ? part : { ...part, metadata };
}

function fitFile({ name, fileWithBytes: bytes, ...file }: Fields, reader: Reader): Fields {
  if (typeof bytes === "string") {
    file["fileWithBytes"] = reader.decodesTwice ? Buffer.from(bytes).toString("base64") : bytes;
  }
  return name === undefined || reader.refusesUnknown ? file : { ...file, name };
}
