/** PEM files that the configuration names by their path: that they are there, and that they belong together. */
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { errnoOf } from "./errno.ts";
import type { Complaint } from "./faults.ts";
import type { Path } from "./document.ts";

const KEYS = ["cert", "key", "ca", "clientCa"] as const;
type Key = (typeof KEYS)[number];

/** @param files what is written at `place`; what is no text is for the schema to say */
export function tlsFileFaults(place: Path, files: Readonly<Record<Key, unknown>>): Complaint[] {
  const read = new Map<Key, Buffer>();
  const complaints: Complaint[] = [];
  for (const key of KEYS) {
    const file = files[key];
    if (typeof file !== "string" || file === "") continue;
    try {
      read.set(key, readFileSync(file));
    } catch (cause) {
      const reason = errnoOf(cause) ?? "unknown reason";
      complaints.push(complain([...place, key], `the file cannot be read (${reason})`));
    }
  }
  return complaints.length > 0 ? complaints : unusable(place, read);
}

function unusable(place: Path, read: ReadonlyMap<Key, Buffer>): Complaint[] {
  const [cert, key] = [read.get("cert"), read.get("key")];
  const ca = read.get("ca") ?? read.get("clientCa");
  try {
    createSecureContext({ ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) });
    return [];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    return [complain(place, `the files cannot be used: ${reason}`)];
  }
}

const complain = (path: Path, message: string): Complaint => ({ path, message, about: "value" });
