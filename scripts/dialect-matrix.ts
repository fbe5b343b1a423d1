/**
 * Writes the matrix of docs/dialects.md from the adapters themselves: each is connected to an agent that is not there, and what
 * it would have sent is looked at. `node scripts/dialect-matrix.ts`; a test holds the file to what this makes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { adapters } from "../adapters/index.ts";
import type { Adapter, Call, NativeMethods } from "../src/adapter.ts";
import type { Part } from "../src/protocol/model.ts";
import type { MessageSendParams } from "../src/protocol/params.ts";
import type { HttpRequest } from "../src/southbound/http.ts";
import { callWith, connect, requestOf, row } from "./dialect-agent.ts";
import { lossTable } from "./dialect-losses.ts";

export const MATRIX_FILE = new URL("../docs/dialects.md", import.meta.url);

/** Each is between two markers. */
const SECTIONS: readonly (readonly [
  name: string,
  write: (dialects: readonly Adapter[]) => Promise<string>,
])[] = [
  ["matrix", matrix],
  ["losses", lossTable],
];

const METHODS = {
  send: "message/send",
  stream: "message/stream",
  getTask: "tasks/get",
  cancelTask: "tasks/cancel",
  resubscribe: "tasks/resubscribe",
} as const satisfies Record<keyof NativeMethods, string>;
const METHOD_KEYS = Object.keys(METHODS) as (keyof NativeMethods)[];

/** What the card says of streaming, and what it means for a method that depends on it. */
const CLAIMS = [true, false, undefined] as const;
const CONDITIONS: ReadonlyMap<string, string> = new Map([
  ["true,true,true", ""],
  ["true,false,true", ", unless the card denies streaming"],
  ["true,false,false", ", if the card declares streaming"],
  ["false,true,false", ", if the card denies streaming"],
]);

type Message = MessageSendParams["message"];

const holding = (...parts: Part[]): Partial<Message> => ({ parts });
const messageOf = (more: Partial<Message>): MessageSendParams => ({
  message: {
    kind: "message",
    messageId: "m",
    role: "user",
    parts: [{ kind: "text", text: "hello" }],
    ...more,
  },
});

/** What a call can carry, and a word by which it is found again. */
const CARGO: readonly (readonly [title: string, marker: string, MessageSendParams])[] = [
  ["text", "marker", messageOf(holding({ kind: "text", text: "marker" }))],
  ["a file by its bytes", "bWFya2Vy", messageOf(holding({ kind: "file", file: { bytes: "bWFya2Vy" } }))],
  [
    "a file by its URI",
    "marker",
    messageOf(holding({ kind: "file", file: { uri: "https://marker.example" } })),
  ],
  ["data", "marker", messageOf(holding({ kind: "data", data: { marker: 1 } }))],
  ["the task it goes on with", "marker", messageOf({ taskId: "marker" })],
  ["the context it belongs to", "marker", messageOf({ contextId: "marker" })],
  ["messageId", "marker", messageOf({ messageId: "marker" })],
  ["referenceTaskIds", "marker", messageOf({ referenceTaskIds: ["marker"] })],
  ["metadata of the message", "marker", messageOf({ metadata: { marker: 1 } })],
  ["metadata of the call", "marker", { ...messageOf({}), metadata: { marker: 1 } }],
  ["acceptedOutputModes", "marker", { ...messageOf({}), configuration: { acceptedOutputModes: ["marker"] } }],
];

const wireMethod = (request: HttpRequest | undefined): string =>
  /"method":"([^"]+)"/.exec(JSON.stringify(request?.body ?? ""))?.[1] ?? "";

/** `emulated`, or the vendor's method and when it is there. */
async function methodCell(adapter: Adapter, key: keyof NativeMethods): Promise<string> {
  const probes = await Promise.all(CLAIMS.map((claim) => connect(adapter, claim)));
  const isNative: boolean[] = [];
  for (const [index, { backend }] of probes.entries()) {
    const known = await backend.card(new AbortController().signal);
    isNative[index] = (backend.native?.(known)[key] ?? true) && backend[key] !== undefined;
  }
  const probe = probes[isNative.indexOf(true)];
  if (!probe) return "emulated";
  const condition = CONDITIONS.get(isNative.join()) ?? ", sometimes";
  return `\`${wireMethod(await requestOf(probe, key, messageOf({})))}\`${condition}`;
}

/** Whether something in a message, or its call, reaches the vendor. */
async function cargoCell(
  adapter: Adapter,
  marker: string,
  params: MessageSendParams,
  call?: Call,
): Promise<string> {
  const request = await requestOf(await connect(adapter, true), "stream", params, call);
  if (!request) return "refused";
  const { url, headers, body } = request;
  return JSON.stringify({ url, headers, body }).includes(marker) ? "yes" : "no";
}

/** All adapters but those that decide for another. */
async function dialectsOf(): Promise<Adapter[]> {
  const all = [...adapters.values()];
  const deciding = await Promise.all(
    all.map(async (adapter) => (await connect(adapter, true)).backend.decision !== undefined),
  );
  return all.filter((_adapter, index) => !deciding[index]);
}

async function matrix(dialects: readonly Adapter[]): Promise<string> {
  const cells = (cell: (adapter: Adapter) => Promise<string>): Promise<string[]> =>
    Promise.all(dialects.map(cell));
  const names = dialects.map(({ name }) => `[${name}](../adapters/${name}/README.md)`);
  const lines = [
    row("", names),
    row(
      "---",
      dialects.map(() => "---"),
    ),
  ];
  for (const key of METHOD_KEYS) {
    lines.push(row(METHODS[key], await cells((adapter) => methodCell(adapter, key))));
  }
  lines.push(
    "",
    row("reaches the agent", names),
    row(
      "---",
      dialects.map(() => "---"),
    ),
  );
  for (const [title, marker, params] of CARGO) {
    lines.push(row(title, await cells((adapter) => cargoCell(adapter, marker, params))));
  }
  const asked = callWith(["urn:marker"]);
  lines.push(
    row("X-A2A-Extensions", await cells((adapter) => cargoCell(adapter, "urn:marker", messageOf({}), asked))),
  );
  return lines.join("\n");
}

/** The document with fresh tables; throws where the markers are missing. */
export async function withMatrix(document: string): Promise<string> {
  const dialects = await dialectsOf();
  let written = document;
  for (const [name, write] of SECTIONS) {
    const begin = `<!-- ${name}: generated by scripts/dialect-matrix.ts -->`;
    const end = `<!-- end of ${name} -->`;
    const [head, rest] = written.split(begin);
    const tail = rest?.split(end)[1];
    if (head === undefined || tail === undefined) throw new Error("docs/dialects.md has lost its markers");
    written = `${head}${begin}\n\n${await write(dialects)}\n\n${end}${tail}`;
  }
  return written;
}

if (import.meta.main) {
  writeFileSync(MATRIX_FILE, await withMatrix(readFileSync(MATRIX_FILE, "utf8")));
}
