/** Every canonical object survives the way to ProtoJSON and back, in either spelling of the names. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { StreamEvent } from "../../src/protocol/model.ts";
import { fromProtoJsonResponse, toProtoJsonResponse } from "../../src/protocol/proto-json.ts";
import { TASK_STATES } from "../../src/protocol/states.ts";

const text = fc.string({ minLength: 1 });
// What JSON can carry: -0 comes back as 0.
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
// Which the schemas drop.
const name = fc.string().filter((text) => text !== "__proto__");
const metadata = fc.dictionary(name, json);
const optional = { requiredKeys: [] as [] };

const file = fc
  .tuple(
    fc.oneof(fc.record({ bytes: fc.base64String() }), fc.record({ uri: fc.string() })),
    fc.record({ mimeType: text, name: text }, optional),
  )
  .map(([content, more]) => Object.assign(content, more));
const withMetadata = <T extends object>(part: fc.Arbitrary<T>) =>
  fc.tuple(part, fc.record({ metadata }, optional)).map(([fields, more]) => Object.assign(fields, more));
const part = withMetadata(
  fc.oneof(
    fc.record({ kind: fc.constant("text" as const), text: fc.string() }),
    fc.record({ kind: fc.constant("file" as const), file }),
    fc.record({ kind: fc.constant("data" as const), data: metadata }),
  ),
);
const parts = fc.array(part, { minLength: 1, maxLength: 3 });
const extensions = fc.array(text, { minLength: 1, maxLength: 2 });
const message = fc.record(
  {
    kind: fc.constant("message" as const),
    messageId: text,
    role: fc.constantFrom("user" as const, "agent" as const),
    parts,
    taskId: text,
    contextId: text,
    extensions,
    metadata,
  },
  { requiredKeys: ["kind", "messageId", "role", "parts"] },
);
const status = fc.record(
  { state: fc.constantFrom(...TASK_STATES), message, timestamp: text },
  { requiredKeys: ["state"] },
);
const artifact = fc.record(
  { artifactId: text, name: text, description: text, parts, extensions, metadata },
  { requiredKeys: ["artifactId", "parts"] },
);
const ids = { taskId: text, contextId: text, metadata };
const event: fc.Arbitrary<StreamEvent> = fc.oneof(
  message,
  fc.record(
    {
      kind: fc.constant("task" as const),
      id: text,
      contextId: text,
      status,
      artifacts: fc.array(artifact, { minLength: 1, maxLength: 2 }),
      history: fc.array(message, { minLength: 1, maxLength: 2 }),
      metadata,
    },
    { requiredKeys: ["kind", "id", "contextId", "status"] },
  ),
  fc.record(
    { kind: fc.constant("status-update" as const), ...ids, status, final: fc.boolean() },
    { requiredKeys: ["kind", "taskId", "contextId", "status", "final"] },
  ),
  fc.record(
    {
      kind: fc.constant("artifact-update" as const),
      ...ids,
      artifact,
      append: fc.constant(true),
      lastChunk: fc.constant(true),
    },
    { requiredKeys: ["kind", "taskId", "contextId", "artifact"] },
  ),
);

/** The same with every name outside of metadata and data in snake_case, as protobuf writes it when asked to. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === "metadata" || name === "data" ? inner : snakeCased(inner),
    ]),
  );
}

test("an event written as ProtoJSON is read back as it was, in camelCase and in snake_case", () => {
  fc.assert(
    fc.property(event, (canonical) => {
      const wire: unknown = JSON.parse(JSON.stringify(toProtoJsonResponse(canonical)));
      expect(fromProtoJsonResponse(wire)).toEqual(canonical);
      expect(fromProtoJsonResponse(snakeCased(wire))).toEqual(canonical);
    }),
  );
});

test("an event in the JSON of the schema is read as it is, and stays valid", () => {
  fc.assert(
    fc.property(event, (canonical) => {
      expect(StreamEvent.parse(fromProtoJsonResponse(canonical))).toEqual(canonical);
    }),
  );
});

test("reading never throws, whatever arrives", () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom("task", "message", "statusUpdate", "artifactUpdate", "kind"),
      fc.dictionary(
        fc.constantFrom("status", "content", "parts", "history", "artifacts", "artifact", "role"),
        fc.jsonValue(),
      ),
    ),
  );
  fc.assert(
    fc.property(anything, (value) => {
      fromProtoJsonResponse(value);
    }),
  );
});
