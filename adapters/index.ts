/** Every dialect by its name in the configuration: the only importer of adapters. */
import type { Adapter } from "../src/adapter.ts";

export const adapters: ReadonlyMap<string, Adapter> = new Map<string, Adapter>();
