/** Configs and notifications for tests of a PushStore. */
import type { EndpointFailure, NotificationRecord, PushConfigRecord } from "../../src/store/push-store.ts";
import type { TaskStore } from "../../src/store/store.ts";
import { taskRecord } from "./records.ts";

export const pushConfig = (changes: Partial<PushConfigRecord> = {}): PushConfigRecord => ({
  agent: "planner",
  taskId: "task-1",
  id: "default",
  principal: "alice",
  origin: "https://a.example",
  json: '{"url":"https://a.example/hook"}',
  createdAt: 1000,
  ...changes,
});

/** An attempt that was answered, though not as it should. */
export const FAILED: EndpointFailure = { reason: "HTTP 500", isOff: false };

export const task = { agent: "planner", id: "task-1" };

export type Current = () => TaskStore;
export type Reopen = () => Promise<void>;

/** Records states of a task one after the other, by their JSON. */
export const record = async (store: TaskStore, id: string, ...states: readonly string[]): Promise<void> => {
  for (const json of states) await store.putTask(taskRecord({ id, json }), { notify: true });
};

export const sent = (claimed: readonly NotificationRecord[]): string[] => claimed.map(({ json }) => json);
