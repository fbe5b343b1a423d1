/** What `check` says of who may call: the same as `serve`, and whether the granted skills exist. */
import { expect, test } from "@jest/globals";
import { adapters } from "../../adapters/index.ts";
import { newApiKey } from "../../src/auth/api-key.ts";
import { CARD } from "../auth/support.ts";
import { createWorld, withFile, withServer } from "./support.ts";

const { hash } = newApiKey();
const skill = { id: "forecast", name: "Forecast", description: "", tags: [] };

/** `check` with agents of this card; `paths` are those that have none. */
async function checked(more: object, options: string[] = [], without?: string) {
  const world = createWorld({ adapters });
  const code = await withServer(
    (request, response) => {
      response.statusCode = without !== undefined && request.url?.startsWith(without) ? 404 : 200;
      const noSuchTask = { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "Task not found" } };
      const card = { ...CARD, security: [], skills: [skill], url: "" };
      response.end(JSON.stringify(request.method === "GET" ? card : noSuchTask));
    },
    (url) => {
      const card = (name: string) => ({ adapter: "a2a-0.3", url: `${url}/${name}`, card: `${url}/${name}` });
      const store = { path: ":memory:" };
      const config = JSON.stringify({ store, ...more, agents: { one: card("one"), two: card("two") } });
      return withFile(config, (file) => world.run("check", "--config", file, ...options));
    },
  );
  return { code, out: world.out.text, err: world.err.text };
}

const REFUSAL =
  "auth: is absent, so that the proxy does not listen on 0.0.0.0; say who may call, or `auth: none` for everybody";

test.each([[[]], [["--offline"]]])(
  "fails where serve would not listen, in its words (%j)",
  async (options) => {
    const { code, out, err } = await checked({ server: { host: "0.0.0.0" } }, options);
    expect(code).toBe(1);
    expect(err).toBe(`error ${REFUSAL}\n`);
    expect(out).toMatch(/2 agents, 1 problem\n$/);
  },
);

test("warns of granted skills that no card of the grant's agents has, and of no others", async () => {
  const auth = {
    apiKeys: {
      keys: {
        right: { hash, skills: ["forecast"] },
        wrong: { hash: newApiKey().hash, agents: ["two"], skills: ["forcast", "forecast"] },
      },
    },
    oidc: [
      {
        issuer: "https://issuer.example",
        audience: "proxy",
        grants: [{ claim: "scope", value: "x", skills: ["quite-another"] }],
      },
    ],
  };
  const { code, err } = await checked({ auth });
  expect(code).toBe(0);
  expect(err.split("\n")).toEqual([
    "warning auth.apiKeys.keys.wrong.skills: the card of two has no skill forcast; did you mean `forecast`?",
    "warning auth.oidc[0].grants[0].skills: the cards of one, two have no skill quite-another",
    "",
  ]);
});

test("says nothing of the skills of an agent whose card cannot be read", async () => {
  const auth = { apiKeys: { keys: { ci: { hash, agents: ["two"], skills: ["forcast"] } } } };
  const { code, err } = await checked({ auth }, [], "/two");
  expect(code).toBe(1);
  expect(err).toMatch(/^error agents\.two: .+\n {4}http:.+\n$/);
});
