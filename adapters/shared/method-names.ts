/** The methods of a dialect by their names over JSON-RPC, and what 0.3.0 calls them. */
import type { JsonRpcMethods } from "../../src/dialect.ts";
import { METHODS, wireNameOf } from "../../src/protocol/methods.ts";

/** By a dialect's name of a method, 0.3.0's. */
export const canonicalNames = (methods: JsonRpcMethods): Readonly<Record<string, string>> =>
  Object.fromEntries(
    METHODS.flatMap((method) => {
      const name = methods[method];
      return name === undefined ? [] : [[name, wireNameOf(method)]];
    }),
  );
