/** An agent's certificates, for both clients that call it: undici for calls, got for the card. */
import { readFileSync } from "node:fs";
import type { AgentTls } from "../config/agent-access.ts";

/** Certificates in PEM. */
export interface TlsIdentity {
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
  readonly serverName?: string;
}

/** Throws an Error that names the file which cannot be read. */
export function readTls(agent: string, tls: AgentTls | undefined): TlsIdentity {
  if (!tls) return {};
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
