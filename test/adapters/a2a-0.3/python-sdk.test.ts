/** Servers of the Python SDK, 0.3.26, by their recorded answers over HTTP+JSON, and their rules over gRPC. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { loadService, type ProtoMessage } from "../../../src/protocol/grpc-codec.ts";
import { rpc, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startRoutedVendor, type Routes, type RoutedVendor } from "../../support/routed-vendor.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function fronted(agent: Record<string, unknown>): Promise<string> {
  const proxy = await startTestProxy({ python: { adapter: "a2a-0.3", ...agent } });
  stops.push(() => proxy.stop());
  return proxy.agent("python");
}

const vendorOf = async (routes: Routes): Promise<RoutedVendor> => {
  const vendor = await startRoutedVendor(routes);
  stops.push(() => vendor.stop());
  return vendor;
};

/** Recorded; without `blocking: true`, the SDK answers before the work is done. */
const SUBMITTED =
  '{"task":{"id":"19b2462e-8b76-4d25-bba1-be6a39631238","contextId":"eb4a7985-ab61-4668-bb71-93aee58dacec","status":{"state":"TASK_STATE_SUBMITTED"},"history":[{"messageId":"m1","contextId":"eb4a7985-ab61-4668-bb71-93aee58dacec","taskId":"19b2462e-8b76-4d25-bba1-be6a39631238","role":"ROLE_USER","content":[{"text":"hello"}],"metadata":{}}]}}';
const COMPLETED =
  '{"task":{"id":"00a7a4ca-ea3d-4f6a-a31c-2e783520dc8b","contextId":"999fcf7a-3cc4-4fa1-9289-c09f08ebc8f5","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"answer","parts":[{"text":"北京 (Beijing) "},{"text":"Hello "},{"text":"wörld 🎉 "},{"text":"\\n tab\\t\\"quotes\\" \\\\ back"},{"text":"\u2028line "},{"text":"end. "}]}],"history":[{"messageId":"m1","contextId":"999fcf7a-3cc4-4fa1-9289-c09f08ebc8f5","taskId":"00a7a4ca-ea3d-4f6a-a31c-2e783520dc8b","role":"ROLE_USER","content":[{"text":"hello"}],"metadata":{}}]}}';
const TEXT = '北京 (Beijing) Hello wörld 🎉 \n tab\t"quotes" \\ back\u2028line end. ';
const NO_SUCH_TASK = { status: 404, body: '{"message":"Task not found"}' };

const isBlocking = (request: unknown): boolean =>
  (request as { configuration?: { blocking?: boolean } }).configuration?.blocking === true;

const answerOf = (task: unknown) => {
  const { artifacts = [] } = task as { artifacts?: { parts: { text: string }[] }[] };
  return artifacts.map(({ parts }) => parts.map(({ text }) => text).join(""));
};

describe("message/send waits for the work, as it does over JSON-RPC", () => {
  const sends: Routes = {
    "POST /v1/message:send": ({ body }) => ({ body: isBlocking(body) ? COMPLETED : SUBMITTED }),
    "GET /v1/tasks/19b2462e-8b76-4d25-bba1-be6a39631238": () => NO_SUCH_TASK,
  };
  const options = { transport: "http+json" };

  test("over HTTP+JSON", async () => {
    const { url, asked } = await vendorOf(sends);
    const { result } = await rpc(await fronted({ url, options }), "message/send", userMessage("hello"));
    expect(result).toMatchObject({ status: { state: "completed" } });
    expect(answerOf(result)).toEqual([TEXT]);
    expect(asked().filter((route) => route.startsWith("POST"))).toEqual(["POST /v1/message:send"]);
  });

  test("unless the client does not want to wait", async () => {
    const { url, requests } = await vendorOf(sends);
    const params = { ...userMessage("hello"), configuration: { blocking: false } };
    const { result } = await rpc(await fronted({ url, options }), "message/send", params);
    expect(result).toMatchObject({ status: { state: "submitted" } });
    const sent = requests.find(({ route }) => route === "POST /v1/message:send");
    expect(sent?.body).toMatchObject({ configuration: { blocking: false } });
  });

  test("over gRPC", async () => {
    const server = new Server();
    const send = loadService().get("SendMessage");
    if (!send) throw new Error("no SendMessage");
    const requests: ProtoMessage[] = [];
    const answer = (
      { request }: ServerUnaryCall<ProtoMessage, ProtoMessage>,
      reply: sendUnaryData<ProtoMessage>,
    ): void => {
      requests.push(request);
      reply(null, JSON.parse(isBlocking(request) ? COMPLETED : SUBMITTED));
    };
    server.addService({ SendMessage: send }, { SendMessage: answer });
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    stops.push(() => server.forceShutdown());
    const url = await fronted({ url: `grpc://127.0.0.1:${port}` });
    const { result } = await rpc(url, "message/send", userMessage("hello"));
    expect(result).toMatchObject({ status: { state: "completed" } });
    expect(answerOf(result)).toEqual([TEXT]);
    expect(requests).toHaveLength(1);
  });
});
