/** What callers and agents say reaches the log; it must not do anything there. */
import { Writable } from "node:stream";
import { expect, test } from "@jest/globals";
import { createLogger } from "../src/log.ts";
import { createRedactor } from "../src/southbound/redact.ts";

const HOSTILE = 'a\u001b[2Jb\u009b2Jc\u007fd\u202ee\rf\\u001bg"h';

function logTo(isTTY: boolean) {
  const written: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    written.push(chunk.toString());
    done();
  };
  const destination = Object.assign(new Writable({ write }), { isTTY });
  const log = createLogger({ level: "info", redact: createRedactor([]), destination });
  return { log, written: () => written.join("") };
}

test("control characters are escaped in the log, whose JSON still holds the text as it was", () => {
  const { log, written } = logTo(false);
  log.info({ task: HOSTILE, err: new Error(HOSTILE) }, HOSTILE);
  expect(written().trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(JSON.parse(written())).toMatchObject({ task: HOSTILE, err: { message: HOSTILE }, msg: HOSTILE });
});

test("control characters are escaped on a terminal, in messages, members and stacks", async () => {
  const { log, written } = logTo(true);
  log.info({ task: HOSTILE, [HOSTILE]: 1, err: new Error(`${HOSTILE}\nsecond line`) }, HOSTILE);
  while (!written().includes("second line")) await new Promise((resolve) => setImmediate(resolve));
  // eslint-disable-next-line no-control-regex -- the colours of the log itself
  const text = written().replaceAll(/\u001b\[\d{1,2}m/g, "");
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).toContain(String.raw`a\u001b[2Jb\u009b2J`);
  expect(text).toMatch(/\n *second line/);
});
