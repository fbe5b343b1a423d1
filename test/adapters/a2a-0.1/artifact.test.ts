import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  fromCanonicalArtifact,
  isAppended,
  toCanonicalArtifact,
  toCanonicalArtifacts,
} from "../../../adapters/a2a-0.1/artifact.ts";
import { WireArtifact } from "../../../adapters/a2a-0.1/wire.ts";
import { artifact } from "./arbitraries.ts";

const EXTENSION = "urn:a2a-compat-proxy:a2a-0.1";
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

describe("an artifact to the wire", () => {
  test("has the index that its id tells", () => {
    expect(fromCanonicalArtifact({ artifactId: "artifact-3", parts: [] }, 0)).toEqual({
      index: 3,
      parts: [],
    });
  });

  test("loses any other id, and its extensions; its position is its index", () => {
    const canonical = { artifactId: "report", name: "r", parts: [], extensions: ["urn:x"] };
    expect(fromCanonicalArtifact(canonical, 1)).toEqual({ index: 1, name: "r", parts: [] });
  });

  test("comes back as it was, with its index in metadata", () => {
    fc.assert(
      fc.property(artifact, (canonical) => {
        const back = toCanonicalArtifact(WireArtifact.parse(fromCanonicalArtifact(canonical, 0)));
        const index = Number(canonical.artifactId.slice("artifact-".length));
        expect(back).toEqual({ ...canonical, metadata: { ...canonical.metadata, [EXTENSION]: { index } } });
      }),
    );
  });
});
