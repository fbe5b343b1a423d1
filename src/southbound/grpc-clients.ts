/** An agent's gRPC clients: one for each address, and a new one when the certificates have changed. */
import type { ClosableGrpcClient } from "./grpc-client.ts";
import { NO_IDENTITY, type TlsIdentity } from "./tls.ts";

type Connect = (address: string | undefined, identity: TlsIdentity) => ClosableGrpcClient;

interface Known {
  readonly identity: TlsIdentity;
  readonly client: ClosableGrpcClient;
}

export class GrpcClients {
  readonly #connect: Connect;
  readonly #known = new Map<string | undefined, Known>();
  readonly #all = new Set<ClosableGrpcClient>();

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** The client to make the next call with; calls that are under way keep theirs. */
  at(address: string | undefined, identity = NO_IDENTITY): ClosableGrpcClient {
    const known = this.#known.get(address);
    if (known?.identity === identity) return known.client;
    const client = this.#connect(address, identity);
    this.#known.set(address, { identity, client });
    this.#all.add(client);
    known?.client.retire(() => this.#all.delete(known.client));
    return client;
  }

  /** Breaks what is still open. */
  close(): void {
    for (const client of this.#all) client.close();
  }
}
