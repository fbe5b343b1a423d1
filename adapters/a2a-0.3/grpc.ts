/**
 * The gRPC binding (A2A 0.3.0 §3.2.2, §11): the methods as RPCs of `a2a.v1.A2AService`. Its messages are handed over as
 * ProtoJSON, so that what comes back is read by the same functions as over HTTP+JSON. The server is the one that the
 * configuration names; the addresses on a card are not called.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import type { ProtoMessage } from "../../src/protocol/grpc-codec.ts";
import type { GrpcClient, GrpcRequest } from "../../src/southbound/grpc.ts";
import { mapped } from "../../src/southbound/values.ts";
import { compact } from "../shared/object.ts";
import { taskName, toCreatePushRequest, toSendRequest, withBlocking, withPlainBytes } from "./proto-json.ts";
import type { Exchange, Request, Transport } from "./transport.ts";

export class GrpcTransport implements Transport {
  readonly #connect: () => GrpcClient;
  readonly #named: () => string | undefined;

  /**
   * @param connect gives the client, which is wanted with the first call
   * @param named gives the address that the card names for gRPC
   */
  constructor(connect: () => GrpcClient, named: () => string | undefined) {
    this.#connect = connect;
    this.#named = named;
  }

  /** Resolves with the response as ProtoJSON; rejects with an A2AError. */
  async call(exchange: Exchange): Promise<unknown> {
    try {
      return withPlainBytes(await this.#connect().unary(toGrpcRequest(exchange)));
    } catch (thrown) {
      throw isNoCard(exchange, thrown) ? new A2AError("extended-card-not-configured") : this.#told(thrown);
    }
  }

  /** Yields each event as ProtoJSON; throws an A2AError at an error, before or in the stream. */
  stream(exchange: Exchange): AsyncIterable<unknown> {
    const events = this.#connect().stream(toGrpcRequest(exchange));
    return mapped(events, {
      value: (event) => [withPlainBytes(event)],
      fail: (thrown) => {
        throw this.#told(thrown);
      },
    });
  }

  /** Where nothing answered, and the card names another address, the error names that too. */
  #told(thrown: unknown): unknown {
    if (!(thrown instanceof A2AError)) return thrown;
    const tried = thrown.data?.["address"];
    const named = this.#named();
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

function toGrpcRequest({ signal, headers, ...asked }: Exchange): GrpcRequest {
  const [rpc, message] = rpcOf(asked);
  return { rpc, message, headers, signal };
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
