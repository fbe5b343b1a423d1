/** Every dialect by its name in the configuration: the only importer of adapters. */
import type { Adapter } from "../src/adapter.ts";
import { legacy } from "./a2a-0.1/index.ts";
import { a2a10 } from "./a2a-1.0/index.ts";
import { a2a03 } from "./a2a-0.3/index.ts";
import { a2aSnake } from "./a2a-snake/index.ts";
import { appbuilder } from "./appbuilder/index.ts";
import { createAutoAdapter } from "./auto/index.ts";

const dialects: readonly Adapter[] = [appbuilder, legacy, a2a03, a2a10, a2aSnake];

export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [...dialects, createAutoAdapter(dialects)].map((adapter) => [adapter.name, adapter]),
);
