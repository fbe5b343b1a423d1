/**
 * Which dialect a request speaks, besides 0.3.0, which is what is left if nothing says otherwise: the base URL, the header
 * `A2A-Version`, or the name of the method, if only one dialect has it.
 */
import type { ClientDialect, WriteEvent } from "../dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { METHODS, methodNamed, wireNameOf, type Method, type MethodName } from "../protocol/methods.ts";
import type { OutgoingEvent } from "../gateway/gateway.ts";
import { oncePerEvent } from "./event-memo.ts";
import type { Context } from "./http.ts";
import { ServedCard, type Answer } from "./served-card.ts";

export const VERSION_HEADER = "A2A-Version";

/** In whose form an unknown version is refused. */
const NEWEST = "1.0";

/** What 0.3.0 is called if no adapter has a name for it. */
export const REFERENCE_NAME = "0.3.0";

/** 0.3.0's own versions of the header; an empty one means 0.3, as an absent one does. */
const REFERENCE = /^(0\.3(\.\d+)?)?$/;

type Encode = (outgoing: OutgoingEvent) => readonly string[];

const shared = new WeakMap<WriteEvent, Encode>();

/** Gives an event's JSON texts in a dialect, for one stream: of this method, with its params in 0.3.0's form. */
export function eventEncoderOf({ dialect: { events }, name }: DialectCall, params: unknown): Encode {
  if ("open" in events) return encoderOf(events.open(name, params));
  const known = shared.get(events.write) ?? encoderOf(events.write);
  shared.set(events.write, known);
  return known;
}

const encoderOf = (write: WriteEvent): Encode =>
  oncePerEvent((event, { last }) => write(event, last).map((one) => JSON.stringify(one)));

/** What a method answers, as JSON of the dialect. */
export const answerIn = (
  { dialect, name }: Pick<DialectCall, "dialect" | "name">,
  result: Answer,
  params?: unknown,
): unknown => (result instanceof ServedCard ? result.document : dialect.fromResult(name, result, params));

/** A method as a dialect calls it. */
export interface DialectCall {
  readonly dialect: ClientDialect;
  readonly name: MethodName;
  readonly method: Method;
}

/** What the clients of an agent may speak. */
export class ClientDialects {
  /** Besides 0.3.0. */
  readonly all: readonly ClientDialect[];
  /** What the configuration calls 0.3.0; undefined if it is not served. */
  readonly reference: string | undefined;
  /** By the names of methods that 0.3.0 does not have and one dialect alone has. */
  readonly #byMethod = new Map<string, ClientDialect>();

  constructor(all: readonly ClientDialect[], reference: string | undefined) {
    this.all = all;
    this.reference = reference;
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

  /** Those with these names, in this order. */
  only(names: readonly string[]): ClientDialects {
    const chosen = names.flatMap((name) => this.all.find((one) => one.name === name) ?? []);
    return new ClientDialects(
      chosen,
      names.find((name) => name === this.reference),
    );
  }

  get names(): readonly string[] {
    const own = this.all.map(({ name }) => name);
    return this.reference === undefined ? own : [this.reference, ...own];
  }

  /** Throws `method-not-found` if the dialect is not served; absent: 0.3.0. */
  require(dialect: ClientDialect | undefined): void {
    const isServed = dialect ? this.all.includes(dialect) : this.reference !== undefined;
    if (isServed) return;
    const message = `Nothing is served here: this agent speaks ${this.names.join(", ")}`;
    throw new A2AError("method-not-found", { message });
  }

  /** What a request speaks that does not say so; undefined for 0.3.0. */
  get usual(): ClientDialect | undefined {
    return this.reference === undefined ? this.all[0] : undefined;
  }

  /** The dialect that the request's version asks for by name, if it is served and is not 0.3.0. */
  named(ctx: Context): ClientDialect | undefined {
    const version = versionOf(ctx);
    return version === "" ? undefined : this.all.find((one) => one.speaks(version));
  }

  /** What the request speaks by its version, or would best be refused in; undefined for 0.3.0. */
  closestTo(ctx: Context): ClientDialect | undefined {
    if (REFERENCE.test(versionOf(ctx))) return this.usual;
    return this.named(ctx) ?? this.all.find((one) => one.speaks(NEWEST)) ?? this.usual;
  }

  /** The dialect that has this JSON-RPC method to itself, unless the request's version asks for another than 0.3. */
  ownerOf(method: string, ctx: Context): ClientDialect | undefined {
    return REFERENCE.test(versionOf(ctx)) ? this.#byMethod.get(method) : undefined;
  }

  /** Throws `version-not-supported` if the request asks for another version than the dialect's; absent: than 0.3.0. */
  requireVersion(ctx: Context, dialect: ClientDialect | undefined): void {
    const version = versionOf(ctx);
    const isSpoken = dialect ? version === "" || dialect.speaks(version) : REFERENCE.test(version);
    if (isSpoken) return;
    throw notSupported(version, this.names);
  }
}

function versionOf(ctx: Context): string {
  const { [VERSION_HEADER]: inQuery } = ctx.query;
  return (ctx.get(VERSION_HEADER) || (typeof inQuery === "string" ? inQuery : "")).trim();
}

/** @param spoken the names of what is supported */
export const notSupported = (version: string, spoken: readonly string[]): A2AError =>
  new A2AError("version-not-supported", {
    message: `A2A version ${version.slice(0, 20)} is not supported; spoken here: ${spoken.join(", ")}`,
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
