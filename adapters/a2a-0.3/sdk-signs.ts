/**
 * Which SDK serves an agent, by how it says that there is no such task: nothing is done there, and every SDK says it in a
 * form of its own. Asked only before the first file is sent over HTTP+JSON or gRPC.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import type { HttpResponse } from "../../src/southbound/http.ts";
import { isRecord } from "../shared/object.ts";
import type { FileBytes } from "./reader.ts";

type Answer = Pick<HttpResponse, "status" | "json" | "excerpt">;

/**
 * Over HTTP+JSON. The Java SDK names its class. The Python SDK gives the message alone, or Google's form, neither of which
 * is its own; but its web framework is known by what it says of a path that is not there.
 * @param task the answer to tasks/get of a task that does not exist
 * @param path asks for a path that does not exist
 */
export async function fileBytesOverHttp(
  task: Answer,
  path: () => Promise<Answer>,
): Promise<FileBytes | undefined> {
  const { status, json } = task;
  if (isUnsure(status)) return undefined;
  if (status !== 404 || !isRecord(json)) return "once";
  const { error, message, code } = json;
  // A JSON-RPC code beside it is none of theirs.
  if (code !== undefined) return "once";
  if (typeof error === "string" && error.startsWith("io.a2a.spec.")) return "twice";
  const isPythons = message === "Task not found" && error === undefined;
  if (!isPythons && !isRecord(error)) return "once";
  const none = await path();
  if (isUnsure(none.status)) return undefined;
  return isStarlettes(none) ? "twice" : "once";
}

/** Statuses that say nothing of what is behind them. */
const isUnsure = (status: number): boolean => status >= 500 || [401, 403, 408, 429].includes(status);

/** FastAPI's and Starlette's own 404. */
function isStarlettes({ status, json, excerpt }: Answer): boolean {
  if (status !== 404) return false;
  return isRecord(json)
    ? json["detail"] === "Not Found" && Object.keys(json).length === 1
    : excerpt === "Not Found";
}

/** What a2a-go 0.3 says, whose errors have no name; those of its later versions have one. */
const GO_03 = "failed to get task: task not found";

/** Over gRPC. The SDKs of Python and Java, and no other, begin the details with the name of the error. */
export function fileBytesOverGrpc(thrown: unknown): FileBytes | undefined {
  if (!(thrown instanceof A2AError) || thrown.data?.["grpcStatus"] !== "NOT_FOUND") return undefined;
  const name = thrown.data["errorName"];
  return name === "TaskNotFoundError" || (name === undefined && thrown.message === GO_03) ? "twice" : "once";
}
