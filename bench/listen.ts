import type { Server } from "node:net";

/** Listens on the loopback interface, on a free port where none is given, and prints it for who has started the program. */
export function listen(server: Server, port = 0): void {
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") console.log(address.port);
  });
}
