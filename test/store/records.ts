/** Records for tests of a store. */
import type { ContextRecord, TaskRecord } from "../../src/store/store.ts";

export const taskRecord = (changes: Partial<TaskRecord> = {}): TaskRecord => ({
  agent: "planner",
  id: "task-1",
  principal: "alice",
  contextId: "context-1",
  vendorTaskId: undefined,
  vendorContextId: undefined,
  state: "working",
  lastEvent: 0,
  createdAt: 1000,
  updatedAt: 1000,
  json: '{"kind":"task","id":"task-1"}',
  ...changes,
});

export const contextRecord = (changes: Partial<ContextRecord> = {}): ContextRecord => ({
  agent: "planner",
  principal: "alice",
  contextId: "context-1",
  vendorContextId: "session-1",
  updatedAt: 1000,
  ...changes,
});

/** Events with the sequences `from` to `to`. */
export const events = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    sequence: from + index,
    json: `{"chunk":${from + index}}`,
  }));
