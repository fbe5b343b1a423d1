/** What counts in `limits.task`. */
import { describe, expect, test } from "@jest/globals";
import { TaskState } from "../../src/gateway/task/state.ts";

const KIB = "x".repeat(1024);
const state = () => new TaskState("t", "c", { state: "working" });
const parts = [{ kind: "text" as const, text: "hi" }];
const grown = (apply: (task: TaskState) => void): number => {
  const task = state();
  apply(task);
  return task.size;
};

describe("the size of a task", () => {
  const artifact = { artifactId: "a", parts };
  const bare = grown((task) => task.replaceArtifact(artifact));

  test.each<[string, (task: TaskState) => void]>([
    ["an artifact's metadata", (task) => task.replaceArtifact({ ...artifact, metadata: { note: KIB } })],
    [
      "a later chunk's metadata",
      (task) => {
        task.replaceArtifact({ ...artifact, parts: [] });
        task.appendArtifact({ ...artifact, metadata: { note: KIB } });
      },
    ],
    [
      "a part's metadata",
      (task) =>
        task.replaceArtifact({
          ...artifact,
          parts: [{ ...parts[0], kind: "text", text: "", metadata: { note: KIB } }],
        }),
    ],
    [
      "a message's metadata",
      (task) =>
        task.addMessage({ kind: "message", messageId: "m", role: "agent", parts, metadata: { note: KIB } }),
    ],
    ["its own metadata", (task) => task.absorb({ metadata: { note: KIB } })],
  ])("counts %s", (_, apply) => {
    expect(grown(apply)).toBeGreaterThan(1024);
    expect(grown(apply)).toBeLessThan(1024 + 200);
  });

  test("is as before where the same metadata comes with every chunk, or the artifact is replaced", () => {
    const chunk = { artifactId: "a", parts: [], metadata: { note: KIB } };
    const once = grown((task) => task.replaceArtifact(chunk));
    const often = grown((task) => {
      for (let n = 0; n < 100; n++) task.appendArtifact(chunk);
    });
    expect(often).toBe(once);
    const replaced = grown((task) => {
      task.replaceArtifact(chunk);
      task.replaceArtifact(artifact);
    });
    expect(replaced).toBe(bare);
  });
});
