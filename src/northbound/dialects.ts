/**
 * Which dialect a request speaks, besides 0.3.0, which is what is left if nothing says otherwise: the base URL, the header
 * `A2A-Version`, or the name of the method, if only one dialect has it.
 */
import type { ClientDialect } from "../dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { METHODS, methodNamed, wireNameOf, type Method, type MethodName } from "../protocol/methods.ts";
import type { OutgoingEvent } from "../gateway/gateway.ts";
import { oncePerEvent } from "./event-memo.ts";
import type { Context } from "./http.ts";

const VERSION_HEADER = "A2A-Version";

/** In whose form an unknown version is refused. */
const NEWEST = "1.0";

/** 0.3.0's own versions of the header; an empty one means 0.3, as an absent one does. */
const REFERENCE = /^(0\.3(\.\d+)?)?$/;

const encoders = new WeakMap<ClientDialect, (outgoing: OutgoingEvent) => readonly string[]>();

/** An event as JSON texts of a dialect. */
export function eventsIn(dialect: ClientDialect, outgoing: OutgoingEvent): readonly string[] {
  const encode =
    encoders.get(dialect) ??
    oncePerEvent((event) => dialect.fromEvent(event).map((one) => JSON.stringify(one)));
  encoders.set(dialect, encode);
  return encode(outgoing);
}

/** A method as a dialect calls it. */
export interface DialectCall {
  readonly dialect: ClientDialect;
  readonly name: MethodName;
  readonly method: Method;
}

export class ClientDialects {
  readonly all: readonly ClientDialect[];
  /** By the names of methods that 0.3.0 does not have and one dialect alone has. */
  readonly #byMethod = new Map<string, ClientDialect>();

  constructor(all: readonly ClientDialect[]) {
    this.all = all;
    const owners = new Map<string, ClientDialect[]>();
    for (const dialect of all) {
      for (const name of Object.values(dialect.jsonrpc)) {
        owners.set(name, [...(owners.get(name) ?? []), dialect]);
      }
    }
    for (const [name, [owner, ...others]] of owners) {
      if (owner && others.length === 0 && !isReferenceName(name)) this.#byMethod.set(name, owner);
    }
  }

  /** The dialect that the request's version asks for; undefined for 0.3. Throws `version-not-supported`. */
  forVersion(ctx: Context): ClientDialect | undefined {
    const dialect = this.closestTo(ctx);
    if (dialect) this.requireVersion(ctx, dialect);
    return dialect;
  }

  /** The dialect that the request's version asks for, or the newest for a version that is not served; undefined for 0.3. */
  closestTo(ctx: Context): ClientDialect | undefined {
    const version = versionOf(ctx);
    if (REFERENCE.test(version)) return undefined;
    return this.all.find((one) => one.speaks(version)) ?? this.all.find((one) => one.speaks(NEWEST));
  }

  /** Throws `version-not-supported` if the request asks for another version than the dialect's. */
  requireVersion(ctx: Context, dialect: ClientDialect): void {
    const version = versionOf(ctx);
    if (version !== "" && !dialect.speaks(version)) throw notSupported(version);
  }

  /** The dialect that has this JSON-RPC method, if it is neither 0.3.0's nor that of several. */
  forMethod(name: string): ClientDialect | undefined {
    return this.#byMethod.get(name);
  }
}

function versionOf(ctx: Context): string {
  const { [VERSION_HEADER]: inQuery } = ctx.query;
  return (ctx.get(VERSION_HEADER) || (typeof inQuery === "string" ? inQuery : "")).trim();
}

export const notSupported = (version: string): A2AError =>
  new A2AError("version-not-supported", {
    message: `A2A version ${version.slice(0, 20)} is not supported; supported are 0.3 and ${NEWEST}`,
  });

const isReferenceName = (name: string): boolean => METHODS.some((method) => wireNameOf(method) === name);

/** Throws `method-not-found` if the dialect has no such method. */
export function methodOf(dialect: ClientDialect, wireName: string): DialectCall {
  const name = METHODS.find((method) => dialect.jsonrpc[method] === wireName);
  if (name) return { dialect, name, method: methodNamed(wireNameOf(name)) };
  const known = Object.values(dialect.jsonrpc).join(", ");
  throw new A2AError("method-not-found", {
    message: `Method not found: ${wireName.slice(0, 80)} (this URL speaks ${dialect.name}: ${known})`,
  });
}
