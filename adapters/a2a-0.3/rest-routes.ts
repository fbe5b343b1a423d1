/**
 * Where the methods are over HTTP+JSON, and what is posted there. 0.3.0 has them under `/v1` with ProtoJSON (§3.2.3, §11);
 * a2a-go v2 serves 0.3 without `/v1`, and reads the JSON of the schema.
 */
import type { HttpRequest } from "../../src/southbound/http.ts";
import { toCreatePushRequest, toSendRequest, withBlocking } from "./proto-json.ts";
import type { Request } from "./transport.ts";

/** `bare`: without `/v1`, and the JSON of the schema. */
export type Layout = "v1" | "bare";

export type Route = Pick<HttpRequest, "method" | "url" | "body">;

/** @param base the agent's URL, with neither `/v1` nor a slash at its end */
export function routesOf(base: string, layout: Layout, request: Request): readonly Route[] {
  const root = layout === "v1" ? `${base}/v1` : base;
  const task = (id: string): string => `${root}/tasks/${encodeURIComponent(id)}`;
  switch (request.method) {
    case "message/send":
    case "message/stream": {
      const isSend = request.method === "message/send";
      const params = isSend ? withBlocking(request.params) : request.params;
      const body = layout === "v1" ? toSendRequest(params) : params;
      return [{ method: "POST", url: `${root}/message:${isSend ? "send" : "stream"}`, body }];
    }
    case "tasks/get": {
      const { id, historyLength } = request.params;
      const query = historyLength === undefined ? "" : `?historyLength=${historyLength}`;
      return [{ method: "GET", url: task(id) + query }];
    }
    case "tasks/cancel":
      return [{ method: "POST", url: `${task(request.params.id)}:cancel`, body: {} }];
    case "tasks/resubscribe": {
      // The text of 0.3.0 says POST, its proto GET.
      const url = `${task(request.params.id)}:subscribe`;
      return [
        { method: "POST", url, body: {} },
        { method: "GET", url },
      ];
    }
    case "tasks/pushNotificationConfig/set": {
      const { params } = request;
      const body = layout === "v1" ? toCreatePushRequest(params) : params;
      return [{ method: "POST", url: `${task(params.taskId)}/pushNotificationConfigs`, body }];
    }
    case "tasks/pushNotificationConfig/delete": {
      const { id, pushNotificationConfigId } = request.params;
      const config = encodeURIComponent(pushNotificationConfigId);
      return [{ method: "DELETE", url: `${task(id)}/pushNotificationConfigs/${config}` }];
    }
    case "agent/getAuthenticatedExtendedCard":
      return [{ method: "GET", url: `${root}/${layout === "v1" ? "card" : "extendedAgentCard"}` }];
    default:
      return request satisfies never;
  }
}
