import { expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { REFERENCE_FILE, withReference } from "../../scripts/config-reference.ts";
import { adapterNamed } from "./support.ts";
import { newApiKey } from "../../src/auth/api-key.ts";
import { exposureFault } from "../../src/config/exposure.ts";
import { parseConfig } from "../../src/config/load.ts";

test("docs/configuration.md is what `node scripts/config-reference.ts` makes of the schemas", async () => {
  const document = await readFile(REFERENCE_FILE, "utf8");
  expect(document).toBe(withReference(document));
});

test("the example in docs/configuration.md has no fault and may be served", async () => {
  const document = await readFile(REFERENCE_FILE, "utf8");
  const example =
    /```yaml\n(.*?)```/s.exec(document)?.[1]?.replace("${file:/run/secrets/planner}", "t0ken") ?? "";
  const adapters = new Map(["a2a-0.3", "auto"].map((name) => [name, adapterNamed(name)]));
  const env = { AGENT_ID: "7", DASHBOARD_KEY_HASH: newApiKey().hash };
  const { config } = await parseConfig(example, "example", { adapters, env });
  expect(exposureFault(config)).toBeUndefined();
  expect([...config.agents.keys()]).toStrictEqual(["planner", "helper"]);
});
