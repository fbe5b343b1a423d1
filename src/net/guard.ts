/**
 * Keeps URLs that come from outside (webhooks) from reaching what only the proxy can reach. Checked twice: when the
 * URL is given, so that the client hears of it, and whenever a connection is made, against the very addresses that
 * are then connected to, so that a name which resolves to something else by then gets nowhere.
 */
import { lookup as systemLookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { A2AError } from "../protocol/errors.ts";
import { addressFault } from "./addresses.ts";

export interface GuardRules {
  readonly allowHttp: boolean;
  /** Loopback, private, unique-local and CGNAT addresses. */
  readonly allowPrivate: boolean;
  /** Names, and `*.name` for everything below one; empty: every host. */
  readonly allowHosts: readonly string[];
  readonly allowPorts: readonly number[] | "any";
}

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const MAX_URL = 2048;
const DNS_TIMEOUT = 5_000;

const NO_ADDRESS = "the host has no address that webhooks may go to";

/** A refusal at connect time; `message` says of which host and why. */
export class GuardError extends Error {
  override readonly name = "GuardError";
}

/** There are no addresses to be checked, for now at least. */
export class UnresolvedError extends Error {
  override readonly name = "UnresolvedError";
  override readonly message = "the host cannot be resolved";
}

export class UrlGuard {
  readonly #rules: GuardRules;
  readonly #resolve: Resolve;

  constructor(rules: GuardRules, resolve: Resolve = rules.allowPrivate ? asThisHost : asTheWorld) {
    this.#rules = rules;
    this.#resolve = resolve;
  }

  /**
   * The URL, if it is allowed by all that can be told of it today, its addresses included; rejects with `invalid-params`,
   * `path` and the reason in its data. Of a name no more is told than that it will not do: whether it exists, and what its
   * addresses are, would show a client the network behind the proxy. The `cause` says it.
   */
  async admit(text: string, path: string): Promise<URL> {
    const refuse = (reason: string, cause?: unknown): A2AError =>
      new A2AError("invalid-params", { data: { path, reason }, cause });
    const fault = this.fault(text);
    if (fault !== undefined) throw refuse(fault);
    const url = new URL(text);
    try {
      await this.#addresses(bare(url.hostname));
    } catch (cause) {
      throw refuse(NO_ADDRESS, cause);
    }
    return url;
  }

  /** Why the URL is refused without asking for its addresses. */
  fault(text: string): string | undefined {
    const { allowHttp, allowPorts } = this.#rules;
    const url = URL.parse(text);
    if (!url || text.length > MAX_URL) return `must be a URL of at most ${MAX_URL} characters`;
    const isHttp = allowHttp && url.protocol === "http:";
    if (url.protocol !== "https:" && !isHttp) return "must be an https URL";
    if (url.username !== "" || url.password !== "") return "must not hold credentials";
    const port = Number(url.port || (isHttp ? 80 : 443));
    if (allowPorts !== "any" && !allowPorts.includes(port)) return `port ${port} is not allowed`;
    return this.#hostFault(url.hostname);
  }

  /** Connects only to addresses that have been checked; redirects are not followed by undici's `request`. */
  agent(options: { readonly connections: number; readonly connectTimeout: number }): Agent {
    const { connections, connectTimeout: timeout } = options;
    const connect = buildConnector({ timeout, allowH2: false, lookup: this.lookup });
    return new Agent({
      connections,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (target, callback) => {
        // An address in place of a name is never looked up.
        const fault = this.#hostFault(target.hostname);
        if (fault !== undefined) callback(new GuardError(`${target.hostname} ${fault}`), null);
        else connect(target, callback);
      },
    });
  }

  /** For `node:net`: answers the addresses that have been checked, or none. */
  readonly lookup: LookupFunction = (host, { all }, callback) => {
    const answer = async (): Promise<void> => {
      try {
        const [first, ...rest] = await this.#addresses(host);
        if (all) callback(null, [first, ...rest]);
        else callback(null, first.address, first.family);
      } catch (error) {
        callback(error instanceof GuardError ? error : new UnresolvedError(), []);
      }
    };
    void answer();
  };

  /** Rejects with a GuardError unless every address of the host may be connected to. */
  async #addresses(host: string): Promise<[Address, ...Address[]]> {
    const texts = isIP(host) ? [host] : await this.#resolve(host);
    for (const text of texts) {
      const fault = addressFault(text, this.#rules.allowPrivate);
      if (fault !== undefined) throw new GuardError(`${text} ${fault}`);
    }
    const [first, ...rest] = texts.map((address) => ({ address, family: isIP(address) }));
    if (!first) throw new UnresolvedError();
    return [first, ...rest];
  }

  #hostFault(hostname: string): string | undefined {
    const { allowHosts, allowPrivate } = this.#rules;
    const host = bare(hostname).toLowerCase();
    const isAllowed = allowHosts.some((allowed) => matches(host, allowed.toLowerCase()));
    if (allowHosts.length > 0 && !isAllowed) return "the host is not allowed";
    if (!isIP(host)) return undefined;
    const fault = addressFault(host, allowPrivate);
    return fault === undefined ? undefined : `${host} ${fault}`;
  }
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Without the brackets of an IPv6 address and the dot that ends an absolute name. */
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

const matches = (host: string, allowed: string): boolean =>
  allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed;

/** What public DNS says. Not `lookup`, whose few threads a slow name server could keep from all others. */
async function asTheWorld(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT / 2, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/** What this machine says, the names in its hosts file and its search domains included. */
async function asThisHost(host: string): Promise<string[]> {
  const answers = await systemLookup(host, { all: true });
  return answers.map(({ address }) => address);
}
