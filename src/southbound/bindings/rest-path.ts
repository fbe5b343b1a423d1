/**
 * Paths of HTTP+JSON as templates, read in both directions: `/tasks/{id}:cancel` builds the path of a call and takes
 * apart the path of a request. A path segment may hold anything, percent-encoded.
 */
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

export interface CompiledRoute {
  readonly route: RestRoute;
  /** The members of the path, decoded; undefined if the path is another route's. Throws `invalid-params` for broken encoding. */
  match(path: string): Record<string, string> | undefined;
}

/** Some clients encode the colon of a verb, which a URL allows. */
export function compileRoute(route: RestRoute): CompiledRoute {
  const names: string[] = [];
  const source = route.path
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (name === undefined) return piece.replaceAll(":", "(?::|%3[Aa])");
      names.push(name);
      return "([^/]+?)";
    })
    .join("");
  const pattern = new RegExp(`^${source}$`);
  return {
    route,
    match: (path) => {
      const found = pattern.exec(path);
      if (!found) return undefined;
      return Object.fromEntries(names.map((name, index) => [name, decoded(found[index + 1] ?? "")]));
    },
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new A2AError("invalid-params", { data: { reason: "the path is not encoded correctly" }, cause });
  }
}
