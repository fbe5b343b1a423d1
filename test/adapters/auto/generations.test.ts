import { afterEach, describe, expect, test } from "@jest/globals";
import { cleanUp } from "../../southbound/loopback.ts";
import {
  CARD_03,
  OK,
  SERVES_01,
  SERVES_03,
  SERVES_10,
  SERVES_SNAKE,
  by,
  detect,
  type AgentOptions,
} from "./agents.ts";

afterEach(cleanUp);

const CARD_10 = { supportedInterfaces: [{ protocolVersion: "1.0" }] };

describe("what an agent says and does", () => {
  test.each<[string, AgentOptions, string]>([
    ["0.3 card, serves 0.3", { card: CARD_03, methods: SERVES_03 }, "a2a-0.3"],
    ["0.3 card, serves 0.1", { card: CARD_03, methods: SERVES_01 }, "a2a-0.1"],
    ["0.3 card, serves 0.1, python", { card: CARD_03, methods: SERVES_01, otherwise: -32600 }, "a2a-0.1"],
    ["0.3 card, serves snake_case", { card: CARD_03, methods: SERVES_SNAKE }, "a2a-snake"],
    [
      "0.3 card, no push methods",
      { card: CARD_03, methods: { "message/send": OK, "tasks/get": -32001 } },
      "a2a-0.3",
    ],
    [
      "0.3 card, knows a2a.getTask too",
      { card: CARD_03, methods: { "message/send": OK, "tasks/get": -32001, "a2a.getTask": -32001 } },
      "a2a-0.3",
    ],
    ["0.3 card, send alone", { card: CARD_03, methods: { "message/send": OK } }, "a2a-0.3"],
    ["1.0 card, serves 0.3", { card: { supportedInterfaces: [{}] }, methods: SERVES_03 }, "a2a-0.3"],
    [
      "1.0 version, tasks/get",
      { card: { protocolVersion: "1.0" }, methods: { "message/send": OK, "tasks/get": -32001 } },
      "a2a-0.3",
    ],
    [
      "1.0 card, serves snake_case",
      { card: { supportedInterfaces: [{}] }, methods: SERVES_SNAKE },
      "a2a-snake",
    ],
    ["1.0 card, serves 1.0", { card: CARD_10, methods: SERVES_10 }, "a2a-1.0"],
    ["1.0 card, serves 1.0 and 0.3", { card: CARD_10, methods: { ...SERVES_10, ...SERVES_03 } }, "a2a-0.3"],
    ["1.0 card, tells nothing by JSON-RPC", { card: CARD_10, methods: { SendMessage: OK } }, "a2a-1.0"],
    ["0.3 card, serves 1.0", { card: CARD_03, methods: SERVES_10 }, "a2a-1.0"],
    ["no card, serves 1.0", { methods: SERVES_10 }, "a2a-1.0"],
    ["snake card", { card: { supported_interfaces: [] }, methods: SERVES_SNAKE }, "a2a-snake"],
    [
      "hybrid card, serves 0.3",
      { card: { ...CARD_03, supported_interfaces: [] }, methods: SERVES_03 },
      "a2a-0.3",
    ],
    ["0.1 card", { card: { authentication: {} }, methods: SERVES_01 }, "a2a-0.1"],
    ["0.1 card, serves 0.3", { card: { authentication: {} }, methods: SERVES_03 }, "a2a-0.3"],
    ["no card, serves 0.3", { methods: SERVES_03 }, "a2a-0.3"],
    ["no card, serves 0.1", { methods: SERVES_01 }, "a2a-0.1"],
    ["no card, serves snake_case", { methods: SERVES_SNAKE }, "a2a-snake"],
    ["no card, message/send alone", { methods: { "message/send": OK } }, "a2a-0.3"],
    ["a card that does not tell, serves 0.1", { card: { name: "A" }, methods: SERVES_01 }, "a2a-0.1"],
    [
      "0.3 card, -32603 to whatever it does not know",
      { card: CARD_03, methods: SERVES_03, otherwise: -32603 },
      "a2a-0.3",
    ],
    [
      "0.3 card, HTTP 500 to whatever it does not know",
      { card: CARD_03, methods: { "message/send": OK, "tasks/get": -32001 }, otherwise: "500" },
      "a2a-0.3",
    ],
    [
      "no card, HTTP 500 to whatever it does not know",
      { methods: { "message/send": OK, "tasks/get": -32001 }, otherwise: "500" },
      "a2a-0.3",
    ],
    [
      "1.0 card, HTTP 500 to whatever it does not know",
      {
        card: { supportedInterfaces: [{ protocolVersion: "1.0" }] },
        methods: { "message/send": OK, "tasks/get": -32001 },
        otherwise: "500",
      },
      "a2a-0.3",
    ],
    [
      "0.3 card, HTTP 500 to everything but a message",
      { card: CARD_03, methods: { "message/send": OK }, otherwise: "500" },
      "a2a-0.3",
    ],
    [
      "0.3 card, serves 0.1, HTTP 500 to the rest",
      { card: CARD_03, methods: SERVES_01, otherwise: "500" },
      "a2a-0.1",
    ],
    [
      "snake card, HTTP 500 to a task that is not there",
      { card: { supported_interfaces: [] }, methods: { "a2a.sendMessage": OK }, otherwise: "500" },
      "a2a-snake",
    ],
    ["no card, serves 0.1, every error wrapped", { methods: SERVES_01, wraps: true }, "a2a-0.1"],
    [
      "a path for each method, a card that does not tell",
      { card: { name: "A" }, methods: { "tasks/send": OK, "tasks/get": -32000 }, perMethod: true },
      "a2a-0.1",
    ],
    [
      "a path for each method, no card",
      { methods: { "tasks/send": OK, "tasks/get": -32000 }, perMethod: true },
      "a2a-0.1",
    ],
    [
      "a path for each method, 0.1 card",
      { card: { authentication: {} }, methods: { "tasks/send": OK, "tasks/get": -32000 }, perMethod: true },
      "a2a-0.1",
    ],
    [
      "AppBuilder",
      { card: { ...CARD_03, provider: { organization: "baiduqianfan" } }, methods: { "message/send": OK } },
      "appbuilder",
    ],
  ])("%s", async (_what, options, dialect) => {
    const { text, agent } = await detect(options);
    expect(text).toEqual(by(dialect));
    // The message itself is the only call with effects, and the agent has taken it once.
    const harmless = /\/get$|^a2a\.getTask$|^GetTask$/;
    const effects = agent.calls.filter((method) => !harmless.test(method));
    expect(effects).toHaveLength(1);
  });

  test("an agent that is known for certain is not probed", async () => {
    const card = { provider: { organization: "baiduqianfan" } };
    const { agent } = await detect({ card, methods: { "message/send": OK } });
    expect(agent.calls).toEqual(["message/send"]);
  });

  test("a probe asks for a task that cannot exist, and names the version where the dialect wants it", async () => {
    const { agent } = await detect({ card: { supported_interfaces: [] }, methods: SERVES_SNAKE });
    expect(agent.params[0]).toEqual({
      "a2a-version": "1.0",
      id: expect.stringMatching(/^no-such-task-/),
      task_id: expect.stringMatching(/^no-such-task-/),
    });
  });
});
