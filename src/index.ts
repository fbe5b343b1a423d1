/** What a program that embeds the proxy, or brings an adapter of its own, imports. */
export type {
  Adapter,
  AgentArtifact,
  AgentArtifactUpdate,
  AgentEvent,
  AgentMessage,
  AgentReply,
  AgentStatus,
  AgentStatusUpdate,
  AgentTask,
  Backend,
  Call,
  NativeMethods,
  PushCallback,
  VendorTask,
} from "./adapter.ts";
export type { AgentConfig, Config } from "./config/config.ts";
export { ConfigError } from "./config/faults.ts";
export { loadConfig } from "./config/load.ts";
export type { AgentCard } from "./protocol/card.ts";
export { A2AError, type ErrorCode } from "./protocol/errors.ts";
export type { Artifact, Message, Part, Task, TaskStatus } from "./protocol/model.ts";
export type { MessageSendParams } from "./protocol/params.ts";
export type { TaskState } from "./protocol/states.ts";
export { startProxy, type ProxyDeps, type RunningProxy } from "./server.ts";
export type { GrpcClient } from "./southbound/grpc.ts";
export type { HttpClient, HttpResponse, HttpStream } from "./southbound/http.ts";
export type { Southbound } from "./southbound/southbound.ts";
export { JsonRpcClient } from "./southbound/jsonrpc.ts";
export { adapters } from "../adapters/index.ts";
