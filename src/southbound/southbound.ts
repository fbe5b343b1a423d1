/** What an adapter is given to reach its vendor. All I/O, time and randomness come from here. */
import type { Logger } from "pino";
import type { GrpcService } from "../protocol/grpc-codec.ts";
import type { GrpcClient } from "./grpc.ts";
import type { HttpClient } from "./http.ts";

/** Where the vendor's card is, in the order to try. */
export interface CardSource {
  /** Absolute URLs; the first that answers with a card wins. */
  readonly urls: readonly string[];
  /** A card written into the configuration; then nothing is fetched. */
  readonly inline?: Readonly<Record<string, unknown>> | undefined;
}

export interface Southbound {
  /** The agent's name in the configuration. */
  readonly agent: string;
  /** What JSON-RPC is posted to: the operator's, whatever a card says. */
  readonly url: string;
  /** The operator's URL was that of a gRPC server; `url` is its host and port. */
  readonly isGrpc?: boolean | undefined;
  /** Fetches the card as the vendor serves it, not yet translated. Retries; rejects with an A2AError. */
  fetchCard(signal: AbortSignal): Promise<unknown>;
  /**
   * Rejects with an A2AError where the configuration wants this agent's cards signed and this one, as the vendor serves
   * it, is not, or not rightly. For cards that `fetchCard` has not fetched; absent where nothing is to be checked.
   */
  readonly verifyCard?: ((card: unknown) => Promise<void>) | undefined;
  readonly http: HttpClient;
  /**
   * The client of the agent's gRPC server, which is sent the credentials; absent where there is HTTP alone.
   * @param address the operator's, never one that a card says: `host:port`, after `grpc://` or `grpcs://` (else TLS as
   * `url` has it). Without it, host and port of `url`.
   * @param service A2A 0.3.0's, if absent
   */
  readonly grpc?: ((address?: string, service?: GrpcService) => GrpcClient) | undefined;
  readonly log: Logger;
  /** Random, URL-safe, unique. */
  newId(): string;
}
