/** JSON-RPC 2.0 with the dialect's names of the methods, at one URL or at one for each. */
import type { Dialect } from "../../dialect.ts";
import type { HttpClient } from "../http.ts";
import { JsonRpcClient, type RpcRequest } from "../jsonrpc.ts";
import type { ToError } from "../vendor-fault.ts";
import { methodMissing, type Binding, type BoundCall } from "./binding.ts";

export interface JsonRpcBindingOptions {
  readonly dialect: Dialect;
  readonly http: HttpClient;
  readonly url: string;
  readonly newId: () => string;
  readonly toError: ToError;
  readonly urlOf?: ((url: string, method: string) => string) | undefined;
}

export class JsonRpcBinding implements Binding {
  readonly #dialect: Dialect;
  readonly #client: JsonRpcClient;
  readonly #urlOf: ((method: string) => string) | undefined;

  constructor({ dialect, urlOf, ...options }: JsonRpcBindingOptions) {
    this.#dialect = dialect;
    this.#urlOf = urlOf && ((method) => urlOf(options.url, method));
    this.#client = new JsonRpcClient(options);
  }

  async call(request: BoundCall): Promise<unknown> {
    return this.#client.call(this.#named(request));
  }

  stream(request: BoundCall): AsyncIterable<unknown> {
    return this.#client.stream(this.#named(request));
  }

  #named(request: BoundCall): RpcRequest {
    const { name, jsonrpc } = this.#dialect;
    const method = jsonrpc[request.method];
    if (method === undefined) throw methodMissing(name, request.method);
    return { ...request, method, url: this.#urlOf?.(method) };
  }
}
