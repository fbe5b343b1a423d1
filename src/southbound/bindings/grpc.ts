/** gRPC: the dialect's service, whose RPCs have the names of the methods over JSON-RPC, with messages as ProtoJSON. */
import type { Dialect } from "../../dialect.ts";
import type { GrpcClient } from "../grpc.ts";
import { methodMissing, type Binding, type BoundCall } from "./binding.ts";

export class GrpcBinding implements Binding {
  readonly #dialect: Dialect;
  readonly #connect: () => GrpcClient;

  /** @param connect gives the client for the next call, which changes when certificates do */
  constructor(dialect: Dialect, connect: () => GrpcClient) {
    this.#dialect = dialect;
    this.#connect = connect;
  }

  async call(request: BoundCall): Promise<unknown> {
    return this.#connect().unary(this.#requestFor(request));
  }

  stream(request: BoundCall): AsyncIterable<unknown> {
    return this.#connect().stream(this.#requestFor(request));
  }

  #requestFor({ method, params, headers, call }: BoundCall) {
    const rpc = this.#dialect.jsonrpc[method];
    if (rpc === undefined) throw methodMissing(this.#dialect.name, method);
    return { rpc, message: { ...params }, headers, call };
  }
}
