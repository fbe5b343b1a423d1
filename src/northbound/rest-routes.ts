/**
 * The routes of HTTP+JSON (§3.5.6, §11) and the methods behind them. Paths are looked at as they were sent: the id of a
 * task may hold anything, encoded.
 */
import { A2AError } from "../protocol/errors.ts";
import { isFields, type Fields } from "../protocol/json.ts";
import { camelCased } from "../protocol/proto-json-fields.ts";
import { fromProtoJsonSendRequest, fromProtoJsonSetPushRequest } from "../protocol/proto-json-params.ts";

/** What a request says, apart from its path. */
interface RestRequest {
  readonly query: Fields;
  /** The body as a JSON value; an empty one is undefined. */
  readonly body: unknown;
}

interface Route {
  readonly verb: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  /** As the method table names it. */
  readonly method: string;
  /** @param ids what the path holds, decoded */
  params(request: RestRequest, ...ids: string[]): unknown;
}

const sendParams = ({ body }: RestRequest): unknown => fromProtoJsonSendRequest(body);
const taskParams = ({ body }: RestRequest, id: string): unknown =>
  isFields(body) && body["metadata"] !== undefined ? { id, metadata: body["metadata"] } : { id };
const configParams = (_request: RestRequest, id: string, pushNotificationConfigId: string): unknown => ({
  id,
  pushNotificationConfigId,
});

const TASK = "/v1/tasks/([^/]+?)";
const CONFIGS = `${TASK}/pushNotificationConfigs`;

const ROUTES: readonly Route[] = [
  // Some clients encode the colon, which a URL allows.
  { verb: "POST", path: /^\/v1\/message(?::|%3A)send$/i, method: "message/send", params: sendParams },
  { verb: "POST", path: /^\/v1\/message(?::|%3A)stream$/i, method: "message/stream", params: sendParams },
  { verb: "GET", path: /^\/v1\/tasks$/, method: "tasks/list", params: ({ query }) => query },
  { verb: "POST", path: new RegExp(`^${TASK}:cancel$`), method: "tasks/cancel", params: taskParams },
  // The text says POST, the proto GET; each has its clients.
  { verb: "GET", path: new RegExp(`^${TASK}:subscribe$`), method: "tasks/resubscribe", params: taskParams },
  { verb: "POST", path: new RegExp(`^${TASK}:subscribe$`), method: "tasks/resubscribe", params: taskParams },
  {
    verb: "GET",
    path: new RegExp(`^${TASK}(?<!:cancel|:subscribe)$`),
    method: "tasks/get",
    params: queryParams,
  },
  {
    verb: "POST",
    path: new RegExp(`^${CONFIGS}$`),
    method: "tasks/pushNotificationConfig/set",
    params: ({ body }, taskId) => fromProtoJsonSetPushRequest(body, taskId),
  },
  {
    verb: "GET",
    path: new RegExp(`^${CONFIGS}$`),
    method: "tasks/pushNotificationConfig/list",
    params: (_request, id) => ({ id }),
  },
  {
    verb: "GET",
    path: new RegExp(`^${CONFIGS}/([^/]+)$`),
    method: "tasks/pushNotificationConfig/get",
    params: configParams,
  },
  {
    verb: "DELETE",
    path: new RegExp(`^${CONFIGS}/([^/]+)$`),
    method: "tasks/pushNotificationConfig/delete",
    params: configParams,
  },
  {
    verb: "GET",
    // The other name is what the Go SDK calls it.
    path: /^\/v1\/(?:card|extendedAgentCard)$/,
    method: "agent/getAuthenticatedExtendedCard",
    params: () => undefined,
  },
];

/** Where the routes are, as the router reads it: below `/v1`, and without it for the Go SDK. */
export const REST_PATHS = [
  "/v1{/*path}",
  "/message\\:send",
  "/message\\:stream",
  "/tasks{/*path}",
  "/extendedAgentCard",
] as const;

export interface RestCall {
  readonly method: string;
  readonly hasBody: boolean;
  params(request: RestRequest): unknown;
}

/**
 * The call that a request makes, or else the verbs that its path has; those are none where nothing is served. Throws
 * `invalid-params` for a path that cannot be decoded.
 */
export function restCall(verb: string, path: string): RestCall | { readonly allow: readonly string[] } {
  const routes = ROUTES.filter((route) => route.path.test(path));
  const route = routes.find((candidate) => candidate.verb === verb);
  if (route === undefined) return { allow: routes.map((candidate) => candidate.verb) };
  const ids = (route.path.exec(path) ?? []).slice(1).map(decoded);
  return {
    method: route.method,
    hasBody: verb === "POST",
    params: (request) => route.params(request, ...ids),
  };
}

function queryParams({ query }: RestRequest, id: string): unknown {
  const { historyLength } = camelCased(query);
  if (typeof historyLength !== "string" || !/^-?\d{1,10}$/.test(historyLength)) return { id, historyLength };
  return { id, historyLength: Number(historyLength) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new A2AError("invalid-params", { data: { reason: "the path is not encoded correctly" }, cause });
  }
}
