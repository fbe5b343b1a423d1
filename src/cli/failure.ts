/** What ends a command, in words for whoever typed it; never a stack. */
import { errnoOf } from "../config/errno.ts";

/** Exit codes of every command. */
export const EXIT = { ok: 0, fault: 1, usage: 2 } as const;

/** A failure whose message says all there is to say. */
export class Failure extends Error {
  override readonly name = "Failure";
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is already in use",
  EACCES: "is not for this user to listen on",
  EADDRNOTAVAIL: "is no address of this machine",
};

/** Waits for a server to listen; a refusal of the system becomes a Failure with `hint`. */
export async function listening<T>(started: Promise<T>, hint: string): Promise<T> {
  try {
    return await started;
  } catch (cause) {
    const fault = LISTEN_FAULTS[errnoOf(cause) ?? ""];
    if (fault === undefined) throw cause;
    throw new Failure(`${addressOf(cause)} ${fault}: ${hint}`, { cause });
  }
}

function addressOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null || !("port" in thrown)) return "The port";
  const host = "address" in thrown && typeof thrown.address === "string" ? thrown.address : "";
  return `${host.includes(":") ? `[${host}]` : host}:${String(thrown.port)}`;
}

/** The message of anything thrown. */
export function explain(thrown: unknown): string {
  if (
    typeof thrown === "object" &&
    thrown !== null &&
    "message" in thrown &&
    typeof thrown.message === "string"
  ) {
    return thrown.message;
  }
  return String(thrown);
}
