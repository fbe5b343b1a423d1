/** What an agent's `credentials`, `headers` and `forward` may say together. */
import { describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { faultsIn, load } from "./support.ts";

const bearer = { type: "bearer", token: "t" };
const key = { type: "apiKey", in: "header", name: "X-Key", value: "k" };

const yaml = (agent: object): string =>
  stringify({ agents: { a: { adapter: "plain", url: "https://vendor.example", ...agent } } });

describe("a header that is sent twice is a fault", () => {
  test.each<[object, string]>([
    [
      { credentials: bearer, headers: { authorization: "Bearer x" } },
      "agents.a.headers.authorization: is sent by `credentials` already",
    ],
    [
      { credentials: key, headers: { "x-key": "x" } },
      "agents.a.headers.x-key: is sent by `credentials` already",
    ],
    [{ headers: { "X-A": "1", "x-a": "2" } }, "agents.a.headers.x-a: is sent by `headers` already"],
    [
      { credentials: bearer, forward: { authorization: true } },
      "agents.a.forward.authorization: is sent by `credentials` already",
    ],
    [
      { credentials: key, forward: { headers: ["X-User", "x-key"] } },
      "agents.a.forward.headers[1]: is sent by `credentials` already",
    ],
    [
      { headers: { "X-Tenant": "1" }, forward: { headers: ["x-tenant"] } },
      "agents.a.forward.headers[0]: is sent by `headers` already",
    ],
    [{ forward: { headers: ["X-A", "x-a"] } }, "agents.a.forward.headers[1]: is sent by `forward` already"],
  ])("%j", async (agent, fault) => {
    const found = await faultsIn(yaml(agent));
    expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual([fault]);
  });

  test.each<object>([
    { credentials: bearer, headers: { "X-Key": "k" }, forward: { headers: ["X-User"] } },
    { credentials: { ...key, in: "query" }, headers: { "X-Key": "k" } },
    { credentials: key, forward: { authorization: true } },
  ])("and others are none: %j", async (agent) => {
    await expect(load(yaml(agent))).resolves.toMatchObject({ config: { agents: expect.anything() } });
  });
});
