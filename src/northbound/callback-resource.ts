/**
 * `/callbacks/{agent}/{secret}`: where vendors push. They have no credentials of the proxy's callers; the secret in the
 * path, and the token where one is shown, are what lets them in.
 */
import { A2AError } from "../protocol/errors.ts";
import type { Callback } from "../gateway/push/callbacks.ts";
import { resource, sendFault, type Context } from "./http.ts";

const TOKEN_HEADER = "X-A2A-Notification-Token";
const MAX_VALIDATION_TOKEN = 1_000;

/** @param limit of the body, bytes */
async function notified(ctx: Context, callback: Callback, limit: number): Promise<void> {
  const token = ctx.get(TOKEN_HEADER);
  if (token !== "" && !callback.accepts(token)) {
    return sendFault(ctx, 401, "unauthenticated", `The ${TOKEN_HEADER} is not the one of this callback`);
  }
  await drain(ctx, limit);
  callback.ring();
  ctx.status = 200;
  ctx.body = "";
}

/** The body says nothing that the vendor does not say when it is asked. */
async function drain({ req }: Context, limit: number): Promise<void> {
  let size = 0;
  const chunks: AsyncIterable<Buffer> = req.iterator({ destroyOnReturn: false });
  for await (const { length } of chunks) {
    size += length;
    if (size <= limit) continue;
    // The rest is dropped unread, so that the vendor gets to read the answer.
    req.resume();
    throw new A2AError("request-too-large", { data: { limit } });
  }
}

/** A2A 0.1 agents ask a webhook to repeat a token, to see that it is its owner who has set it. */
function validated(ctx: Context): void {
  const { validationToken } = ctx.query;
  if (typeof validationToken !== "string" || validationToken.length > MAX_VALIDATION_TOKEN) {
    return sendFault(ctx, 400, "invalid-request", "validationToken is missing, repeated or too long");
  }
  ctx.set("Cache-Control", "no-store");
  ctx.type = "text/plain";
  ctx.body = validationToken;
}

export const serveCallback = resource<[Callback, number]>({ GET: validated, POST: notified });
