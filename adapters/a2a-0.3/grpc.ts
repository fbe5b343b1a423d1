/**
 * The gRPC binding (A2A 0.3.0 §3.2.2, §11): the methods as RPCs of `a2a.v1.A2AService`. Its messages are handed over as
 * ProtoJSON, so that what comes back is read by the same functions as over HTTP+JSON. The server is the one that the
 * configuration names; the addresses on a card are not called.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import type { ProtoMessage } from "../../src/protocol/grpc-codec.ts";
import type { GrpcClient, GrpcRequest } from "../../src/southbound/grpc.ts";
import type { CallScope } from "../../src/southbound/http.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { compact } from "../shared/object.ts";
import { taskName, toCreatePushRequest, toSendRequest, withBlocking } from "./proto-json.ts";
import { AgentReader, type FileBytes } from "./reader.ts";
import { fileBytesOverGrpc } from "./sdk-signs.ts";
import type { Exchange, Request, Transport } from "./transport.ts";

export interface GrpcOptions {
  /** Gives the client, which is wanted with the first call. */
  readonly connect: () => GrpcClient;
  /** Gives the address that the card names for gRPC. */
  readonly named: () => string | undefined;
  readonly fileBytes: FileBytes | "auto";
}

export class GrpcTransport implements Transport {
  readonly #southbound: Pick<Southbound, "log" | "newId">;
  readonly #options: GrpcOptions;
  readonly #reader: AgentReader;

  constructor(southbound: Pick<Southbound, "log" | "newId">, options: GrpcOptions) {
    this.#southbound = southbound;
    this.#options = options;
    const { fileBytes } = options;
    const ask = (call: CallScope) => this.#askFileBytes(call);
    this.#reader = new AgentReader({ fileBytes, ask, log: southbound.log });
  }

  /** Resolves with the response as ProtoJSON; rejects with an A2AError. */
  async call({ call, headers, ...asked }: Exchange): Promise<unknown> {
    try {
      const request = toGrpcRequest(await this.#reader.prepared(asked, call));
      return this.#reader.read(await this.#options.connect().unary({ ...request, headers, call }));
    } catch (thrown) {
      throw isNoCard(asked, thrown) ? new A2AError("extended-card-not-configured") : this.#told(thrown);
    }
  }

  /** Yields each event as ProtoJSON; throws an A2AError at an error, before or in the stream. */
  stream({ call, headers, ...asked }: Exchange): AsyncIterable<unknown> {
    const events = opened(async () => {
      const request = toGrpcRequest(await this.#reader.prepared(asked, call));
      return this.#options.connect().stream({ ...request, headers, call });
    });
    return mapped(events, {
      value: (event) => [this.#reader.read(event)],
      fail: (thrown) => {
        throw this.#told(thrown);
      },
    });
  }

  async #askFileBytes(call: CallScope): Promise<FileBytes | undefined> {
    const message = { name: taskName(`no-such-task-${this.#southbound.newId()}`) };
    try {
      await this.#options.connect().unary({ rpc: "GetTask", message, call });
    } catch (thrown) {
      return fileBytesOverGrpc(thrown);
    }
    return undefined;
  }

  /** Where nothing answered, and the card names another address, the error names that too. */
  #told(thrown: unknown): unknown {
    if (!(thrown instanceof A2AError)) return thrown;
    const tried = thrown.data?.["address"];
    const named = this.#options.named();
    if (typeof tried !== "string" || named === undefined || hostOf(named) === hostOf(tried)) return thrown;
    const { code, message, data, cause } = thrown;
    const hint = `${message}; its card names ${named} for gRPC, which the option grpcUrl may name too, or grpcPort: card`;
    return new A2AError(code, { message: hint, data: { ...data, named }, cause });
  }
}

const hostOf = (address: string): string => address.replace(/^\w+:\/\//, "").replace(/\/+$/, "");

/** Unlike over HTTP, there is no other place where the card could be. */
const isNoCard = ({ method }: Request, thrown: unknown): boolean =>
  method === "agent/getAuthenticatedExtendedCard" &&
  thrown instanceof A2AError &&
  (thrown.code === "unsupported-operation" || thrown.code === "method-not-found");

function toGrpcRequest(request: Request): Pick<GrpcRequest, "rpc" | "message"> {
  const [rpc, message] = rpcOf(request);
  return { rpc, message };
}

/** The metadata of tasks/cancel and tasks/resubscribe has no place in their requests. */
function rpcOf(request: Request): readonly [rpc: string, message: ProtoMessage] {
  switch (request.method) {
    case "message/send":
      return ["SendMessage", toSendRequest(withBlocking(request.params))];
    case "message/stream":
      return ["SendStreamingMessage", toSendRequest(request.params)];
    case "tasks/get": {
      const { id, historyLength } = request.params;
      return ["GetTask", compact({ name: taskName(id), historyLength })];
    }
    case "tasks/cancel":
      return ["CancelTask", { name: taskName(request.params.id) }];
    case "tasks/resubscribe":
      return ["TaskSubscription", { name: taskName(request.params.id) }];
    case "tasks/pushNotificationConfig/set":
      return ["CreateTaskPushNotificationConfig", toCreatePushRequest(request.params)];
    case "tasks/pushNotificationConfig/delete": {
      const { id, pushNotificationConfigId } = request.params;
      const name = `${taskName(id)}/pushNotificationConfigs/${pushNotificationConfigId}`;
      return ["DeleteTaskPushNotificationConfig", { name }];
    }
    case "agent/getAuthenticatedExtendedCard":
      return ["GetAgentCard", {}];
    default:
      return request satisfies never;
  }
}
