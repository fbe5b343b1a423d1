/** The process's logger: JSON lines, pretty on a terminal, and no secret in either. */
import { setLogger } from "@grpc/grpc-js";
import { pino, type Logger } from "pino";
import { PinoPretty } from "pino-pretty";
import { escapeControls } from "./protocol/text.ts";
import type { Redact } from "./southbound/redact.ts";

export interface LogOptions {
  readonly level: string;
  readonly redact: Redact;
  /** Where lines go; standard error by default. */
  readonly destination?: NodeJS.WritableStream & { isTTY?: boolean };
}

export function createLogger({ level, redact, destination = process.stderr }: LogOptions): Logger {
  const target = destination.isTTY
    ? PinoPretty({ destination, singleLine: true, ignore: "pid,hostname" })
    : destination;
  const finished = (line: string): string => `${escapeControls(redact(line.trimEnd()))}\n`;
  // Redacted as text, so that nothing that reaches a line escapes it, whichever field it came in by.
  const write = destination.isTTY
    ? (line: string) => void target.write(forTerminal(finished(line)))
    : (line: string) => void target.write(finished(line));
  const stream = { write };
  return pino({ level, base: null }, stream);
}

/** JSON whose texts, once they are read, still have their control characters escaped, save for line breaks and tabs. */
const forTerminal = (json: string): string =>
  json.replaceAll(/\\(u[\da-f]{4}|.)/gi, (escape, name: string) =>
    /^[urbf]/.test(name) ? `\\${escape}` : escape,
  );

/**
 * Takes what grpc-js says of itself into the log, at `debug`: by itself it writes to standard error, and what concerns
 * the proxy it also reports as an error. Its logger is one for the whole process.
 */
export function takeGrpcLog(log: Logger): void {
  const take = (text: unknown): void => log.debug({ grpc: text }, "grpc-js");
  setLogger({ error: take, info: take, debug: take });
}
