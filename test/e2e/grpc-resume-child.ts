/**
 * A client over gRPC that is a process of its own: `node grpc-resume-child.ts ADDRESS FILE`. It starts a slow task, or
 * goes on where the file ends, and adds each event to the file, one a line, before it reads the next.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { Client, Metadata, credentials } from "@grpc/grpc-js";
import { z } from "zod";
import { loadService } from "../../src/protocol/grpc-codec.ts";

const [, , address = "", file = ""] = process.argv;

const Resume = z.looseObject({ "urn:a2a-compat-proxy:resume": z.looseObject({ eventId: z.string() }) });
const Event = z.looseObject({ taskId: z.string(), metadata: Resume });
const Response = z.union([
  z.looseObject({
    task: z
      .looseObject({ id: z.string(), metadata: Resume })
      .transform(({ id: taskId, ...task }) => ({ taskId, ...task })),
  }),
  z.looseObject({ statusUpdate: Event }).transform(({ statusUpdate: task }) => ({ task })),
  z.looseObject({ artifactUpdate: Event }).transform(({ artifactUpdate: task }) => ({ task })),
]);

/** The task and the last event that the file has. */
function lastSeen(): { taskId: string; id: string } | undefined {
  const line = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").at(-1) : undefined;
  if (!line) return undefined;
  const { taskId, metadata } = Response.parse(JSON.parse(line)).task;
  return { taskId, id: metadata["urn:a2a-compat-proxy:resume"].eventId };
}

const seen = lastSeen();
const metadata = new Metadata();
metadata.set("a2a-event-ids", "1");
if (seen) metadata.set("last-event-id", seen.id);
const message = { messageId: "m-1", role: "ROLE_USER", content: [{ text: "slow" }] };
const [rpc, request] = seen
  ? ["TaskSubscription", { name: `tasks/${seen.taskId}` }]
  : ["SendStreamingMessage", { message }];
const codec = loadService().get(rpc);
if (!codec) throw new Error(`no RPC ${rpc}`);
const { path, requestSerialize, responseDeserialize } = codec;
const client = new Client(address, credentials.createInsecure());
const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
for await (const event of stream) appendFileSync(file, `${JSON.stringify(event)}\n`);
client.close();
