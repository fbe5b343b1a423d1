/** An agent's credentials and headers read again from the files that `${file:…}` names, while the proxy runs. */
import { z } from "zod";
import type { LiveSecrets } from "./agent-access.ts";
import { CredentialsSchema, HeadersSchema } from "./credentials-schema.ts";
import type { Path, SourceDocument } from "./document.ts";
import { filesIn, interpolate, type Sources } from "./interpolate.ts";

const Shown = z.object({
  credentials: CredentialsSchema.prefault({ type: "none" }),
  headers: HeadersSchema.optional(),
});

/** Undefined where no file is named there. */
export function liveSecretsOf(
  source: SourceDocument,
  agent: string,
  sources: Sources,
): LiveSecrets | undefined {
  const base = ["agents", agent];
  const files = (["credentials", "headers"] as const).flatMap((key) =>
    source.templates([...base, key]).flatMap(filesIn),
  );
  if (files.length === 0) return undefined;
  const read: LiveSecrets["read"] = () => {
    const secrets: string[] = [];
    const again = (value: unknown, path: Path): unknown => {
      if (typeof value === "object" && value !== null) {
        const members = Object.entries(value).map(([key, item]) => [key, again(item, [...path, key])]);
        return Object.fromEntries(members);
      }
      const template = source.template(path);
      if (template === undefined) return value;
      const fresh = interpolate(template, sources);
      if (fresh.faults.length > 0) throw new Error(fresh.faults.join("; "));
      secrets.push(...fresh.secrets.filter((secret) => secret !== ""));
      return fresh.value;
    };
    const parts = ["credentials", "headers"].map((key) => {
      const path = [...base, key];
      return [key, again(source.at(path), path)];
    });
    const { credentials, headers } = Shown.parse(Object.fromEntries(parts));
    return { credentials, headers, secrets };
  };
  return { files: [...new Set(files)], read };
}
