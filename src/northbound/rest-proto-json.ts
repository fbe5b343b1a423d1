/**
 * Answers below `/v1` (§3.2.3, §11): ProtoJSON; `{code, message, data?}` for what went wrong; SSE whose events are
 * StreamResponses. An error that ends a stream is an event of the type `error`.
 */
import type { A2AError } from "../protocol/errors.ts";
import type { Fields } from "../protocol/json.ts";
import type { StreamEvent } from "../protocol/model.ts";
import { toProtoJsonTaskPushConfig } from "../protocol/proto-json-params.ts";
import { toProtoJsonCard } from "../protocol/proto-json-card.ts";
import { toProtoJsonResponse, toProtoJsonTask } from "../protocol/proto-json.ts";
import { writtenFor, type Reader } from "../protocol/sdk-quirks.ts";
import { ServedCard, type Answer } from "./served-card.ts";
import type { RestFormat } from "./rest-format.ts";

export function protoJsonFormat(reader: Reader): RestFormat {
  const fit = (value: Fields): Fields => writtenFor(reader, value);
  return {
    answer: (method, result) => (result === null ? undefined : bodyOf(method, result, fit)),
    error: errorBody,
    framing: {
      event: ({ json }) => {
        // What the engine wrote itself a moment ago.
        const event: StreamEvent = JSON.parse(json);
        return JSON.stringify(fit(toProtoJsonResponse(event)));
      },
      error: errorBody,
      errorType: "error",
    },
  };
}

function bodyOf(method: string, result: NonNullable<Answer>, fit: (value: Fields) => Fields): unknown {
  if (Array.isArray(result)) return { configs: result.map(toProtoJsonTaskPushConfig) };
  if ("pushNotificationConfig" in result) return toProtoJsonTaskPushConfig(result);
  if ("tasks" in result) return { ...result, tasks: result.tasks.map((task) => fit(toProtoJsonTask(task))) };
  if (result instanceof ServedCard) return toProtoJsonCard(result.card);
  if (method === "message/send" || result.kind === "message") return fit(toProtoJsonResponse(result));
  return fit(toProtoJsonTask(result));
}

/** The Python SDK tells errors by `type`; the Java SDK by `error`, without which it fails with a NullPointerException. */
function errorBody({ rpcCode: code, sdkName: type, message, data }: A2AError): string {
  return JSON.stringify({ code, message, data, type, error: `io.a2a.spec.${type}` });
}
