/** What a client can do over any transport, with answers as canonical 0.3.0 objects, so that they can be compared. */
import type { PushNotificationConfig, MessageSendParams } from "../../../src/protocol/params.ts";

export const TRANSPORTS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** An event of a stream; `id` is what the client comes back with, where the transport has such ids. */
export interface Received {
  readonly id: string | undefined;
  readonly event: unknown;
}

/** `return` closes the connection. */
export type Events = AsyncGenerator<Received, void, void>;

/** Every call rejects with Refused where the proxy answers with an error. */
export interface TransportClient {
  send(params: MessageSendParams): Promise<unknown>;
  stream(params: MessageSendParams): Events;
  get(id: string, historyLength?: number): Promise<unknown>;
  cancel(id: string): Promise<unknown>;
  resubscribe(id: string, lastEventId?: string): Events;
  /** Absent where the transport cannot list tasks. */
  list?(): Promise<unknown[]>;
  setPush(taskId: string, config: PushNotificationConfig): Promise<unknown>;
  getPush(taskId: string, configId: string): Promise<unknown>;
  listPush(taskId: string): Promise<unknown>;
  deletePush(taskId: string, configId: string): Promise<void>;
  extendedCard(): Promise<unknown>;
  /** Calls what does not exist. */
  callUnknown(): Promise<unknown>;
  /** Sends what cannot be read. */
  sendMalformed(): Promise<unknown>;
  close(): void;
}

export interface Target {
  readonly agent: string;
  /** Shown as an API key; none where absent. */
  readonly key: string | undefined;
}

/** An error of A2A as the transport says it. */
export class Refused extends Error {
  /** Of HTTP or gRPC. */
  readonly status: number;
  readonly code: number | undefined;
  readonly data: unknown;

  constructor(status: number, { code, message, data }: { code?: number; message: string; data?: unknown }) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}
