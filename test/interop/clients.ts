/** What clients made with other SDKs see of agents behind the proxy, whatever these speak. */
import { createServer } from "node:net";
import { once } from "node:events";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { startSdkServer } from "../e2e/sdk-servers.ts";
import { startSdk10Server } from "../e2e/sdk10-server.ts";
import { LOOPBACK_PUSH } from "../push/webhook.ts";
import { SERVER_WITH_GRPC, startTestProxy } from "../support/proxy.ts";
import { runClient, type Command, type Ready } from "./peer.ts";

const TEXT = '北京 wörld 🎉👩‍👩‍👧 \t"quotes" \\ back \u2028line\u2029 \u0085end';
const ANSWER = `You said "${TEXT}": one, two.`;
const BYTES = Buffer.from([0x80, 0x81, 0x82, 0, 1, 2, 255]).toString("base64");

const Raised = z.object({ raised: z.string() });
const Seen = z.looseObject({ state: z.string(), text: z.string() });
const Said = z.record(z.string(), z.union([z.string(), Raised, Seen]));
type Said = z.infer<typeof Said>;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("not listening on TCP");
  return address.port;
}

/** Agents of 0.3 and of 1.0 behind one proxy at a port that its cards can name. */
export async function startAgents() {
  const [old, current] = [await startSdkServer("0.3.14"), await startSdk10Server("JSONRPC")];
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const more = { grpc: { port: 0 }, clientSdk: "python" };
  const proxy = await startTestProxy(
    {
      "a2a-0-3": { adapter: "a2a-0.3", url: old.url, ...more },
      "a2a-1-0": { adapter: "a2a-1.0", url: current.url, ...more },
    },
    { server: { ...SERVER_WITH_GRPC, port, publicUrl }, push: LOOPBACK_PUSH },
  );
  return {
    agent: (name: string) => proxy.agent(name),
    stop: async () => {
      await proxy.stop();
      await old.stop();
      await current.stop();
    },
  };
}

type Agents = Awaited<ReturnType<typeof startAgents>>;

export interface ClientRow {
  readonly transport: "JSONRPC" | "HTTP+JSON" | "GRPC";
  readonly agent: string;
  /** Below the agent's URL: `a2a-1.0/` speaks 1.0 alone. */
  readonly base?: string;
  /** What this client cannot do itself, with the reason. */
  readonly cannot?: Readonly<Record<string, string>>;
}

/** In front of an agent of 0.3 and one of 1.0. */
export const rowsOfClient = (
  transports: readonly ClientRow["transport"][],
  { base = "", cannot = {} }: Pick<ClientRow, "base" | "cannot"> = {},
): ClientRow[] =>
  transports.flatMap((transport) =>
    ["a2a-0-3", "a2a-1-0"].map((agent) => ({ transport, agent, base, cannot })),
  );

const TESTS: Readonly<Record<string, (said: Said) => void>> = {
  card: ({ card }) => expect(card).toMatch(/^SDK /),
  send: ({ send }) => expect(send).toMatchObject({ state: "completed", text: ANSWER }),
  stream: ({ stream }) => expect(stream).toMatchObject({ state: "completed", text: ANSWER }),
  get: ({ get }) => expect(get).toMatchObject({ state: "completed", text: ANSWER }),
  followUp: ({ followUp }) =>
    expect(followUp).toMatchObject({ asked: "input-required", same: true, state: "completed", text: ANSWER }),
  cancel: ({ cancel }) =>
    expect(cancel).toMatchObject({ answer: "canceled", state: "canceled", text: 'You said "slow": ' }),
  resubscribe: ({ resubscribe }) =>
    expect(resubscribe).toMatchObject({ answer: "canceled", state: "canceled", text: 'You said "slow": ' }),
  error: ({ error }) => expect(error).toMatchObject({ state: "failed" }),
  "unknown task": ({ unknown }) =>
    expect(unknown).toMatchObject({ raised: expect.stringMatching(/not.?found|404/i) }),
  push: ({ push }) =>
    expect(push).toMatchObject({ state: "completed", text: ANSWER, same: true, token: "secret" }),
  files: ({ files }) => expect(files).toMatchObject({ state: "completed", files: [BYTES] }),
};

/** @param command what runs the client; it is given the URL of the agent, the transport, a text and a file */
export function describeClients(
  peer: string,
  command: Ready<Command>,
  { rows, agents }: { rows: readonly ClientRow[]; agents: Agents },
): void {
  const { peer: program, skipped } = command;
  if (program === undefined) {
    test.skip.each(rows)(`${peer} as client over $transport of $agent: ${skipped}`, () => {});
    return;
  }
  describe.each(rows)(
    `${peer} as client over $transport of $agent/$base`,
    ({ agent, transport, base = "", cannot = {} }) => {
      let said: Said = {};
      beforeAll(async () => {
        said = Said.parse(await runClient([...program, agents.agent(agent) + base, transport, TEXT, BYTES]));
      }, 120_000);

      for (const [name, check] of Object.entries(TESTS)) {
        const reason = cannot[name];
        if (reason === undefined) test(name, () => check(said));
        else test.skip(`${name}: ${reason}`, () => {});
      }
    },
  );
}
