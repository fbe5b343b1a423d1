/** JSON-RPC over fetch. */
import { z } from "zod";
import { readEvents } from "./sse.ts";
import { Refused, type Events, type Target, type TransportClient } from "./transport.ts";

const Answer = z.looseObject({
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/** Called with everything that the proxy has said. */
export type OnAnswer = (method: string, answer: unknown) => void;

let count = 0;

/** @param base the proxy's URL */
export function jsonRpcClient(base: string, { agent, key }: Target, onAnswer: OnAnswer): TransportClient {
  const url = `${base}/agents/${agent}/`;

  const post = (body: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { "x-api-key": key }), ...more },
      body,
    });

  const resultOf = (method: string, status: number, json: string): unknown => {
    const answer: unknown = JSON.parse(json);
    onAnswer(method, answer);
    const { error, result } = Answer.parse(answer);
    if (error) throw new Refused(status, { ...error });
    return result;
  };

  const request = (method: string, params?: object): string =>
    JSON.stringify({ jsonrpc: "2.0", id: ++count, method, ...(params && { params }) });

  const call = async (method: string, params?: object): Promise<unknown> => {
    const response = await post(request(method, params));
    return resultOf(method, response.status, await response.text());
  };

  async function* stream(method: string, params: object, headers?: Record<string, string>): Events {
    const response = await post(request(method, params), headers);
    if (response.headers.get("content-type")?.startsWith("application/json")) {
      resultOf(method, response.status, await response.text());
      throw new Error("a stream was expected");
    }
    for await (const { id, data } of readEvents(response)) {
      yield { id, event: resultOf(method, response.status, data) };
    }
  }

  const push = (method: string, params: object) => call(`tasks/pushNotificationConfig/${method}`, params);

  return {
    send: (params) => call("message/send", params),
    stream: (params) => stream("message/stream", params),
    get: (id, historyLength) => call("tasks/get", { id, historyLength }),
    cancel: (id) => call("tasks/cancel", { id }),
    resubscribe: (id, last) =>
      stream("tasks/resubscribe", { id }, last === undefined ? {} : { "last-event-id": last }),
    setPush: (taskId, pushNotificationConfig) => push("set", { taskId, pushNotificationConfig }),
    getPush: (id, pushNotificationConfigId) => push("get", { id, pushNotificationConfigId }),
    listPush: (id) => push("list", { id }),
    async deletePush(id, pushNotificationConfigId) {
      await push("delete", { id, pushNotificationConfigId });
    },
    extendedCard: () => call("agent/getAuthenticatedExtendedCard"),
    callUnknown: () => call("tasks/invent", {}),
    async sendMalformed() {
      const response = await post('{"jsonrpc": "2.0", ');
      return resultOf("", response.status, await response.text());
    },
    close: () => {},
  };
}
