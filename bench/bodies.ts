/** The worst bodies that a client may send, each as large or with as many values as the limits allow, or beyond them. */
import { DEFAULT_LIMITS } from "../src/config/config.ts";

export interface WorstBody {
  readonly name: string;
  readonly body: string;
}

/** What goes around the part of a body that varies. */
const ENVELOPE = 512;

/** The piece as often as the limits allow, with `values` values in each. */
function repeated(piece: string | ((index: number) => string), values: number): string {
  const pieces: string[] = [];
  let size = ENVELOPE;
  for (let index = 0; (index + 1) * values < DEFAULT_LIMITS.requestValues - ENVELOPE; index++) {
    const next = typeof piece === "string" ? piece : piece(index);
    size += next.length + 1;
    if (size > DEFAULT_LIMITS.requestBody) break;
    pieces.push(next);
  }
  return pieces.join(",");
}

/** Text of the largest body. */
const filled = (piece: string): string =>
  piece.repeat(Math.floor((DEFAULT_LIMITS.requestBody - ENVELOPE) / Buffer.byteLength(piece)));

const call = (params: string, { id = "1", method = "message/send" } = {}): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

const message = (parts: string, more = ""): string =>
  call(`{"message":{"kind":"message","messageId":"m","role":"user","parts":[${parts}]${more}}}`);

const HI = '{"kind":"text","text":"hi"}';
const data = (members: string): string => message(`{"kind":"data","data":{${members}}}`);
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

export const WORST_BODIES: readonly WorstBody[] = [
  // Beyond the limits: refused before they are parsed.
  { name: "a fractional id, millions of ones", body: call(`[${filled("1,")}1]`, { id: "1.5" }) },
  { name: "millions of empty objects", body: call(`[${filled("{},")}{}]`) },
  { name: "a million levels", body: call(nested(1_000_000)) },
  // Within them.
  { name: "a fractional id, many objects", body: call(`[${repeated('{"id":1}', 2)}]`, { id: "1.5" }) },
  { name: "a number of millions of digits", body: call(`[${filled("9")}]`) },
  { name: "an id of millions of digits", body: call("[]", { id: filled("9") }) },
  {
    name: "unknown members of params",
    body: call(`{${repeated((n) => `"m${n}":1`, 1)}}`, { method: "tasks/get" }),
  },
  { name: "members of metadata", body: message(HI, `,"metadata":{${repeated((n) => `"m${n}":1`, 1)}}`) },
  { name: "members that are numbers", body: data(repeated((n) => `"${n * 4_294_967}":1`, 1)) },
  { name: "duplicate members", body: data(repeated('"m":1', 1)) },
  { name: "objects of a member each", body: data(`"all":[${repeated((n) => `{"m${n}":1}`, 2)}]`) },
  { name: "empty objects", body: data(`"all":[${repeated("{}", 1)}]`) },
  { name: "deep arrays", body: data(`"all":[${repeated(nested(100), 100)}]`) },
  { name: "too many parts", body: message(repeated(HI, 3)) },
  { name: "a text of escaped quotes", body: message(`{"kind":"text","text":"${filled('\\"')}"}`) },
  { name: "a text of escaped controls", body: message(`{"kind":"text","text":"${filled("\\u0001")}"}`) },
  { name: "a text of line separators", body: message(`{"kind":"text","text":"${filled("\u2028")}"}`) },
  { name: "a text of Chinese", body: message(`{"kind":"text","text":"${filled("\u4e2d")}"}`) },
  { name: "a file", body: message(`{"kind":"file","file":{"bytes":"${filled("QUJD")}"}}`) },
  {
    name: "a file with line breaks",
    body: message(`{"kind":"file","file":{"bytes":"${filled("QUJD\\n")}"}}`),
  },
  { name: "a file that is no base64", body: message(`{"kind":"file","file":{"bytes":"${filled("=")}*"}}`) },
  { name: "an unknown method of megabytes", body: call("{}", { method: filled("m") }) },
  { name: "a task id of megabytes", body: call(`{"id":"${filled("i")}"}`, { method: "tasks/get" }) },
  { name: "a context id of megabytes", body: message(HI, `,"contextId":"${filled("i")}"`) },
  { name: "a broken text", body: `{"jsonrpc":"2.0","id":"${filled("\\\\")}` },
];
