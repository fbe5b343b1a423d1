/** The shape of the source: who may import whom, where vendors may be named, what every adapter and fixture has. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");

/** Paths from the root, with `/`, of all files under these folders. */
const filesUnder = (...folders: string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
  );
const foldersIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const SOURCES = filesUnder("src", "adapters").filter((file) => file.endsWith(".ts"));
const BUNDLED = foldersIn("adapters").filter((name) => name !== "shared");

/** A part of the source: a folder of src or adapters, or a file beside those folders. */
function partOf(file: string): string {
  const [top = "", second = "", ...rest] = file.split("/");
  if (top === "src") return second;
  return rest.length > 0 && second !== "shared" ? "adapters/*" : `adapters/${second}`;
}

/** Dialects that are another one in other words. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([["a2a-snake", "a2a-1.0"]]);

/** What each part may import, itself aside. `type X`: X for its types only. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  collections: [],
  lib: [],
  net: ["protocol"],
  store: ["protocol", "collections"],
  // Answers of bounded size, of whoever has keys and tokens.
  southbound: ["protocol", "lib", "net", "type config", "type adapter.ts", "type dialect.ts"],
  "dialect.ts": ["type adapter.ts", "type protocol", "type southbound"],
  "adapter.ts": ["type protocol", "type southbound", "type dialect.ts"],
  // The redactor, which keeps secrets out of faults; the contract, for the schemas of adapters' options.
  config: ["protocol", "net", "southbound", "type adapter.ts"],
  auth: ["protocol", "config", "lib", "net"],
  push: ["protocol", "store", "net", "type config", "type dialect.ts"],
  gateway: [
    "protocol",
    "collections",
    "lib",
    "store",
    "push",
    "type config",
    "type adapter.ts",
    "type southbound",
  ],
  // What counts as this machine is asked of config/urls.ts.
  northbound: ["protocol", "collections", "lib", "gateway", "auth", "config", "type dialect.ts"],
  "log.ts": ["protocol", "type southbound"],
  // These put the others together.
  "app.ts": ["protocol", "northbound", "auth", "type config", "type gateway", "type dialect.ts"],
  "server.ts": [
    "protocol",
    "lib",
    "config",
    "store",
    "southbound",
    "gateway",
    "push",
    "net",
    "auth",
    "northbound",
    "app.ts",
    "log.ts",
    "type adapter.ts",
  ],
  demo: [],
  cli: ["protocol", "config", "auth", "store", "southbound", "type demo", "type adapter.ts"],
  // The program and the library: they alone know that adapters exist.
  "main.ts": ["cli", "demo", "southbound", "server.ts", "adapters/index.ts"],
  "index.ts": ["protocol", "config", "southbound", "server.ts", "type adapter.ts", "adapters/index.ts"],
  "adapters/shared": ["protocol", "lib", "type dialect.ts"],
  "adapters/*": ["protocol", "lib", "type dialect.ts", "southbound", "type adapter.ts", "adapters/shared"],
  "adapters/index.ts": ["adapters/*", "type adapter.ts"],
};

/** What each room of the gateway may import of the gateway, itself aside; from elsewhere, what ALLOWED says of the gateway. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  task: [],
  feed: ["gateway.ts"],
  push: ["gateway.ts"],
  agent: ["task", "push", "gateway.ts"],
  turn: ["task", "feed", "push", "agent", "gateway.ts"],
};

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const IMPORT = /^(?:import|export)\s+(?:(type)\s+)?(\{[^}]*\}|[^;]*?)\s*from\s+"(\.[^"]+)";/gm;

function importsOf(file: string): Import[] {
  return [...read(file).matchAll(IMPORT)].map(([, type, names = "", path = ""]) => {
    const members = names.replaceAll(/[{}\s]+/g, " ").split(",");
    const typed = members.filter((member) => member.trim() !== "").every((member) => /^ *type /.test(member));
    const target = relative(ROOT, join(ROOT, dirname(file), path)).replaceAll("\\", "/");
    return { file, target, typeOnly: type !== undefined || typed };
  });
}

function isAllowed({ file, target, typeOnly }: Import): boolean {
  const [from, to] = [partOf(file), partOf(target)];
  if (from === to && from !== "adapters/*") return true;
  if (from === to) {
    const [folder = "", other = ""] = [file, target].map((path) => dirname(path).split("/")[1]);
    return folder === other || SPELLINGS.get(folder) === other;
  }
  const allowed = ALLOWED[from] ?? [];
  return allowed.includes(to) || (typeOnly && allowed.includes(`type ${to}`));
}

describe("imports", () => {
  const imports = SOURCES.flatMap(importsOf);

  test("are understood by this test", () => {
    const count = (pattern: RegExp): number =>
      SOURCES.reduce((sum, file) => sum + [...read(file).matchAll(pattern)].length, 0);
    expect(imports).toHaveLength(count(/\bfrom "\./g));
    expect(count(/\bimport\("\./g)).toBe(0);
  });

  test("go the way the table says", () => {
    const wrong = imports.filter((entry) => !isAllowed(entry));
    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toStrictEqual([]);
  });

  test("have a row for every part", () => {
    expect(Object.keys(ALLOWED)).toEqual(expect.arrayContaining(SOURCES.map(partOf)));
  });

  const roomOf = (file: string): string => /^src\/gateway\/([^/]+)/.exec(file)?.[1] ?? "";

  test("go one way between the gateway's rooms", () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from in ROOMS && to !== "" && to !== from && !ROOMS[from]?.includes(to);
    });
    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toStrictEqual([]);
    expect(Object.keys(ROOMS).toSorted()).toStrictEqual(foldersIn("src/gateway").toSorted());
  });

  test("leave the gateway's task pure: it knows the protocol and the types of what agents say", () => {
    const known = new Set(["gateway", "protocol", "adapter.ts"]);
    const wrong = imports.filter(
      ({ file, target, typeOnly }) =>
        roomOf(file) === "task" &&
        (!known.has(partOf(target)) || (partOf(target) === "adapter.ts" && !typeOnly)),
    );
    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toStrictEqual([]);
  });
});

/** Words that only vendors and other dialects use. */
const FOREIGN = [
  "qianfan",
  "baidu",
  "tasks/send",
  "tasks/pushNotification/",
  "a2a.send",
  "a2a.getTask",
  "sessionId",
  "conversation_id",
  "end_user_id",
];

