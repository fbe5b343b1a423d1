/**
 * Who calls which agent over gRPC, and how often, is looked at when a call's metadata is there: the library hands a call
 * to its handler only with the whole message, of which anybody may send much. What is refused here is never read.
 */
import { X509Certificate } from "node:crypto";
import {
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  type Metadata,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import type { HeldBytes } from "../auth/bytes-in-flight.ts";
import type { Gate } from "../auth/gate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Presented } from "../auth/scheme.ts";
import { A2AError } from "../protocol/errors.ts";
import type { GrpcAgents } from "./grpc-agents.ts";
import type { GrpcApi } from "./grpc-api.ts";
import type { ServedAgent } from "./served-agent.ts";

/** What a call shows of its sender, and of the host that was called. */
type Shown = Pick<ServerInterceptingCall, "getAuthContext" | "getHost" | "getPeer">;

/** What is known of a call before its message is there. */
interface Entrance {
  readonly api: GrpcApi;
  /** Name of the RPC. */
  readonly rpc: string;
  readonly metadata: Metadata;
  principal?: Principal;
  agent?: ServedAgent;
}

interface Entered {
  readonly principal: Principal;
  readonly agent: ServedAgent;
  readonly held: HeldBytes;
}

export interface DoorOptions {
  readonly gate: Gate;
  readonly agents: GrpcAgents;
  /** Those that only callers who are let in may call. */
  readonly apis: readonly GrpcApi[];
  /** Told of every call that is not let in. */
  readonly onRefused: (entrance: Entrance, error: A2AError) => void;
}

/** The metadata key that names the agent. */
const AGENT_KEY = "a2a-agent";

export class GrpcDoor {
  readonly #entered = new WeakMap<Metadata, Entered>();
  readonly interceptor: ServerInterceptor;

  constructor({ gate, agents, apis, onRefused }: DoorOptions) {
    const enter = async (call: Shown, entrance: Entrance): Promise<Entered> => {
      const { metadata } = entrance;
      const principal = (entrance.principal = await gate.identify(presentedBy(call, metadata)));
      const agent = (entrance.agent = agents.select(textIn(metadata, AGENT_KEY), call.getHost()));
      await gate.admit(principal, agent.config.name);
      agent.dialects.require(entrance.api.dialect);
      return { principal, agent, held: gate.openBody(principal) };
    };
    const guarded = new Map(apis.map((api) => [api.service.name, api]));
    this.interceptor = ({ path }, call) => {
      const [, service = "", rpc = ""] = path.split("/");
      const api = guarded.get(service);
      if (!api) return new ServerInterceptingCall(call);
      const admit = async (metadata: Metadata, proceed: (metadata: Metadata) => void): Promise<void> => {
        const entrance: Entrance = { api, rpc, metadata };
        try {
          this.#entered.set(metadata, await enter(call, entrance));
        } catch (thrown) {
          const error = A2AError.from(thrown);
          onRefused(entrance, error);
          call.sendStatus(api.toStatus(error));
          return;
        }
        proceed(metadata);
      };
      const listener = new ServerListenerBuilder()
        .withOnReceiveMetadata((metadata, proceed) => void admit(metadata, proceed))
        .build();
      const responder = new ResponderBuilder().withStart((start) => start(listener)).build();
      return new ServerInterceptingCall(call, responder);
    };
  }

  /** Who calls which agent: of a call that has been let in. */
  entered(metadata: Metadata): Entered {
    const entered = this.#entered.get(metadata);
    if (!entered) throw new Error("a call has come in by another way than the door");
    return entered;
  }

  /** For a call that is over: gives back what it has held. */
  leave(metadata: Metadata): void {
    this.#entered.get(metadata)?.held.release();
  }
}

function presentedBy(call: Shown, metadata: Metadata): Presented {
  const raw = call.getAuthContext().sslPeerCertificate?.raw;
  return {
    headers: Object.fromEntries(Object.keys(metadata.getMap()).map((name) => [name, textIn(metadata, name)])),
    query: new URLSearchParams(),
    // The library adds the port, and leaves an IPv6 address without brackets.
    address: call.getPeer().replace(/:\d+$/, ""),
    // The server refuses connections with a certificate that it cannot verify.
    certificate: raw && new X509Certificate(raw),
  };
}

/** The key's value; of several, all, as HTTP joins them. */
export function textIn(metadata: Metadata, key: string): string | undefined {
  const values = metadata.get(key).filter((value) => typeof value === "string");
  return values.length === 0 ? undefined : values.join(", ");
}
