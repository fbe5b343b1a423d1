/** What every engine's PushStore must do with what was given up. */
import { expect, test } from "@jest/globals";
import { FAILED, pushConfig, record, sent, type Current } from "./push-records.ts";

export function describeLetters(store: Current): void {
  /** Two dead letters of one lane, "1" and "2", and "3" pending. */
  const buryTwo = async (): Promise<string[]> => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1", "2", "3");
    for (const at of [2000, 3000]) {
      const [head] = await push.claim(at, 1);
      if (head) await push.bury(head, `HTTP 500 at ${at}`, at);
    }
    return (await push.deadLetters(10)).map(({ id }) => id);
  };

  test("lists what was given up, the oldest first, and goes on with the lane", async () => {
    const [first] = await buryTwo();
    const letter = { agent: "planner", taskId: "task-1", configId: "default", origin: "https://a.example" };
    expect(await store().push.deadLetters(1)).toEqual([
      { ...letter, id: first, queuedAt: 1000, deadAt: 2000, reason: "HTTP 500 at 2000" },
    ]);
    expect(sent(await store().push.claim(9000, 9))).toEqual(["3"]);
  });

  test("replays a dead letter in its old place, once", async () => {
    const [first = "", second = ""] = await buryTwo();
    expect(await store().push.replay(second, 4000)).toBe(true);
    expect(await store().push.replay(first, 4000)).toBe(true);
    expect(await store().push.replay(first, 4000)).toBe(false);
    expect(await store().push.replay("no such", 4000)).toBe(false);
    expect(await store().push.deadLetters(10)).toEqual([]);
    const [head] = await store().push.claim(4000, 9);
    expect([head?.json, head?.queuedAt, head?.attempts]).toEqual(["1", 4000, 0]);
  });

  test("replays into a lane that has nothing else to send", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1");
    const [head] = await push.claim(1000, 1);
    if (head) await push.bury(head, "gone", 1000);
    expect(await push.nextDue()).toBeUndefined();
    await push.replay(head?.id ?? "", 4000);
    expect(await push.nextDue()).toBe(4000);
  });

  test("replays into a lane that waits for its next attempt, which need not wait any more", async () => {
    const [first = ""] = await buryTwo();
    const { push } = store();
    const [head] = await push.claim(9000, 1);
    if (head) await push.retry(head, 60_000, FAILED, 1000);
    await push.replay(first, 10_000);
    const [again] = await push.claim(10_000, 1);
    expect([again?.id, again?.attempts]).toEqual([first, 0]);
  });

  test("drops a dead letter, and nothing that is pending", async () => {
    const [first = ""] = await buryTwo();
    const [head] = await store().push.claim(9000, 1);
    expect(await store().push.drop(first)).toBe(true);
    expect(await store().push.drop(first)).toBe(false);
    expect(await store().push.drop(head?.id ?? "")).toBe(false);
    expect(await store().push.deadLetters(10)).toHaveLength(1);
  });

  test("sweeps dead letters by the time they were given up", async () => {
    await buryTwo();
    expect(await store().push.sweepDeadLetters(3000)).toBe(1);
    expect((await store().push.deadLetters(10)).map(({ deadAt }) => deadAt)).toEqual([3000]);
  });
}
