import { describe, expect, test } from "@jest/globals";
import { toCardSource } from "../../src/config/urls.ts";

describe("the card is looked for", () => {
  test("under a path before the host's root, for a path given", () => {
    expect(toCardSource("https://v.example/a2a/x/", "/.well-known/agent.json")).toStrictEqual({
      urls: ["https://v.example/a2a/x/.well-known/agent.json", "https://v.example/.well-known/agent.json"],
    });
  });

  test("at each address once, where the agent is at the root", () => {
    expect(toCardSource("https://v.example", undefined)).toStrictEqual({
      urls: [
        "https://v.example/.well-known/agent-card.json",
        "https://v.example/.well-known/agent.json",
        "https://v.example/v1/card",
      ],
    });
  });

  test("with the query that selects the agent, unless the path has its own", () => {
    expect(toCardSource("https://v.example/run/?qualifier=Q", undefined).urls[0]).toBe(
      "https://v.example/run/.well-known/agent-card.json?qualifier=Q",
    );
    expect(toCardSource("https://v.example/run?qualifier=Q", "/card?assistant_id=A").urls).toStrictEqual([
      "https://v.example/run/card?assistant_id=A",
      "https://v.example/card?assistant_id=A",
    ]);
  });

  test("at a URL given, and nowhere else", () => {
    expect(toCardSource("https://v.example/x", "https://cards.example/x.json")).toStrictEqual({
      urls: ["https://cards.example/x.json"],
    });
  });

  test("nowhere, where it is written into the file", () => {
    expect(toCardSource("https://v.example/x", { name: "X" })).toStrictEqual({
      urls: [],
      inline: { name: "X" },
    });
  });
});
