/**
 * An agent's certificates, for all clients that call it: undici for calls, got for the card, grpc-js. Files that are
 * replaced while the proxy runs count from the next connection.
 */
import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";
import type { AgentTls } from "../config/agent-access.ts";
import { fileMark } from "./file-mark.ts";

/** Certificates in PEM. */
export interface TlsIdentity {
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
  readonly serverName?: string;
}

/** The certificates as they are now: the same object for as long as they do not change. */
export type LiveTls = () => TlsIdentity;

/** Of an agent without certificates of its own. */
export const NO_IDENTITY: TlsIdentity = {};

/** How long the files are not looked at again, ms. */
const FRESH = 1_000;

/** Throws an Error that names the file which cannot be read. Files that cannot be used later leave the old ones in force. */
export function liveTls(agent: string, tls: AgentTls | undefined, log: Logger): LiveTls {
  const files = [tls?.cert, tls?.key, tls?.ca].filter((file) => file !== undefined);
  let identity = readTls(agent, tls);
  if (files.length === 0) return () => identity;
  let seen = marksOf(files);
  let lookedAt = performance.now();
  return () => {
    if (performance.now() - lookedAt < FRESH) return identity;
    lookedAt = performance.now();
    const marks = marksOf(files);
    if (marks === seen) return identity;
    seen = marks;
    try {
      identity = usable(readTls(agent, tls));
      log.info({ files }, "reloaded the agent's changed certificates");
    } catch (err) {
      log.warn({ err, files }, "the agent's certificates have changed and cannot be used; the old ones stay");
    }
    return identity;
  };
}

/** Throws an Error that names the file which cannot be read. */
export function readTls(agent: string, tls: AgentTls | undefined): TlsIdentity {
  if (!tls) return NO_IDENTITY;
  const read = (name: "cert" | "key" | "ca"): TlsIdentity => {
    const file = tls[name];
    if (file === undefined) return {};
    try {
      return { [name]: readFileSync(file, "utf8") };
    } catch (cause) {
      throw new Error(`agents.${agent}.tls.${name}: the file ${file} cannot be read`, { cause });
    }
  };
  const { serverName } = tls;
  return { ...read("cert"), ...read("key"), ...read("ca"), ...(serverName && { serverName }) };
}

/** Throws where a certificate and a key do not belong together, as when only one of them has been replaced yet. */
function usable(identity: TlsIdentity): TlsIdentity {
  const { cert, key, ca } = identity;
  createSecureContext({ ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) });
  return identity;
}

const marksOf = (files: readonly string[]): string =>
  files.map((file) => fileMark(statSync(file, { bigint: true, throwIfNoEntry: false }))).join();
