/**
 * Who calls over gRPC is looked at when a call's metadata is there: the library hands a call to its handler only with
 * the whole message, of which a stranger may send much. What is refused here is never read.
 */
import { X509Certificate } from "node:crypto";
import {
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  type Metadata,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import type { Gate } from "../auth/gate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Presented } from "../auth/scheme.ts";
import { A2AError } from "../protocol/errors.ts";
import { SERVICE_NAME } from "../protocol/grpc-codec.ts";
import { toGrpcStatus } from "../protocol/grpc-status.ts";

/** What a call shows of its sender. */
type Shown = Pick<ServerInterceptingCall, "getAuthContext" | "getPeer">;

export interface DoorOptions {
  readonly gate: Gate;
  /** Told of every call that is not let in. */
  readonly onRefused: (path: string, metadata: Metadata, error: A2AError) => void;
}

const PATH = `/${SERVICE_NAME}/`;

export class GrpcDoor {
  readonly #gate: Gate;
  readonly #principals = new WeakMap<Metadata, Principal>();
  readonly interceptor: ServerInterceptor;

  constructor({ gate, onRefused }: DoorOptions) {
    this.#gate = gate;
    this.interceptor = ({ path }, call) => {
      if (!gate.isClosed || !path.startsWith(PATH)) return new ServerInterceptingCall(call);
      const enter = async (metadata: Metadata, proceed: (metadata: Metadata) => void): Promise<void> => {
        try {
          this.#principals.set(metadata, await gate.identify(presentedBy(call, metadata)));
        } catch (thrown) {
          const error = A2AError.from(thrown);
          onRefused(path, metadata, error);
          call.sendStatus(toGrpcStatus(error));
          return;
        }
        proceed(metadata);
      };
      const listener = new ServerListenerBuilder()
        .withOnReceiveMetadata((metadata, proceed) => void enter(metadata, proceed))
        .build();
      const responder = new ResponderBuilder().withStart((start) => start(listener)).build();
      return new ServerInterceptingCall(call, responder);
    };
  }

  /** Who calls; rejects as the gate does. */
  async identify(call: Shown & { readonly metadata: Metadata }): Promise<Principal> {
    return (
      this.#principals.get(call.metadata) ?? (await this.#gate.identify(presentedBy(call, call.metadata)))
    );
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
