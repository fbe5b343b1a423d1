import type { Server } from "node:net";

/** Listens on the loopback interface, on a free port, and prints it for whoever has started the program. */
export function listen(server: Server): void {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") console.log(address.port);
  });
}
