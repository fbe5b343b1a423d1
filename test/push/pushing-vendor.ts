/** A loopback vendor of each dialect that can push: it answers at once that it works, and tells later how that went. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields => ({ ...(value as Fields | undefined) });

interface Rpc {
  readonly id: unknown;
  readonly method: string;
  readonly params: Fields;
}

interface Wire {
  readonly send: string;
  readonly get: string;
  readonly set: string;
  /** Absent where the dialect cannot delete one. */
  readonly delete?: string;
  /** The push configuration that went along with a message. */
  enclosed(params: Fields): unknown;
  /** Where its params have the push configuration. */
  readonly config: string;
  readonly capabilities: Fields;
  readonly more: Fields;
  task(id: unknown, state: string, text: string): Fields;
  /** What is posted to a webhook. */
  notification(id: unknown, state: string, text: string): Fields;
}

const task03 = (id: unknown, state: string, text: string): Fields => ({
  kind: "task",
  id,
  contextId: "c-1",
  status: { state },
  artifacts: text === "" ? [] : [{ artifactId: "a-1", parts: [{ kind: "text", text }] }],
});

const task01 = (id: unknown, state: string, text: string): Fields => ({
  id,
  sessionId: "c-1",
  status: { state },
  artifacts: text === "" ? null : [{ index: 0, parts: [{ type: "text", text }] }],
});

const WIRES: Readonly<Record<"a2a-0.3" | "a2a-0.1" | "a2a-snake", Wire>> = {
  "a2a-0.3": {
    send: "message/send",
    get: "tasks/get",
    set: "tasks/pushNotificationConfig/set",
    delete: "tasks/pushNotificationConfig/delete",
    enclosed: ({ configuration }) => fieldsOf(configuration)["pushNotificationConfig"],
    config: "pushNotificationConfig",
    capabilities: { streaming: false, pushNotifications: true },
    more: { protocolVersion: "0.3.0" },
    task: task03,
    notification: task03,
  },
  "a2a-0.1": {
    send: "tasks/send",
    get: "tasks/get",
    set: "tasks/pushNotification/set",
    enclosed: ({ pushNotification }) => pushNotification,
    config: "pushNotificationConfig",
    capabilities: { streaming: false, pushNotifications: true },
    more: {},
    task: task01,
    notification: task01,
  },
  "a2a-snake": {
    send: "a2a.sendMessage",
    get: "a2a.getTask",
    set: "a2a.createTaskPushNotificationConfig",
    delete: "a2a.deleteTaskPushNotificationConfig",
    enclosed: ({ configuration }) => fieldsOf(configuration)["push_notification_config"],
    config: "push_notification_config",
    capabilities: { streaming: false, push_notifications: true },
    more: {},
    task: (id, state, text) => ({
      id,
      context_id: "c-1",
      status: { state },
      artifacts: text === "" ? [] : [{ artifact_id: "a-1", parts: [{ text }] }],
    }),
    notification: (id, state) => ({ statusUpdate: { task_id: id, status: { state } } }),
  },
};

export type Dialect = keyof typeof WIRES;

export interface Hook {
  readonly id?: string;
  readonly url: string;
  readonly token: string;
}

export interface PushingVendor {
  readonly url: string;
  readonly wire: Wire;
  /** The methods it was asked for, in order. */
  readonly asked: string[];
  /** The webhooks that were set, in order. */
  readonly hooks: Hook[];
  /** The params that webhooks were deleted by. */
  readonly deleted: Fields[];
  /** What the task has come to; nobody is told. */
  become(state: string, text?: string): void;
  /** The body of a notification. */
  notification(): string;
  stop(): Promise<void>;
}

export interface PushingOptions {
  /** `message/stream` breaks after its first event. */
  readonly breaks?: boolean;
  /** Refuses webhooks with this error. */
  readonly refuses?: { readonly code: number; message(hook: Hook): string };
  /** Refuses messages, with whatever came along with them. */
  readonly echoes?: boolean;
  /** Takes webhooks only along with a message, and no message without one. */
  readonly onlyEnclosed?: boolean;
  /** How a webhook is deleted; as it should be where absent. */
  readonly deletes?: "refuse" | "hang";
  /** What happens while a message is answered with what was true before. */
  readonly beforeAnswer?: () => Promise<void>;
  /** Before a webhook is accepted. */
  readonly verify?: (hook: { readonly url: string }) => Promise<void>;
}

export async function startPushingVendor(
  dialect: Dialect,
  {
    breaks = false,
    refuses,
    onlyEnclosed = false,
    beforeAnswer,
    deletes,
    echoes = false,
    verify,
  }: PushingOptions = {},
): Promise<PushingVendor> {
  const wire = WIRES[dialect];
  const asked: string[] = [];
  const hooks: Hook[] = [];
  const deleted: Fields[] = [];
  let now = { state: "working", text: "" };
  let id: unknown = "v-1";

  async function answer({ method, params }: Rpc): Promise<Fields> {
    const { state, text } = now;
    if (method === wire.send) {
      const enclosed = wire.enclosed(params) as Hook | undefined;
      if (enclosed) hooks.push(enclosed);
      else if (onlyEnclosed) return { error: { code: -32602, message: "A push URL is required" } };
      if (echoes) return { error: { code: -32602, message: `No: ${JSON.stringify(params)}`, data: params } };
      await beforeAnswer?.();
    }
    if (method === wire.send || method === wire.get) {
      id = params["id"] ?? id;
      return { result: wire.task(id, state, text) };
    }
    if (method === wire.delete) {
      if (deletes === "hang") return new Promise(() => {});
      if (deletes === "refuse")
        return { error: { code: -32603, message: `I keep ${JSON.stringify(hooks)}` } };
      deleted.push(params);
      return { result: null };
    }
    if (method !== wire.set || onlyEnclosed) return { error: { code: -32601, message: "Method not found" } };
    const hook = params[wire.config] as Hook;
    if (refuses) return { error: { code: refuses.code, message: refuses.message(hook) } };
    await verify?.(hook);
    hooks.push(hook);
    return { result: params };
  }

  const reply = async (rpc: Rpc, response: ServerResponse): Promise<void> => {
    asked.push(rpc.method);
    if (rpc.method === "message/stream" && breaks) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = { jsonrpc: "2.0", id: rpc.id, result: wire.task(id, "working", "") };
      response.write(`data: ${JSON.stringify(event)}\n\n`, () => setImmediate(() => response.destroy()));
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: rpc.id, ...(await answer(rpc)) }));
  };
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      void json(request).then((rpc) => reply(rpc as Rpc, response));
      return;
    }
    const capabilities = { ...wire.capabilities, ...(breaks && { streaming: true }) };
    const card = { name: "Pusher", version: "1", skills: [], url: "http://vendor.test", ...wire.more };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ ...card, capabilities }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    wire,
    asked,
    hooks,
    deleted,
    become: (state, text = "") => (now = { state, text }),
    notification: () => JSON.stringify(wire.notification(id, now.state, now.text)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
