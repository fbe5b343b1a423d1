/** One TCP port that hands its connections to the gRPC library, which cannot limit how many there are. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { Server as GrpcLibrary, ServerCredentials } from "@grpc/grpc-js";
import { errnoOf } from "../config/errno.ts";
import { limitConnections, type ConnectionLimit } from "./connection-limit.ts";

interface Place {
  /** Where the port stands in the configuration. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
}

export class GrpcListener {
  readonly #server = createServer({ noDelay: true });
  readonly #sockets = new Set<Socket>();

  constructor(library: GrpcLibrary, credentials: ServerCredentials, limit: Omit<ConnectionLimit, "what">) {
    const injector = library.createConnectionInjector(credentials);
    limitConnections(this.#server, { ...limit, what: "gRPC connections" });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      // Whoever breaks off tells nobody but the session.
      socket.on("error", () => {});
      injector.injectConnection(socket);
    });
  }

  /** Resolves with the port; rejects with an Error that names the place. */
  async listen({ key, host, port }: Place): Promise<number> {
    try {
      this.#server.listen(port, host);
      await once(this.#server, "listening");
    } catch (cause) {
      throw new Error(`${key}: ${refusal(`${hostPart(host)}:${port}`, cause)}`, { cause });
    }
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error(`${key}: is no TCP port`);
    return address.port;
  }

  /** Takes no more connections; resolves when those that are open have been closed. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  /** Breaks off those that are open, too. */
  close(): void {
    void this.stop();
    for (const socket of this.#sockets) socket.destroy();
  }
}

const hostPart = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);

function refusal(address: string, cause: unknown): string {
  const errno = errnoOf(cause);
  if (errno === "EADDRINUSE") return `${address} is already in use`;
  return `cannot listen on ${address} (${errno ?? "unknown reason"})`;
}
