/** The process's logger: JSON lines, pretty on a terminal, and no secret in either. */
import { pino, type Logger } from "pino";
import { PinoPretty } from "pino-pretty";
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
  // Redacted as text, so that nothing that reaches a line escapes it, whichever field it came in by.
  const stream = { write: (line: string) => void target.write(redact(line)) };
  return pino({ level, base: null }, stream);
}
