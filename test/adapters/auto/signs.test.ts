import { describe, expect, test } from "@jest/globals";
import { readCard } from "../../../adapters/auto/signs.ts";

const URL_HERE = "https://agent.example/a2a";
const card = (more: object) => ({ name: "A", version: "1", url: URL_HERE, skills: [], ...more });

describe("a card's claim", () => {
  test.each([
    ["protocolVersion 0.3.0", { protocolVersion: "0.3.0" }, "a2a-0.3"],
    ["protocolVersion 0.2.5", { protocolVersion: "0.2.5" }, "a2a-0.3"],
    ["protocolVersion 0.1.0", { protocolVersion: "0.1.0" }, "a2a-0.1"],
    ["protocolVersion 1.0", { protocolVersion: "1.0" }, "a2a-1.0"],
    ["supported_interfaces", { supported_interfaces: [{ url: URL_HERE }] }, "a2a-snake"],
    [
      "supported_interfaces beside url and protocolVersion",
      { supported_interfaces: [{}], protocolVersion: "0.3.0" },
      "a2a-snake",
    ],
    ["supportedInterfaces", { supportedInterfaces: [{ protocolVersion: "1.0" }] }, "a2a-1.0"],
    [
      "supportedInterfaces with one of 0.3",
      { supportedInterfaces: [{ protocolVersion: "1.0" }, { protocolVersion: "0.3" }] },
      "a2a-0.3",
    ],
    ["authentication", { authentication: { schemes: "bearer" } }, "a2a-0.1"],
    ["securitySchemes without protocolVersion", { securitySchemes: {} }, "a2a-0.3"],
    ["nothing that tells", {}, undefined],
    ["a version that is none", { protocolVersion: "latest" }, undefined],
  ])("%s", (_what, more, says) => {
    expect(readCard(card(more), URL_HERE)).toMatchObject({ says, sure: false });
  });

  test.each([undefined, null, "<html>", []])("without a card there is none: %j", (raw) => {
    expect(readCard(raw, URL_HERE)).toEqual({ says: undefined, why: "it serves no card", sure: false });
  });
});

describe("AppBuilder is told for certain, although its card says 0.2.6", () => {
  test.each([
    ["its provider", { provider: { organization: "baiduqianfan" } }, URL_HERE],
    ["the card's host", { url: "https://qianfan.baidubce.com/v2/a2a/app" }, URL_HERE],
    ["its own host", {}, "https://appbuilder.baidu.com/v2/a2a/app"],
  ])("by %s", (_what, more, url) => {
    expect(readCard(card({ protocolVersion: "0.2.6", ...more }), url)).toMatchObject({
      says: "appbuilder",
      sure: true,
    });
  });

  test("and not by a host that merely ends like its own", () => {
    expect(readCard(undefined, "https://notqianfan.baidubce.com.example/")).toMatchObject({
      says: undefined,
    });
  });
});
