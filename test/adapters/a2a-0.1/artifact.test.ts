import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { ArtifactIndexes } from "../../../adapters/a2a-0.1/artifact-indexes.ts";
import { ArtifactIds } from "../../../adapters/a2a-0.1/artifact-ids.ts";
import {
  fromCanonicalArtifact,
  isAppended,
  toCanonicalArtifact as toCanonical,
  toCanonicalArtifacts,
} from "../../../adapters/a2a-0.1/artifact.ts";
import { WireArtifact } from "../../../adapters/a2a-0.1/wire.ts";
import { artifact } from "./arbitraries.ts";

const EXTENSION = "urn:a2a-compat-proxy:a2a-0.1";
const toCanonicalArtifact = (wire: WireArtifact) => toCanonical(wire, new ArtifactIds("stream"), "auto");
const text = (value: string) => ({ type: "text", text: value });
const textOf = (value: string) => ({ kind: "text", text: value });

describe("an artifact from the wire", () => {
  test("is known by its index, which stays in metadata", () => {
    expect(
      toCanonicalArtifact(
        WireArtifact.parse({
          name: "joke",
          description: null,
          parts: [text("a")],
          index: 2,
          append: null,
          lastChunk: false,
          metadata: null,
        }),
      ),
    ).toEqual({
      artifactId: "artifact-2",
      name: "joke",
      parts: [textOf("a")],
      metadata: { [EXTENSION]: { index: 2 } },
    });
  });

  test("has index 0 where it says none", () => {
    expect(toCanonicalArtifact(WireArtifact.parse({ parts: [text("a")] }))).toEqual({
      artifactId: "artifact-0",
      parts: [textOf("a")],
    });
  });

  test.each([
    ["auto", true, true],
    ["auto", false, false],
    ["auto", null, false],
    ["delta", false, true],
    ["delta", null, true],
    ["cumulative", true, false],
  ] as const)("in mode %s with append %s is appended: %s", (mode, append, expected) => {
    expect(isAppended({ parts: [], append }, mode)).toBe(expected);
  });
});

describe("the artifacts of a task", () => {
  test("that are chunks of one are put together", () => {
    const chunks = [
      { index: 0, parts: [text("a")], append: false },
      { index: 0, parts: [text("b")], append: true },
      { index: 1, parts: [text("c")] },
    ];
    expect(toCanonicalArtifacts(chunks, "auto")).toEqual([
      {
        artifactId: "artifact-0",
        parts: [textOf("a"), textOf("b")],
        metadata: { [EXTENSION]: { index: 0 } },
      },
      { artifactId: "artifact-1", parts: [textOf("c")], metadata: { [EXTENSION]: { index: 1 } } },
    ]);
  });

  test("with the same index get ids of their own", () => {
    const artifacts = toCanonicalArtifacts(
      ["a", "b", "c"].map((value) => ({ parts: [text(value)] })),
      "auto",
    );
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual([
      "artifact-0",
      "artifact-0-2",
      "artifact-0-3",
    ]);
  });

  test("of a server that sends deltas are chunks without saying so", () => {
    const artifacts = toCanonicalArtifacts([{ parts: [text("a")] }, { parts: [text("b")] }], "delta");
    expect(artifacts).toEqual([{ artifactId: "artifact-0", parts: [textOf("a"), textOf("b")] }]);
  });

  test("of a cumulative server replace each other", () => {
    const artifacts = toCanonicalArtifacts([{ parts: [text("a")] }, { parts: [text("ab")] }], "cumulative");
    expect(artifacts).toEqual([{ artifactId: "artifact-0", parts: [textOf("ab")] }]);
  });
});

describe("artifacts without an index", () => {
  const idsOf = (of: "stream" | "task", ...artifacts: WireArtifact[]): string[] => {
    const ids = new ArtifactIds(of);
    return artifacts.map((wire) => toCanonical(wire, ids, "auto").artifactId);
  };
  const a = { name: "a.txt", parts: [text("content of a.txt")] };
  const b = { name: "b.txt", parts: [text("content of b.txt")] };

  test("are told apart by their names, in a stream as in a task", () => {
    expect(idsOf("stream", a, b)).toEqual(["artifact-0", "artifact-0-2"]);
    expect(idsOf("task", a, b)).toEqual(["artifact-0", "artifact-0-2"]);
  });

  test("and without a name are each their own, in a stream as in a task", () => {
    const nameless = ["one", "two", "three"].map((value) => ({ parts: [text(value)] }));
    expect(idsOf("stream", ...nameless)).toEqual(["artifact-0", "artifact-0-2", "artifact-0-3"]);
    expect(idsOf("task", ...nameless)).toEqual(["artifact-0", "artifact-0-2", "artifact-0-3"]);
  });

  test("of one name are two, unless the second goes on with the first", () => {
    const more = { ...a, parts: [text("content of a.txt and more")] };
    expect(idsOf("stream", a, more, { ...a, parts: [text("else")] })).toEqual([
      "artifact-0",
      "artifact-0",
      "artifact-0-2",
    ]);
  });

  test("that add to the one before need not repeat its name", () => {
    const add = { append: true, parts: [text("!")] };
    expect(idsOf("stream", a, add, b, add, { ...a, append: true })).toEqual([
      "artifact-0",
      "artifact-0",
      "artifact-0-2",
      "artifact-0-2",
      "artifact-0",
    ]);
  });

  test("are not what a file of another content goes on with", () => {
    const file = (uri: string) => ({ parts: [{ type: "file", file: { uri } }] });
    expect(idsOf("stream", file("https://a.example/1"), file("https://a.example/2"))).toEqual([
      "artifact-0",
      "artifact-0-2",
    ]);
  });

  test("do not change that an explicit index replaces", () => {
    const at = (index: number, value: string) => ({ index, parts: [text(value)] });
    expect(idsOf("stream", at(0, "one"), at(0, "two"), at(1, "three"))).toEqual([
      "artifact-0",
      "artifact-0",
      "artifact-1",
    ]);
  });
});

describe("an artifact to the wire", () => {
  test("has the index that its id tells", () => {
    expect(fromCanonicalArtifact({ artifactId: "artifact-3", parts: [] }, new ArtifactIndexes())).toEqual({
      index: 3,
      parts: [],
    });
  });

  test("loses any other id, and its extensions; its position is its index, unless that is taken", () => {
    const indexes = new ArtifactIndexes();
    const canonical = { artifactId: "report", name: "r", parts: [], extensions: ["urn:x"] };
    expect(fromCanonicalArtifact(canonical, indexes)).toEqual({ index: 0, name: "r", parts: [] });
    expect(indexes.of("artifact-2")).toBe(2);
    expect(indexes.of("summary")).toBe(3);
    expect(indexes.of("artifact-0")).toBe(1);
    expect(indexes.of("report")).toBe(0);
  });

  test("comes back as it was, with its index in metadata", () => {
    fc.assert(
      fc.property(artifact, (canonical) => {
        const back = toCanonicalArtifact(
          WireArtifact.parse(fromCanonicalArtifact(canonical, new ArtifactIndexes())),
        );
        const index = Number(canonical.artifactId.slice("artifact-".length));
        expect(back).toEqual({ ...canonical, metadata: { ...canonical.metadata, [EXTENSION]: { index } } });
      }),
    );
  });
});
