/**
 * A2A 0.1 (April to May 2025): tasks/send with a task id that the client mints and a sessionId, before message/send
 * came. See README.md for the field table and its losses.
 */
import type { Adapter } from "../../src/adapter.ts";
import type { AgentDialect } from "../../src/dialect.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { agentOver } from "../../src/southbound/agent-over.ts";
import { canonicalNames } from "../shared/method-names.ts";
import { client01 } from "./client.ts";
import { codec01, Options } from "./codec.ts";
import { DIALECT } from "./extras.ts";
import { JSONRPC } from "./params.ts";

const dialect: AgentDialect<Options, AgentCard> = {
  name: DIALECT,
  options: Options,
  jsonrpc: JSONRPC,
  clientMintsTaskIds: true,
  codec: codec01,
};

export const legacy: Adapter<Options> = {
  name: DIALECT,
  options: Options,
  methodNames: canonicalNames(JSONRPC),
  serves: client01,
  connect: (options, southbound) => agentOver(dialect, options, southbound),
};
