/** gRPC, with the agent named in the metadata. */
import { Metadata } from "@grpc/grpc-js";
import { z } from "zod";
import { toProtoJsonPushConfig } from "../../../src/protocol/proto-json-params.ts";
import { fromProtoJsonResponse, fromProtoJsonTask } from "../../../src/protocol/proto-json.ts";
import { GrpcClient, type Answer } from "../../northbound/grpc-harness.ts";
import { canonicalPushConfig, canonicalPushConfigs, protoSendRequest } from "./proto-json.ts";
import { Refused, type Events, type Received, type Target, type TransportClient } from "./transport.ts";

const Failure = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const Status = z.looseObject({ code: z.number(), details: z.string(), metadata: z.instanceof(Metadata) });

const RESUME = "urn:a2a-compat-proxy:resume";
const Event = z.looseObject({
  metadata: z
    .looseObject({ [RESUME]: z.looseObject({ eventId: z.string().optional() }).optional() })
    .optional(),
});

/** The event as it is over the other transports, and its id, which they have beside it. */
function received(event: unknown): Received {
  const { metadata = {}, ...rest } = Event.parse(event);
  const { [RESUME]: resume, ...others } = metadata;
  const { eventId: id, ...more } = resume ?? {};
  const left = { ...others, ...(Object.keys(more).length > 0 && { [RESUME]: more }) };
  return { id, event: Object.keys(left).length > 0 ? { ...rest, metadata: left } : rest };
}

function refused(thrown: Error): Refused {
  const { code, details, metadata } = Status.parse(thrown);
  const [trailer] = metadata.get("a2a-error").map(String);
  return new Refused(code, trailer === undefined ? { message: details } : Failure.parse(JSON.parse(trailer)));
}

function messageOf({ message, error }: Answer): Record<string, unknown> {
  if (error) throw refused(error);
  return { ...message };
}

export function grpcClient(port: number, { agent, key }: Target): TransportClient {
  const client = new GrpcClient(port);
  const metadata = { "a2a-agent": agent, ...(key && { "x-api-key": key }) };

  const call = async (rpc: string, request: Record<string, unknown>) =>
    messageOf(await client.call(rpc, request, metadata));

  async function* stream(rpc: string, request: Record<string, unknown>, last?: string): Events {
    const asked = { ...metadata, "a2a-event-ids": "1", ...(last !== undefined && { "last-event-id": last }) };
    const events = client.open(rpc, request, asked);
    try {
      for await (const event of events) yield received(fromProtoJsonResponse(event));
    } catch (thrown) {
      throw thrown instanceof Error && "code" in thrown ? refused(thrown) : thrown;
    } finally {
      events.cancel();
    }
  }

  const task = (id: string) => ({ name: `tasks/${id}` });
  const config = (taskId: string, id: string) => ({ name: `tasks/${taskId}/pushNotificationConfigs/${id}` });

  return {
    send: async (params) => fromProtoJsonResponse(await call("SendMessage", protoSendRequest(params))),
    stream: (params) => stream("SendStreamingMessage", protoSendRequest(params)),
    get: async (id, historyLength) =>
      fromProtoJsonTask(await call("GetTask", { ...task(id), ...(historyLength && { historyLength }) })),
    cancel: async (id) => fromProtoJsonTask(await call("CancelTask", task(id))),
    resubscribe: (id, last) => stream("TaskSubscription", task(id), last),
    setPush: async (taskId, given) => {
      const pushNotificationConfig = toProtoJsonPushConfig(given);
      const request = { parent: `tasks/${taskId}`, configId: given.id, config: { pushNotificationConfig } };
      return canonicalPushConfig(await call("CreateTaskPushNotificationConfig", request));
    },
    getPush: async (taskId, id) =>
      canonicalPushConfig(await call("GetTaskPushNotificationConfig", config(taskId, id))),
    listPush: async (taskId) =>
      canonicalPushConfigs(await call("ListTaskPushNotificationConfig", { parent: `tasks/${taskId}` })),
    async deletePush(taskId, id) {
      await call("DeleteTaskPushNotificationConfig", config(taskId, id));
    },
    extendedCard: () => call("GetAgentCard", {}),
    callUnknown: async () => messageOf(await client.callPath("/a2a.v1.A2AService/InventTask", metadata)),
    sendMalformed: async () =>
      messageOf(await client.callRaw("SendMessage", Buffer.from("no message"), metadata)),
    close: () => client[Symbol.dispose](),
  };
}
