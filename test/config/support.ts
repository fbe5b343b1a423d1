/** Adapters and shorthands for the tests of the configuration. */
import { z } from "zod";
import type { Adapter } from "../../src/adapter.ts";
import { ConfigError, type Fault } from "../../src/config/faults.ts";
import { parseConfig, type LoadedConfig } from "../../src/config/load.ts";

export const adapterNamed = (name: string, options: z.ZodType = z.strictObject({})): Adapter => ({
  name,
  options,
  connect: () => {
    throw new Error("not needed here");
  },
});

const fancyOptions = z.strictObject({
  endUserId: z.string().optional(),
  retries: z.int().default(3),
  deep: z.strictObject({ flag: z.boolean() }).optional(),
  colour: z
    .string()
    .refine((text) => text === "blue", { error: (issue) => `no such colour: ${String(issue.input)}` })
    .optional(),
});

export const adapters = new Map<string, Adapter>([
  ["plain", adapterNamed("plain")],
  ["fancy", adapterNamed("fancy", fancyOptions)],
]);

export type Env = Record<string, string>;

export const load = (text: string, env: Env = {}): Promise<LoadedConfig> =>
  parseConfig(text, "config.yaml", { adapters, env });

/** The faults of a file that has some, as `line:column path: message`. */
export async function faultsOf(text: string, env: Env = {}): Promise<string[]> {
  return (await faultsIn(text, env)).map(
    ({ path, line, column, message }) => `${line}:${column} ${path}: ${message}`,
  );
}

export async function faultsIn(text: string, env: Env = {}): Promise<readonly Fault[]> {
  return (await configError(text, env)).faults;
}

export async function configError(text: string, env: Env = {}): Promise<ConfigError> {
  try {
    await load(text, env);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown;
    throw thrown;
  }
  throw new Error("the configuration has no fault");
}

/** A configuration with one agent `a`, to which `lines` are added. */
export const withAgent = (...lines: string[]): string =>
  [
    "agents:",
    "  a:",
    "    adapter: plain",
    "    url: https://vendor.example/a",
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
