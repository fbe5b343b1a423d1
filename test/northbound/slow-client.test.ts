/** Clients that send a byte now and then. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { pino } from "pino";
import { createWebServer } from "../../src/northbound/web-server.ts";

const SHORT = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 };

test.each([
  ["headers", "POST / HTTP/1.1\r\nHost: a\r\nX-"],
  ["body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"],
])("a request whose %s never end is answered with 408, and cut off", async (_, begun) => {
  const server = await createWebServer({ maxConnections: 100 }, pino({ level: "silent" }), SHORT);
  server.on("request", (request) => void request.resume());
  let accepted: Socket | undefined;
  server.on("connection", (connection) => (accepted = connection));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  const socket = connect(address.port, "127.0.0.1");
  socket.write(begun);
  // Not after the server has cut the connection: such a write fails, and takes the answer along that is not read yet.
  const drip = setInterval(() => accepted?.destroyed || socket.write("a"), 10);
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
  // The drop that arrives once the server has cut the connection is answered with a reset.
  socket.on("error", () => {});
  try {
    await new Promise((resolve) => socket.once("close", resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  } finally {
    clearInterval(drip);
    socket.destroy();
    server.close();
  }
});
