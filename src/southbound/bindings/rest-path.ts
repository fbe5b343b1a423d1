/** Paths of HTTP+JSON as templates: `/tasks/{id}:cancel`. A segment may hold anything, percent-encoded. */
import { A2AError } from "../../protocol/errors.ts";
import type { RestRoute } from "../../dialect.ts";

type Params = Readonly<Record<string, unknown>>;

export interface BuiltPath {
  readonly path: string;
  /** The params that the path does not hold. */
  readonly rest: Record<string, unknown>;
}

/** Throws `invalid-params` if a param that the path needs is missing. */
export function buildPath({ path }: RestRoute, params: Params): BuiltPath {
  const rest = { ...params };
  const built = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    if (typeof value !== "string" || value === "") {
      throw new A2AError("invalid-params", { data: { path: name, reason: "is required" } });
    }
    return encodeURIComponent(value);
  });
  return { path: built, rest };
}
