/**
 * `push list | replay | drop`: the notifications that were given up, and the webhooks that fail. Works on the store's
 * file, also beside the proxy, which delivers what was replayed within a minute.
 */
import { access } from "node:fs/promises";
import { openSqliteStore } from "../store/sqlite.ts";
import type { DeadLetter, PushStore } from "../store/push-store.ts";
import type { CliDeps } from "./deps.ts";
import { EXIT, explain, Failure } from "./failure.ts";
import { line, paint, table } from "./print.ts";
import { loadLoudly } from "./serve.ts";

interface PushOptions {
  readonly config: string;
  /** Every dead letter; otherwise those that are named. */
  readonly all?: boolean;
}

/** Dead letters read at once. */
const PAGE = 1000;

export const listLetters = (options: PushOptions, deps: CliDeps): Promise<number> =>
  withStore(options, deps, async (push) => {
    await listFailing(push, deps);
    const letters = await push.deadLetters(PAGE);
    if (letters.length === 0) {
      line(deps.out, "no notifications were given up");
      return EXIT.ok;
    }
    const head = ["id", "given up", "agent", "task", "config", "webhook", "reason"];
    const [first = "", ...rows] = table([head, ...letters.map(rowOf)]);
    line(deps.out, paint(deps.out, "bold", first));
    for (const row of rows) line(deps.out, row);
    if (letters.length === PAGE) line(deps.out, `These are the oldest ${PAGE}; there may be more.`);
    return EXIT.ok;
  });

export const replayLetters = (ids: readonly string[], options: PushOptions, deps: CliDeps): Promise<number> =>
  settle("replayed", ids, options, deps, (push, id) => push.replay(id, Date.now()));

export const dropLetters = (ids: readonly string[], options: PushOptions, deps: CliDeps): Promise<number> =>
  settle("dropped", ids, options, deps, (push, id) => push.drop(id));

function settle(
  verb: string,
  ids: readonly string[],
  options: PushOptions,
  deps: CliDeps,
  each: (push: PushStore, id: string) => Promise<boolean>,
): Promise<number> {
  if (ids.length === 0 && !options.all)
    throw new Failure("name the notifications by their ids, or say --all");
  return withStore(options, deps, async (push) => {
    let done = 0;
    const unknown: string[] = [];
    for await (const id of options.all ? allIds(push) : ids) {
      if (await each(push, id)) done += 1;
      else unknown.push(id);
    }
    for (const id of unknown) line(deps.err, `${paint(deps.err, "red", "error")} ${id}: no such dead letter`);
    line(deps.out, `${done} ${verb}`);
    return unknown.length === 0 ? EXIT.ok : EXIT.fault;
  });
}

/** Each that is read is settled before the next page is asked for, and then no dead letter any more. */
async function* allIds(push: PushStore): AsyncGenerator<string> {
  for (;;) {
    const letters = await push.deadLetters(PAGE);
    if (letters.length === 0) return;
    for (const { id } of letters) yield id;
  }
}

/** The webhooks that have failed since their last success; nothing where there are none. */
async function listFailing(push: PushStore, deps: CliDeps): Promise<void> {
  const failing = await push.failingEndpoints(PAGE);
  if (failing.length === 0) return;
  const head = ["failing since", "caller", "webhooks at", "last failure", ""];
  const rows = failing.map(({ failingSince, principal, origin, reason, offAt }) => [
    new Date(failingSince).toISOString(),
    principal,
    origin,
    reason,
    offAt === undefined ? "" : `switched off ${new Date(offAt).toISOString()}`,
  ]);
  const [first = "", ...rest] = table([head, ...rows]);
  line(deps.out, paint(deps.out, "bold", first));
  for (const row of rest) line(deps.out, row);
  line(deps.out, "");
}

const rowOf = ({ id, deadAt, agent, taskId, configId, origin, reason }: DeadLetter): string[] => [
  id,
  new Date(deadAt).toISOString(),
  agent,
  taskId,
  configId,
  origin,
  reason,
];

async function withStore(
  options: PushOptions,
  deps: CliDeps,
  use: (push: PushStore) => Promise<number>,
): Promise<number> {
  const { config } = await loadLoudly(options.config, deps);
  const { path } = config.store;
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (!exists) throw new Failure(`there is no store at ${path}`);
  const store = await openSqliteStore({ ...config.store, beside: true }).catch((cause: unknown) => {
    throw new Failure(explain(cause), { cause });
  });
  try {
    return await use(store.push);
  } finally {
    await store.close();
  }
}
