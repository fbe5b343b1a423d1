/** What `check` finds out by asking an agent for a task that does not exist. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { adapters } from "../../adapters/index.ts";
import { startVendors } from "../../src/demo/vendors.ts";
import { CARD as GRPC_CARD, startGrpcAgent } from "../adapters/a2a-0.3/grpc-agent.ts";
import { createWorld, withFile, withServer } from "./support.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans.",
  version: "1",
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../fixtures/auto", name), "utf8"));

const Asked = z.looseObject({ method: z.string() });

/** Answers a POST; the card is served for every GET. */
const agent =
  (
    card: object,
    answer: (method: string, request: IncomingMessage, response: ServerResponse) => void,
  ): RequestListener =>
  (request, response) => {
    response.setHeader("content-type", "application/json");
    const url = `http://${request.headers.host}/`;
    if (request.method === "GET") response.end(JSON.stringify({ url, ...card }));
    else void json(request).then((body) => answer(Asked.parse(body).method, request, response));
  };

const rpcError = (response: ServerResponse, code: number, message = `error ${code}`): void => {
  response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message } }));
};

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string[];
}

/** `check` with one agent, whose lines of errors and warnings are told without the common beginning. */
async function check(configured: object, ...flags: string[]): Promise<Outcome> {
  const world = createWorld({ adapters });
  // Nothing of what a proxy that was started here has kept beside its store.
  const config = JSON.stringify({ store: { path: ":memory:" }, agents: { planner: configured } });
  const code = await withFile(config, (file) => world.run("check", "--config", file, ...flags));
  const err = world.err.text.split("\n").filter((line) => line !== "");
  return { code, out: world.out.text, err: err.map((line) => line.replace("agents.planner: ", "")) };
}

describe("a wrong adapter is a fault", () => {
  let vendors: Awaited<ReturnType<typeof startVendors>>;
  beforeEach(async () => {
    vendors = await startVendors(0);
  });
  afterEach(() => vendors.stop());

  test.each([
    ["a2a-0.3", "/snake", "the methods of a2a-snake"],
    ["a2a-0.1", "/snake", "the methods of a2a-snake"],
    ["a2a-snake", "/canonical", "the methods of a2a-0.3 or a2a-0.1"],
    ["a2a-snake", "/legacy", "the methods of a2a-0.3 or a2a-0.1"],
  ])("%s in front of the demo vendor %s", async (adapter, path, served) => {
    const { code, err } = await check({ adapter, url: vendors.url + path });
    expect(err).toContain(
      `error A probe shows that the agent serves ${served}, not those of ${adapter}; configured is \`adapter: ${adapter}\``,
    );
    expect(code).toBe(1);
  });

  test.each([
    ["a2a-0.3", "/legacy", "a2a-0.1: its card has authentication and no protocolVersion"],
    ["a2a-0.1", "/canonical", "a2a-0.3: its card says protocolVersion 0.3.0"],
  ])(
    "%s in front of the demo vendor %s, which only its card tells, is a warning",
    async (adapter, path, why) => {
      const { code, err } = await check({ adapter, url: vendors.url + path });
      expect(err.filter((line) => !line.includes("the card names"))).toEqual([
        `warning The agent may speak ${why}; configured is \`adapter: ${adapter}\``,
      ]);
      expect(code).toBe(0);
    },
  );

  test.each([
    ["a2a-0.3", "/canonical"],
    ["a2a-0.1", "/legacy"],
    ["a2a-snake", "/snake"],
    ["appbuilder", "/v2/a2a/demo-app"],
    ["auto", "/legacy"],
  ])("which %s in front of the demo vendor %s is not", async (adapter, path) => {
    const credentials = { type: "bearer", token: "demo-key" };
    const { code, err } = await check({ adapter, url: vendors.url + path, credentials });
    expect(err.filter((line) => line.startsWith("error"))).toEqual([]);
    expect(code).toBe(0);
  });
});

describe("an agent whose card offers A2A 1.0 alone", () => {
  const card = z.looseObject({}).parse(recorded("a2a-sdk-1.3.0-without-0.3/card.json"));

  test("is a fault where it does not know the methods of 0.3", async () => {
    const listener = agent(card, (method, _request, response) =>
      rpcError(response, method === "GetTask" ? -32001 : -32601),
    );
    await withServer(listener, async (url) => {
      expect(await check({ adapter: "a2a-0.3", url })).toMatchObject({
        code: 1,
        err: [
          "error A probe shows that the agent serves the methods of a2a-1.0, not those of a2a-0.3; configured is `adapter: a2a-0.3`",
        ],
      });
    });
  });

  test("is none where it does", async () => {
    const listener = agent(card, (method, _request, response) =>
      rpcError(response, method === "tasks/get" ? -32001 : -32601),
    );
    await withServer(listener, async (url) => {
      expect(await check({ adapter: "a2a-0.3", url })).toMatchObject({ code: 0, err: [] });
    });
  });
});

