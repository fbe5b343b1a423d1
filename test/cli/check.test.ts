import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { Adapter, Backend } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { AgentCard } from "../../src/protocol/card.ts";
import { createWorld, withFile, withServer } from "./support.ts";

const unused = (): never => {
  throw new Error("check must not call it");
};

const dialect = (name: string, methods: Partial<Backend>): Adapter => ({
  name,
  options: z.strictObject({}),
  connect: (_options, southbound) => ({
    card: async (signal) => AgentCard.parse(await southbound.fetchCard(signal)),
    ...methods,
  }),
});

const noSuchTask = () => Promise.reject(new A2AError("task-not-found"));

const native = { send: true, stream: false, getTask: true, cancelTask: false, resubscribe: false };

const adapters = new Map(
  [
    dialect("bare", { send: unused }),
    dialect("whole", {
      send: unused,
      stream: unused,
      getTask: noSuchTask,
      cancelTask: unused,
      resubscribe: unused,
    }),
    dialect("auto", {
      send: unused,
      stream: unused,
      decision: () => "bare: the card says 0.3.0",
      native: () => native,
    }),
  ].map((adapter) => [adapter.name, adapter]),
);

const card = (url: string, extra: object = {}) => ({
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans",
  url,
  version: "1.2.3",
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
  ...extra,
});

const configOf = (agents: Record<string, object>): string => JSON.stringify({ agents });

describe("check", () => {
  test("shows nothing that an agent's card does to a terminal, and no credential that the agent echoes", async () => {
    const extra = { name: "\u001b]0;x\u0007key-of-mine \u009b2J", version: "1", supportsAll: true };
    await withServer(
      (_request, response) => response.end(JSON.stringify(card("http://other-key-of-mine.test", extra))),
      async (url) => {
        const credentials = { type: "bearer", token: "key-of-mine" };
        const text = configOf({ one: { adapter: "bare", url: `${url}/one`, credentials } });
        await withFile(text, async (file) => {
          const world = createWorld({ adapters });
          expect(await world.run("check", "--config", file)).toBe(0);
          const shown = world.out.text + world.err.text;
          expect(shown).toContain(String.raw`\u001b]0;x\u0007[redacted] \u009b2J 1`);
          expect(shown).toContain("the card names http://other-[redacted].test/");
          expect(shown).not.toContain("key-of-mine");
          expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
        });
      },
    );
  });

  test("shows each agent's dialect and how it was decided on, card, native and emulated methods", async () => {
    await withServer(
      (request, response) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(card(`http://${request.headers.host}/x`)));
      },
      async (url) => {
        const text = configOf({
          one: { adapter: "bare", url: `${url}/one` },
          two: { adapter: "whole", url: `${url}/two` },
          three: { adapter: "auto", url: `${url}/three` },
        });
        await withFile(text, async (file) => {
          const world = createWorld({ adapters });
          expect(await world.run("check", "--config", file)).toBe(0);
          expect(world.out.text.split("\n")).toStrictEqual([
            "agent  dialect  card           native                              emulated",
            "one    bare     Planner 1.2.3  send                                stream get cancel resubscribe",
            "two    whole    Planner 1.2.3  send stream get cancel resubscribe  -",
            "three  auto     Planner 1.2.3  send get                            stream cancel resubscribe",
            "",
            "three: bare: the card says 0.3.0",
            "",
            `${file}: 3 agents, no problems found`,
            "",
          ]);
          expect(world.err.text).toBe("");
        });
      },
    );
  });

  test("goes on after a vendor that does not answer with a card, and exits with 1", async () => {
    await withServer(
      (request, response) => {
        response.statusCode = request.url?.startsWith("/good") ? 200 : 404;
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(card(`http://${request.headers.host}/good`)));
      },
      async (url) => {
        const credentials = { type: "bearer", token: "sup3r-s3cret" };
        const text = configOf({
          gone: { adapter: "bare", url: `${url}/gone`, credentials },
          good: { adapter: "bare", url: `${url}/good`, card: `${url}/good/card.json?api_key=0ther-s3cret` },
        });
        await withFile(text, async (file) => {
          const world = createWorld({ adapters });
          expect(await world.run("check", "--config", file)).toBe(1);
          expect(world.out.text).toMatch(/^gone {3}bare {5}none +\? +\?$/m);
          expect(world.out.text).toMatch(
            /^good {3}bare {5}Planner 1\.2\.3 {2}send {4}stream get cancel resubscribe$/m,
          );
          expect(world.out.text).toContain(`${file}: 2 agents, 1 problem\n`);
          expect(world.err.text.split("\n")).toStrictEqual([
            "error agents.gone: No card of the agent gone was found: HTTP 404; if the agent serves it elsewhere, such as at " +
              "/.well-known/<id>/agent-card.json, set `card` to that URL",
            `    ${url}/gone/.well-known/agent-card.json: HTTP 404`,
            `    ${url}/gone/.well-known/agent.json: HTTP 404`,
            `    ${url}/.well-known/agent-card.json: HTTP 404`,
            `    ${url}/.well-known/agent.json: HTTP 404`,
            `    ${url}/gone/v1/card: HTTP 404`,
            "",
          ]);
          expect(world.out.text + world.err.text).not.toContain("s3cret");
          expect(world.out.text + world.err.text).not.toContain("\u001B");
        });
      },
    );
  });

  test("warns where the card names another host, and where it asks for credentials that are not there", async () => {
    await withServer(
      (_request, response) => {
        const asking = { security: [{ bearer: [] }] };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(card("http://0.0.0.0:10000/a2a?key=x", asking)));
      },
      async (url) => {
        await withFile(configOf({ one: { adapter: "bare", url: `${url}/one` } }), async (file) => {
          const world = createWorld({ adapters });
          expect(await world.run("check", "--config", file)).toBe(0);
          expect(world.err.text.split("\n")).toStrictEqual([
            `warning agents.one: the card names http://0.0.0.0:10000/a2a; calls go to ${url}/one all the same`,
            "warning agents.one: the card asks for credentials, and none are configured",
            "",
          ]);
        });
      },
    );
  });

  test("--offline asks nobody, and shows no query", async () => {
    const text = configOf({
      one: { adapter: "bare", url: "https://vendor.example/one?key=s3cret" },
      second: { adapter: "auto", url: "https://vendor.example/two" },
    });
    await withFile(text, async (file) => {
      const openSouthbound = unused;
      const world = createWorld({ adapters, openSouthbound });
      expect(await world.run("check", "--offline", "--config", file)).toBe(0);
      expect(world.out.text.split("\n")).toStrictEqual([
        "agent   dialect  url",
        "one     bare     https://vendor.example/one",
        "second  auto     https://vendor.example/two",
        "",
        `${file}: 2 agents, no problems found`,
        "",
      ]);
    });
  });
});
