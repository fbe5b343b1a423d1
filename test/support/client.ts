/** A JSON-RPC client that hides nothing: what was answered, event by event. */
import { createParser } from "eventsource-parser";

export interface RpcAnswer {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data?: Record<string, unknown> };
}

let nextId = 0;

export async function post(url: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...init,
  });
}

/** One method with one answer. */
export async function rpc(url: string, method: string, params: unknown): Promise<RpcAnswer> {
  const response = await post(url, { jsonrpc: "2.0", id: ++nextId, method, params });
  return (await response.json()) as RpcAnswer;
}

/** The events of a stream as they arrive; an answer that is no stream is a single one. */
export async function* rpcStream(
  url: string,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): AsyncGenerator<RpcAnswer, void, void> {
  const response = await post(
    url,
    { jsonrpc: "2.0", id: ++nextId, method, params },
    signal ? { signal } : {},
  );
  if (!response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) {
    yield (await response.json()) as RpcAnswer;
    return;
  }
  const events: RpcAnswer[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as RpcAnswer) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
}

/** Every `result` of a stream; an error in it rejects. */
export async function streamResults(url: string, method: string, params: unknown): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const { result, error } of rpcStream(url, method, params)) {
    if (error) throw new Error(`${error.code} ${error.message} ${JSON.stringify(error.data)}`);
    results.push(result);
  }
  return results;
}

export const userMessage = (text: string, more: Record<string, unknown> = {}) => ({
  message: {
    kind: "message",
    messageId: `message-${++nextId}`,
    role: "user",
    parts: [{ kind: "text", text }],
    ...more,
  },
});
