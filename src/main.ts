#!/usr/bin/env -S node --max-semi-space-size=16
/**
 * The program: the commands of cli/ with the real world around them. V8 is told to keep its young generation small,
 * here and by the scripts of package.json: see "Memory of idle streams" in docs/performance.md.
 */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { z } from "zod";
import { adapters } from "../adapters/index.ts";
import { run } from "./cli/program.ts";
import { startVendors } from "./demo/vendors.ts";
import { startProxy } from "./server.ts";
import { createSouthbound } from "./southbound/create-southbound.ts";

// Found upwards, since the compiled program lies deeper than the source.
const manifest = findPackageJSON("..", import.meta.url) ?? "package.json";
const { version } = z.looseObject({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8")));

const code = await run(process.argv.slice(2), {
  version,
  shippedConfig: join(dirname(manifest), "config.yaml"),
  adapters,
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  signals: process,
  exit: (code) => process.exit(code),
  startProxy,
  startVendors,
  openSouthbound: (agent, redact) => createSouthbound(agent, { log: pino({ level: "silent" }), redact }),
});
process.exit(code);
