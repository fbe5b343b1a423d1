/** What the commands are given: everything outside this folder, so that tests can stand in for it. */
import type { Writable } from "node:stream";
import type { Adapter } from "../adapter.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import type { RunningVendors } from "../demo/server.ts";
import type { ClosableSouthbound } from "../southbound/create-southbound.ts";
import type { Redactor } from "../southbound/redact.ts";

interface RunningProxy {
  /** Where it listens. */
  readonly url: string;
  /** Where it serves gRPC, if it does. */
  readonly grpcPort?: number | undefined;
  /** Lets running streams finish, then closes everything. */
  stop(): Promise<void>;
}

export interface ProxyDeps {
  readonly adapters: ReadonlyMap<string, Adapter>;
}

/** The part of `process` that tells of signals. */
interface Signals {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

export interface CliDeps {
  readonly version: string;
  /** The `config.yaml` that comes with the program. */
  readonly shippedConfig: string;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Writable;
  readonly err: Writable;
  readonly signals: Signals;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  readonly startProxy: (config: Config, deps: ProxyDeps) => Promise<RunningProxy>;
  readonly startVendors: (port: number) => Promise<RunningVendors>;
  /** @param redact learns the tokens that it gets */
  readonly openSouthbound: (agent: AgentConfig, redact: Redactor) => ClosableSouthbound;
}
