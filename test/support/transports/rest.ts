/** HTTP+JSON over fetch. */
import { z } from "zod";
import { toProtoJsonPushConfig } from "../../../src/protocol/proto-json-params.ts";
import { fromProtoJsonResponse, fromProtoJsonTask } from "../../../src/protocol/proto-json.ts";
import { canonicalPushConfig, canonicalPushConfigs, protoSendRequest } from "./proto-json.ts";
import { readEvents } from "./sse.ts";
import { Refused, type Events, type Target, type TransportClient } from "./transport.ts";

const Failure = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const TaskList = z.looseObject({ tasks: z.array(z.unknown()) });

interface Request {
  readonly verb: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** JSON where it is no text. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** @param base the proxy's URL */
export function restClient(base: string, { agent, key }: Target): TransportClient {
  const open = async ({ verb, path, body, headers }: Request): Promise<Response> => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${base}/agents/${agent}/v1${path}`, {
      method: verb,
      headers: { ...type, ...(key && { "x-api-key": key }), ...headers },
      body: body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body),
    });
    if (response.ok) return response;
    throw new Refused(response.status, Failure.parse(await response.json()));
  };

  const call = async (request: Request): Promise<unknown> => {
    const response = await open(request);
    return response.status === 204 ? null : await response.json();
  };

  async function* stream(request: Request): Events {
    const response = await open(request);
    for await (const { id, event, data } of readEvents(response)) {
      if (event === "error") throw new Refused(response.status, Failure.parse(JSON.parse(data)));
      yield { id, event: fromProtoJsonResponse(JSON.parse(data)) };
    }
  }

  const task = (id: string): string => `/tasks/${encodeURIComponent(id)}`;
  const configs = (id: string): string => `${task(id)}/pushNotificationConfigs`;

  return {
    send: async (params) => {
      const body = protoSendRequest(params);
      return fromProtoJsonResponse(await call({ verb: "POST", path: "/message:send", body }));
    },
    stream: (params) => stream({ verb: "POST", path: "/message:stream", body: protoSendRequest(params) }),
    get: async (id, length) => {
      const query = length === undefined ? "" : `?historyLength=${length}`;
      return fromProtoJsonTask(await call({ verb: "GET", path: task(id) + query }));
    },
    cancel: async (id) => fromProtoJsonTask(await call({ verb: "POST", path: `${task(id)}:cancel` })),
    resubscribe: (id, last) =>
      stream({
        verb: "GET",
        path: `${task(id)}:subscribe`,
        headers: last === undefined ? {} : { "last-event-id": last },
      }),
    list: async () =>
      TaskList.parse(await call({ verb: "GET", path: "/tasks" })).tasks.map(fromProtoJsonTask),
    setPush: async (taskId, config) => {
      const body = { name: "", pushNotificationConfig: toProtoJsonPushConfig(config) };
      return canonicalPushConfig(await call({ verb: "POST", path: configs(taskId), body }));
    },
    getPush: async (taskId, id) =>
      canonicalPushConfig(await call({ verb: "GET", path: `${configs(taskId)}/${id}` })),
    listPush: async (taskId) => canonicalPushConfigs(await call({ verb: "GET", path: configs(taskId) })),
    async deletePush(taskId, id) {
      await call({ verb: "DELETE", path: `${configs(taskId)}/${id}` });
    },
    extendedCard: () => call({ verb: "GET", path: "/card" }),
    callUnknown: () => call({ verb: "POST", path: "/tasks:invent", body: {} }),
    sendMalformed: () => call({ verb: "POST", path: "/message:send", body: '{"message": ' }),
    close: () => {},
  };
}
