/**
 * The floor of this proxy's own stack: koa towards clients, undici towards the vendor, every value parsed and written
 * anew, and nothing else: no adapter, no check, no task, no store. Arguments: the vendor's port. Prints its own.
 */
import { createServer, type ServerResponse } from "node:http";
import Koa from "koa";
import rawBody from "raw-body";
import { Pool } from "undici";
import { dispatch, readWhole, type Receive } from "../../src/southbound/dispatch.ts";
import { listen } from "../listen.ts";

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`);
const whole = readWhole(10_000_000);
const anew = (json: string): string => JSON.stringify(JSON.parse(json));

/** Every event of the vendor's, which has a `data:` line and a blank one, in a write of its own. */
function relayTo(response: ServerResponse): Receive<void> {
  const utf8 = new TextDecoder();
  let open = "";
  return ({ headers }) => {
    response.writeHead(200, { "content-type": String(headers["content-type"]) });
    const data = (chunk: Buffer): void => {
      const frames = (open + utf8.decode(chunk, { stream: true })).split("\n\n");
      open = frames.pop() ?? "";
      for (const frame of frames) response.write(`data: ${anew(frame.slice("data: ".length))}\n\n`);
    };
    const close = (): void => void response.end();
    return { answer: undefined, sink: { data, end: close, fail: close } };
  };
}

const app = new Koa();
app.use(async (ctx) => {
  const body = anew(await rawBody(ctx.req, { encoding: "utf8" }));
  const headers = { "content-type": "application/json", accept: ctx.get("Accept") };
  const request = { method: "POST", path: "/canonical", headers, body } as const;
  if (ctx.get("Accept") === "text/event-stream") {
    ctx.respond = false;
    await dispatch(pool, request, undefined, relayTo(ctx.res));
    return;
  }
  const answer = await dispatch(pool, request, undefined, whole);
  ctx.type = "application/json";
  ctx.body = anew(String(await answer.body));
});
listen(createServer(app.callback()));
