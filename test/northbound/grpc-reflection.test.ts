/** Server reflection, as command line clients ask for it: the service is listed, and its file comes with its methods. */
import { expect, test } from "@jest/globals";
import { Client, credentials, status } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { newApiKey } from "../../src/auth/api-key.ts";
import { startTestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";

const PATH = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/** What this test reads of the protocol. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { string file_containing_symbol = 4; string list_services = 7; }
  message Response { Files file_descriptor_response = 4; Services list_services_response = 6; }
  message Files { repeated bytes file_descriptor_proto = 1; }
  message Services { repeated Service service = 1; }
  message Service { string name = 1; }
  message File {
    string name = 1;
    string package = 2;
    repeated string dependency = 3;
    repeated Type message_type = 4;
    repeated Described service = 6;
  }
  message Type { string name = 1; repeated Field field = 2; repeated Type nested_type = 3; }
  message Field { string name = 1; string type_name = 6; string json_name = 10; }
  message Described { string name = 1; repeated Method method = 2; }
  message Method { string name = 1; }
`);

const Request = root.lookupType("Request");
const Response = root.lookupType("Response");
const File = root.lookupType("File");

async function ask(port: number, request: object): Promise<Record<string, unknown>> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      const call = client.makeBidiStreamRequest(
        PATH,
        (value: object) => Buffer.from(Request.encode(Request.fromObject(value)).finish()),
        (bytes: Buffer) => Response.toObject(Response.decode(bytes)),
      );
      call.on("error", reject);
      call.once("data", resolve);
      call.write(request);
      call.end();
    });
  } finally {
    client.close();
  }
}

test("nothing is described where reflection is switched off; health is answered all the same", async () => {
  const proxy = await startTestProxy(
    { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    {
      server: {
        host: "127.0.0.1",
        port: 0,
        publicUrl: "http://proxy.test",
        grpc: { port: 0, reflection: false },
      },
      auth: { apiKeys: { keys: { reader: { hash: newApiKey().hash } } } },
    },
  );
  try {
    const port = proxy.grpcPort ?? 0;
    await expect(ask(port, { listServices: "" })).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
    using client = new GrpcClient(port);
    const health = await client.callPath("/grpc.health.v1.Health/Check");
    expect(health.error).toBeUndefined();
  } finally {
    await proxy.stop();
  }
});

test("the service is listed and described with all of its methods", async () => {
  const proxy = await startTestProxy(
    { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    { server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } } },
  );
  try {
    const port = proxy.grpcPort ?? 0;
    const listed = await ask(port, { listServices: "" });
    expect(listed["listServicesResponse"]).toEqual({
      service: [{ name: "a2a.v1.A2AService" }, { name: "lf.a2a.v1.A2AService" }],
    });
    const described = await ask(port, { fileContainingSymbol: "a2a.v1.A2AService" });
    const { fileDescriptorProto } = described["fileDescriptorResponse"] as { fileDescriptorProto: Buffer[] };
    const files = fileDescriptorProto.map((bytes) => File.toObject(File.decode(bytes)));
    expect(files.find((file) => file["package"] === "a2a.v1")?.["service"]).toEqual([
      {
        name: "A2AService",
        method: [
          "SendMessage",
          "SendStreamingMessage",
          "GetTask",
          "CancelTask",
          "TaskSubscription",
          "CreateTaskPushNotificationConfig",
          "GetTaskPushNotificationConfig",
          "ListTaskPushNotificationConfig",
          "DeleteTaskPushNotificationConfig",
          "GetAgentCard",
        ].map((name) => ({ name })),
      },
    ]);
  } finally {
    await proxy.stop();
  }
});

test("1.0's service is described, too, with protobuf's own types that it needs", async () => {
  const proxy = await startTestProxy(
    { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    { server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } } },
  );
  try {
    const port = proxy.grpcPort ?? 0;
    const described = await ask(port, { fileContainingSymbol: "lf.a2a.v1.A2AService" });
    const { fileDescriptorProto } = described["fileDescriptorResponse"] as { fileDescriptorProto: Buffer[] };
    const [own, wellKnown, ...others] = fileDescriptorProto.map((bytes) => File.toObject(File.decode(bytes)));
    expect(others).toEqual([]);
    expect(own?.["package"]).toBe("lf.a2a.v1");
    expect(own?.["dependency"]).toEqual([wellKnown?.["name"]]);
    expect(own?.["service"]).toEqual([{ name: "A2AService", method: expect.any(Array) }]);
    expect(own?.["service"][0].method).toHaveLength(11);
    expect(wellKnown?.["messageType"].map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["Empty", "Struct", "Timestamp", "Value"]),
    );
  } finally {
    await proxy.stop();
  }
});

test("the files are what protoc would write, which tools of other makers insist on", async () => {
  const proxy = await startTestProxy(
    { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } },
    { server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } } },
  );
  try {
    const described = await ask(proxy.grpcPort ?? 0, { fileContainingSymbol: "a2a.v1.A2AService" });
    const { fileDescriptorProto } = described["fileDescriptorResponse"] as { fileDescriptorProto: Buffer[] };
    const [own, wellKnown, ...others] = fileDescriptorProto.map((bytes) => File.toObject(File.decode(bytes)));
    expect(others).toEqual([]);
    expect(own?.["dependency"]).toEqual([wellKnown?.["name"]]);
    const card = own?.["messageType"].find(({ name }: { name: string }) => name === "AgentCard");
    expect(card.field).toEqual(
      expect.arrayContaining([
        { name: "provider", typeName: ".a2a.v1.AgentProvider", jsonName: "provider" },
        {
          name: "security_schemes",
          typeName: ".a2a.v1.AgentCard.SecuritySchemesEntry",
          jsonName: "securitySchemes",
        },
      ]),
    );
    expect(card.nestedType).toEqual([
      {
        name: "SecuritySchemesEntry",
        field: [
          { name: "key", jsonName: "key" },
          { name: "value", typeName: ".a2a.v1.SecurityScheme", jsonName: "value" },
        ],
      },
    ]);
    const task = own?.["messageType"].find(({ name }: { name: string }) => name === "Task");
    expect(task.field).toContainEqual({
      name: "metadata",
      typeName: ".google.protobuf.Struct",
      jsonName: "metadata",
    });
  } finally {
    await proxy.stop();
  }
});
