/** A bare node:http pipe to the vendor: what Node itself costs. Arguments: the vendor's port. Prints its own. */
import { Agent, createServer, request } from "node:http";
import { listen } from "../listen.ts";

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const upstream = request({ agent, port, host: "127.0.0.1", method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on("error", () => outgoing.destroy());
  outgoing.on("close", () => upstream.destroy());
  incoming.pipe(upstream);
});
listen(server);