test("no vendor and no foreign dialect is named in src, save for the demo and the command line", () => {
  const names = [...FOREIGN, ...BUNDLED.filter((name) => name !== "auto")];
  const places = SOURCES.filter((file) => /^src\/(?!demo|cli)/.test(file)).flatMap((file) => {
    const text = read(file).toLowerCase();
    return names.filter((name) => text.includes(name.toLowerCase())).map((name) => `${file} names ${name}`);
  });
  expect(places).toStrictEqual([]);
});

/** `auto` translates nothing: it is the adapter it has decided for. A spelling of another dialect uses that one's codec. */
const CORE = ["index", "wire", "card", "message", "parts", "task", "events", "errors"];
test.each(BUNDLED)("the adapter %s has the files of every adapter", (name) => {
  const wanted = SPELLINGS.has(name) ? ["index", "spelling"] : name === "auto" ? ["index"] : CORE;
  const files = [...wanted.map((file) => `${file}.ts`), "README.md"];
  expect(readdirSync(join(ROOT, "adapters", name))).toEqual(expect.arrayContaining(files));
});

test("no source file is longer than 300 lines", () => {
  const files = [...SOURCES, ...filesUnder("test", "scripts").filter((file) => /\.m?[jt]s$/.test(file))];
  const long = files.filter((file) => read(file).trimEnd().split("\n").length > 300);
  expect(long).toStrictEqual([]);
});

test("docs/architecture.md names files that there are", () => {
  const places = [
    "",
    "src",
    "src/gateway",
    "src/gateway/turn",
    "src/northbound",
    "src/southbound",
    "src/gateway/task",
  ];
  const named = [...read("docs/architecture.md").matchAll(/`([\w./-]+\.ts|(?:src|test)\/[\w./-]*)`/g)].map(
    ([, name = ""]) => name,
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter((name) => !places.some((place) => existsSync(join(ROOT, place, name))));
  expect(missing).toStrictEqual([]);
});

describe("every fixture", () => {
  const CASE = z.looseObject({
    card: z.string().optional(),
    exchanges: z.array(z.looseObject({ request: z.string(), body: z.string() })),
  });
  const cases = foldersIn("test/fixtures").flatMap((adapter) =>
    foldersIn(`test/fixtures/${adapter}`).map((name) => `${adapter}/${name}`),
  );

  test("belongs to an adapter, and every adapter has some", () => {
    const translating = BUNDLED.filter((name) => name !== "auto");
    expect(BUNDLED).toEqual(expect.arrayContaining(foldersIn("test/fixtures")));
    expect(foldersIn("test/fixtures")).toEqual(expect.arrayContaining(translating));
  });

  test.each(cases)("%s has the files it names, and no others", (name) => {
    const folder = join("test/fixtures", name);
    const { card, exchanges } = CASE.parse(parse(read(join(folder, "case.yaml"))));
    const named = exchanges.flatMap(({ request, body }) => [request, body]);
    const wanted = new Set(["case.yaml", "request.json", "events.json", ...named, ...(card ? [card] : [])]);
    expect(new Set(readdirSync(join(ROOT, folder)))).toStrictEqual(wanted);
  });
});
