/** The JSON schema that A2A publishes with 0.3.0; the project does not carry a copy, so it may not be at hand. */
import { Ajv } from "ajv";
import { existsSync, readFileSync } from "node:fs";

const FILE = new URL("../../../shared/specs/a2a-v0.3.0.schema.json", import.meta.url);

let loaded: Ajv | undefined;

function schema(): Ajv | undefined {
  if (!loaded && existsSync(FILE)) {
    loaded = new Ajv({ strict: false, allErrors: true });
    loaded.addSchema(JSON.parse(readFileSync(FILE, "utf8")), "a2a");
  }
  return loaded;
}

/** What is wrong with the value by one of the schema's definitions; nothing where the schema is not at hand. */
export function schemaFaults(definition: string, value: unknown): unknown[] {
  const ajv = schema();
  if (!ajv) return [];
  const validate = ajv.getSchema(`a2a#/definitions/${definition}`);
  if (!validate) throw new Error(`the schema does not define ${definition}`);
  return validate(value) === true ? [] : (validate.errors ?? []);
}
