/** This proxy, as `serve` runs it. Arguments: the configuration. Prints its port. */
import { adapters } from "../../adapters/index.ts";
import { loadConfig } from "../../src/config/load.ts";
import { startProxy } from "../../src/server.ts";

const { config } = await loadConfig(process.argv[2] ?? "", { adapters, env: process.env });
const { url } = await startProxy(config, { adapters });
console.log(new URL(url).port);
