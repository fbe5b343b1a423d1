/**
 * HTTP+JSON of a dialect that has tables for it: a row of its routes takes the path apart; what the path does not hold comes
 * from the body, or from the query if there is none.
 */
import type { ClientDialect, RestRoute } from "../dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { isFields, type Fields } from "../protocol/json.ts";
import { methodNamed, wireNameOf } from "../protocol/methods.ts";
import { eventEncoderOf, type DialectCall } from "./dialects.ts";
import type { Framing } from "./sse.ts";

interface CompiledRoute extends RestRoute {
  /** The members of the path, decoded; undefined if the path is another route's. */
  match(path: string): Fields | undefined;
}

/** Some clients encode the colon of a verb, which a URL allows. */
function compiled(route: RestRoute): CompiledRoute {
  const names: string[] = [];
  const pieces = route.path.split(/(\{\w+\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    if (name === undefined) return piece.replaceAll(":", "(?::|%3[Aa])");
    names.push(name);
    return "([^/:]+)";
  });
  const pattern = new RegExp(`^${pieces.join("")}$`);
  const match = (path: string): Fields | undefined => {
    const found = pattern.exec(path);
    if (!found) return undefined;
    return Object.fromEntries(names.map((name, index) => [name, decoded(found[index + 1] ?? "")]));
  };
  return { ...route, match };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new A2AError("invalid-params", { data: { reason: "the path is not encoded correctly" }, cause });
  }
}

const tables = new WeakMap<ClientDialect, readonly CompiledRoute[]>();

function routesOf(dialect: ClientDialect): readonly CompiledRoute[] {
  const known = tables.get(dialect) ?? (dialect.rest ?? []).map(compiled);
  tables.set(dialect, known);
  return known;
}

/** A call that a request makes; `inPath` are the params that its path holds. */
export interface DialectRoute extends DialectCall {
  readonly hasBody: boolean;
  readonly inPath: Fields;
}

/** Or else the verbs that the path has, none if nothing is served there. Throws `invalid-params` for a path that cannot be decoded. */
export function dialectRoute(
  dialect: ClientDialect,
  verb: string,
  path: string,
): DialectRoute | { readonly allow: readonly string[] } {
  const matching = routesOf(dialect).flatMap((route) => {
    const inPath = route.match(path);
    return inPath ? [{ route, inPath }] : [];
  });
  const found = matching.find(({ route }) => route.verb === verb);
  if (!found) return { allow: matching.map(({ route }) => route.verb) };
  const { method: name } = found.route;
  const method = methodNamed(wireNameOf(name));
  return { dialect, name, method, hasBody: verb === "POST", inPath: found.inPath };
}

/** What a query says: its strings, `true` and `false` as flags. */
const paramsOfQuery = (query: Fields): Fields =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      value === "true" || value === "false" ? value === "true" : value,
    ]),
  );

/** The params of a call, not yet decoded. A client that has nothing to say may send `null`, as the Go SDK does. */
export function paramsOf({ inPath, hasBody }: DialectRoute, query: Fields, body: unknown): Fields {
  const given = body ?? {};
  if (!isFields(given)) {
    throw new A2AError("invalid-params", { data: { path: "", reason: "an object is required" } });
  }
  return { ...(hasBody ? given : paramsOfQuery(query)), ...inPath };
}

/** Errors end a stream as an event whose data is the error's body. */
export const restFraming = (call: DialectCall, params: unknown): Framing => ({
  event: eventEncoderOf(call, params),
  error: (error) => errorBody(call.dialect, error),
});

export const errorBody = (dialect: ClientDialect, error: A2AError): string =>
  JSON.stringify(dialect.toRestError?.(error).body ?? { message: error.message });