describe("credentials that the agent refuses are a fault", () => {
  test.each([
    [401, { type: "bearer", token: "wrong-key" }, "the agent refuses the credentials"],
    [403, { type: "bearer", token: "wrong-key" }, "the agent refuses the credentials"],
    [401, { type: "none" }, "the agent asks for credentials, and none are configured"],
  ])("HTTP %i with credentials %j", async (status, credentials, words) => {
    const listener = agent(CARD, (_method, _request, response) => {
      response.writeHead(status).end('{"error":"invalid_token"}');
    });
    await withServer(listener, async (url) => {
      for (const adapter of ["a2a-0.3", "auto"]) {
        const { code, err } = await check({ adapter, url, credentials });
        expect(err).toEqual([expect.stringContaining(`error ${words}: `)]);
        expect(code).toBe(1);
      }
    });
  });

  test("save with --offline, which asks nobody", async () => {
    let asked = 0;
    const listener: RequestListener = (_request, response) => {
      asked += 1;
      response.writeHead(401).end();
    };
    await withServer(listener, async (url) => {
      expect(await check({ adapter: "a2a-0.3", url }, "--offline")).toMatchObject({ code: 0, err: [] });
    });
    expect(asked).toBe(0);
  });
});

describe("where calls do not arrive", () => {
  test("a url at which nothing answers is a fault", async () => {
    const listener = agent(
      CARD,
      (_method, _request, response) => void response.writeHead(404).end("Not Found"),
    );
    await withServer(listener, async (url) => {
      const { code, err } = await check({ adapter: "a2a-0.3", url });
      expect(err).toEqual([expect.stringContaining("error nothing answers calls at `url`: ")]);
      expect(code).toBe(1);
    });
  });

  test("methods at paths of their own are told with the option that finds them", async () => {
    const card = z.looseObject({}).parse(recorded("python-a2a-0.5.9/card.json"));
    const listener = agent(card, (_method, request, response) => {
      const isThere = request.url === "/tasks/get";
      response.statusCode = isThere ? 404 : 500;
      if (isThere) rpcError(response, -32000, "Task not found: x");
      else response.end(JSON.stringify({ parts: [], role: "agent" }));
    });
    await withServer(listener, async (url) => {
      const { code, err } = await check({ adapter: "a2a-0.1", url });
      expect(err.at(-1)).toBe(
        "error A probe shows that the agent serves each method at a path: a2a-0.1 with `endpoint: per-method`; " +
          "configured is `adapter: a2a-0.1`",
      );
      expect(code).toBe(1);
      const options = { endpoint: "per-method" };
      expect(await check({ adapter: "a2a-0.1", url, options })).toMatchObject({ code: 0, err: [] });
    });
  });

  test("an answer of another kind is a warning with what it says", async () => {
    const listener = agent(CARD, (method, _request, response) =>
      rpcError(response, method === "tasks/get" ? -32603 : -32601),
    );
    await withServer(listener, async (url) => {
      expect(await check({ adapter: "a2a-0.3", url })).toMatchObject({
        code: 0,
        err: ["warning asked for a task that does not exist, the agent does not say so: error -32603"],
      });
    });
  });
});

describe("a card that names gRPC at another port than `url`", () => {
  const onCard = (port: number) => ({ ...GRPC_CARD, preferredTransport: "GRPC", url: `127.0.0.1:${port}` });

  test.each(["a2a-0.3", "auto"])("is a fault that names both, behind %s", async (adapter) => {
    const grpc = await startGrpcAgent({});
    try {
      const listener = agent(
        onCard(grpc.port),
        (_method, _request, response) => void response.writeHead(404).end(),
      );
      await withServer(listener, async (url) => {
        const { host } = new URL(url);
        const { code, err } = await check({ adapter, url });
        expect(err[0]).toBe(
          `warning the card names grpc://127.0.0.1:${grpc.port}; calls go to grpc://${host} all the same`,
        );
        expect(err[1]).toContain(
          `(grpc://${host}); its card names 127.0.0.1:${grpc.port} for gRPC, which the option grpcUrl may name too`,
        );
        expect([err.length, code]).toEqual([2, 1]);
        expect(await check({ adapter, url, options: { grpcPort: "card" } })).toMatchObject({
          code: 0,
          err: [],
        });
      });
    } finally {
      grpc.stop();
    }
  });
});
