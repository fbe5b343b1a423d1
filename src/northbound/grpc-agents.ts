/**
 * Which agent a gRPC call is for. The path of a gRPC call names the service and nothing else, so the agent is told, in
 * this order, by a port that serves it alone, by the metadata key `a2a-agent`, by the host that was called, or it is the
 * default agent. Only the port and the host are something that a card can say: a client that has nothing but the card
 * reaches an agent through these, which is why no card names an address that would lead to another agent.
 */
import type { AgentGrpc, GrpcConfig } from "../config/grpc.ts";
import { A2AError } from "../protocol/errors.ts";
import type { ServedAgent } from "./served-agent.ts";

type AgentMap = ReadonlyMap<string, ServedAgent>;

interface Selection {
  readonly agents: AgentMap;
  /** Served where a call names none. */
  readonly fallback: string | undefined;
  /** The port is this agent's own. */
  readonly only?: string;
}

export class GrpcAgents {
  readonly #agents: AgentMap;
  readonly #fallback: string | undefined;
  readonly #only: string | undefined;
  /** Names by the host that clients call. */
  readonly #hosts = new Map<string, string>();

  constructor({ agents, fallback, only }: Selection) {
    this.#agents = agents;
    this.#fallback = fallback;
    this.#only = only;
    for (const [name, { config }] of agents) {
      const host = config.grpc?.port === undefined && config.grpc?.publicUrl;
      if (host) this.#hosts.set(hostOf(host), name);
    }
  }

  /** @param named the metadata; @param authority what the client called. Throws `invalid-params`. */
  select(named: string | undefined, authority: string): ServedAgent {
    if (this.#only !== undefined && named !== undefined && named !== this.#only) {
      throw invalid(`this port serves ${this.#only} alone`);
    }
    const name = this.#only ?? named ?? this.#hosts.get(hostOf(authority)) ?? this.#fallback;
    if (name === undefined) throw invalid("is required, since there is no default agent");
    const agent = this.#agents.get(name);
    if (agent === undefined) throw invalid("no such agent");
    return agent;
  }
}

// Not task-not-found, which is what NOT_FOUND means to the SDKs.
const invalid = (reason: string): A2AError =>
  new A2AError("invalid-params", {
    message: `Metadata a2a-agent: ${reason}`,
    data: { path: "a2a-agent", reason },
  });

const PARTS = /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)?(?<host>\[[^\]]*\]|[^:]*)(?::\d+)?$/i;

const hostOf = (address: string): string => PARTS.exec(address)?.groups?.["host"]?.toLowerCase() ?? "";

/**
 * What the agent's card says of gRPC; undefined where no address leads to the agent without more words.
 * @param port the port of its own that the agent has got
 */
export function grpcUrlOf(
  { grpc, isDefault, port }: { grpc: AgentGrpc | undefined; isDefault: boolean; port: number | undefined },
  server: Pick<GrpcConfig, "publicUrl">,
): string | undefined {
  if (grpc?.publicUrl !== undefined) return grpc.publicUrl;
  if (port !== undefined) {
    const { scheme = "", host = "" } = PARTS.exec(server.publicUrl)?.groups ?? {};
    return `${scheme}${host}:${port}`;
  }
  return isDefault ? server.publicUrl : undefined;
}
