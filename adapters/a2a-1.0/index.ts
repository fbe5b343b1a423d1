/**
 * Agents that speak official A2A 1.0 (`lf.a2a.v1`) over JSON-RPC, HTTP+JSON or gRPC. README.md has the fields and what is lost.
 */
import type { Adapter } from "../../src/adapter.ts";
import type { AgentDialect } from "../../src/dialect.ts";
import { agentOver } from "../../src/southbound/agent-over.ts";
import { canonicalNames } from "../shared/method-names.ts";
import { Options } from "./channel.ts";
import { client10 } from "./client.ts";
import { codec10 } from "./codec.ts";
import { GRPC, JSONRPC, REST } from "./methods.ts";
import type { WireCard } from "./wire.ts";

const dialect: AgentDialect<Options, WireCard> = {
  name: "a2a-1.0",
  options: Options,
  jsonrpc: JSONRPC,
  rest: REST,
  grpc: GRPC,
  mediaType: "application/a2a+json",
  codec: codec10,
};

export const a2a10: Adapter<Options> = {
  name: dialect.name,
  options: Options,
  speaksGrpc: true,
  methodNames: canonicalNames(JSONRPC),
  serves: client10,
  connect: (options, southbound) => agentOver(dialect, options, southbound),
};
