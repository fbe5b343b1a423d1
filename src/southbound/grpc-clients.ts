/** An agent's gRPC clients: one for each service and address, and a new one when the certificates have changed. */
import type { GrpcService } from "../protocol/grpc-codec.ts";
import type { ClosableGrpcClient } from "./grpc-client.ts";
import { NO_IDENTITY, type TlsIdentity } from "./tls.ts";

/** Which server an agent has; both are the usual ones if absent. */
export interface GrpcPlace {
  readonly address?: string | undefined;
  readonly service?: GrpcService | undefined;
}

type Connect = (place: GrpcPlace, identity: TlsIdentity) => ClosableGrpcClient;

interface Known {
  readonly identity: TlsIdentity;
  readonly client: ClosableGrpcClient;
}

export class GrpcClients {
  readonly #connect: Connect;
  readonly #known = new Map<string, Known>();
  readonly #all = new Set<ClosableGrpcClient>();

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** The client to make the next call with; calls that are under way keep theirs. */
  at(place: GrpcPlace, identity = NO_IDENTITY): ClosableGrpcClient {
    const key = `${place.service?.name ?? ""} ${place.address ?? ""}`;
    const known = this.#known.get(key);
    if (known?.identity === identity) return known.client;
    const client = this.#connect(place, identity);
    this.#known.set(key, { identity, client });
    this.#all.add(client);
    known?.client.retire(() => this.#all.delete(known.client));
    return client;
  }

  /** Breaks what is still open. */
  close(): void {
    for (const client of this.#all) client.close();
  }
}
