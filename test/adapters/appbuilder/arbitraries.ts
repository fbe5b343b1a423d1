/** Generators of canonical objects, as far as AppBuilder can say them. */
import * as fc from "fast-check";
import { EXTENSION } from "../../../adapters/appbuilder/wire.ts";
import type { AgentArtifactUpdate, AgentMessage } from "../../../src/adapter.ts";
import type { AgentCard } from "../../../src/protocol/card.ts";
import type { Part } from "../../../src/protocol/model.ts";

const key = fc.stringMatching(/^[a-z]{1,6}$/);
const word = fc.string({ minLength: 1, maxLength: 8 });

const metadata = fc.dictionary(key, fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
  noNullPrototype: true,
  minKeys: 1,
  maxKeys: 3,
});

const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((array) => Buffer.from(array).toString("base64"));
const mimeType = fc.constantFrom("text/plain", "image/png", "application/x-unheard-of");

const file = fc.oneof(
  fc.record({ name: word, mimeType, bytes }, { requiredKeys: ["mimeType", "bytes"] }),
  fc.record({ name: word, mimeType, uri: fc.webUrl() }, { requiredKeys: ["mimeType", "uri"] }),
);

export const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record(
    { kind: fc.constant("text" as const), text: fc.string(), metadata },
    { requiredKeys: ["kind", "text"] },
  ),
  fc.record({ kind: fc.constant("file" as const), file, metadata }, { requiredKeys: ["kind", "file"] }),
  fc.record(
    { kind: fc.constant("data" as const), data: metadata, metadata },
    { requiredKeys: ["kind", "data"] },
  ),
);

export const message: fc.Arbitrary<AgentMessage> = fc.record(
  {
    kind: fc.constant("message" as const),
    role: fc.constantFrom("user" as const, "agent" as const),
    parts: fc.array(part, { maxLength: 3 }),
    messageId: word,
    taskId: word,
    contextId: word,
    metadata,
  },
  { requiredKeys: ["kind", "role", "parts"] },
);

const extra = metadata.map((own) => ({ [EXTENSION]: own }));

export const artifactUpdate: fc.Arbitrary<AgentArtifactUpdate> = fc.record(
  {
    kind: fc.constant("artifact-update" as const),
    taskId: word,
    contextId: word,
    artifact: fc.record(
      {
        artifactId: word,
        name: word,
        description: word,
        parts: fc.array(part, { maxLength: 3 }),
        metadata: extra,
      },
      { requiredKeys: ["parts", "metadata"] },
    ),
    append: fc.boolean(),
    lastChunk: fc.boolean(),
    metadata: extra,
  },
  { requiredKeys: ["kind", "artifact"] },
);

const skill = fc.record(
  {
    id: word,
    name: word,
    description: fc.string(),
    tags: fc.array(word, { maxLength: 2 }),
    examples: fc.array(word, { maxLength: 2 }),
    inputModes: fc.array(word, { maxLength: 2 }),
    outputModes: fc.array(word, { maxLength: 2 }),
  },
  { requiredKeys: ["id", "name", "description", "tags"] },
);

const scheme = fc.oneof(
  fc.record(
    { type: fc.constant("http"), scheme: fc.constant("bearer"), description: word },
    { requiredKeys: ["type", "scheme"] },
  ),
  fc.record({ type: fc.constant("apiKey"), in: fc.constantFrom("query", "header"), name: word }),
);

/** Cards without what AppBuilder has no field for; the extension is on every canonical card. */
export const card = (extensions: AgentCard["capabilities"]["extensions"]): fc.Arbitrary<AgentCard> =>
  fc.record(
    {
      protocolVersion: fc.constant("0.3.0"),
      name: word,
      description: fc.string(),
      url: fc.webUrl(),
      version: word,
      preferredTransport: fc.constant("JSONRPC"),
      capabilities: fc.record({ streaming: fc.boolean(), extensions: fc.constant(extensions) }),
      provider: fc.record({ organization: word, url: fc.webUrl() }),
      securitySchemes: fc.dictionary(key, scheme, { noNullPrototype: true, maxKeys: 2 }),
      security: fc.array(fc.dictionary(key, fc.array(word, { maxLength: 1 }), { noNullPrototype: true }), {
        maxLength: 2,
      }),
      defaultInputModes: fc.array(word, { maxLength: 2 }),
      defaultOutputModes: fc.array(word, { maxLength: 2 }),
      skills: fc.array(skill, { maxLength: 2 }),
    },
    {
      requiredKeys: [
        "protocolVersion",
        "name",
        "description",
        "url",
        "version",
        "preferredTransport",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
      ],
    },
  );
