/** JSON-RPC 2.0: one URL, the dialect's names of the methods. */
import type { Dialect } from "../../dialect.ts";
import type { HttpClient } from "../http.ts";
import { JsonRpcClient } from "../jsonrpc.ts";
import type { ToError } from "../vendor-fault.ts";
import { methodMissing, type Binding, type BoundCall } from "./binding.ts";

export interface JsonRpcBindingOptions {
  readonly dialect: Dialect;
  readonly http: HttpClient;
  readonly url: string;
  readonly newId: () => string;
  readonly toError: ToError;
}

export class JsonRpcBinding implements Binding {
  readonly #dialect: Dialect;
  readonly #client: JsonRpcClient;

  constructor({ dialect, ...options }: JsonRpcBindingOptions) {
    this.#dialect = dialect;
    this.#client = new JsonRpcClient(options);
  }

  async call(request: BoundCall): Promise<unknown> {
    return this.#client.call({ ...request, method: this.#nameOf(request) });
  }

  stream(request: BoundCall): AsyncIterable<unknown> {
    return this.#client.stream({ ...request, method: this.#nameOf(request) });
  }

  #nameOf({ method }: BoundCall): string {
    const { name, jsonrpc } = this.#dialect;
    const wireName = jsonrpc[method];
    if (wireName === undefined) throw methodMissing(name, method);
    return wireName;
  }
}
