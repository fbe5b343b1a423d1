/** Grants for skills: what a message has to name, on every transport, and what the cards show. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { status } from "@grpc/grpc-js";
import type { Grant } from "../../src/config/auth.ts";
import type { Principal } from "../../src/auth/principal.ts";
import { grantedSkills, requireSkill } from "../../src/auth/skills.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { grpcClient } from "../support/transports/grpc.ts";
import { jsonRpcClient } from "../support/transports/json-rpc.ts";
import { restClient } from "../support/transports/rest.ts";
import { Refused, type TransportClient } from "../support/transports/transport.ts";
import { CARD, apiKeys, startIssuer, startVendor, type TestIssuer, type TestVendor } from "./support.ts";

const { keys, hashes } = apiKeys("weather", "anybody");
const skill = (id: string) => ({ id, name: id, description: id, tags: [] });
const SKILLS = ["forecast", "history", "admin"].map(skill);
const CARD_WITH_SKILLS = { ...CARD, skills: SKILLS, supportsAuthenticatedExtendedCard: false };

let vendor: TestVendor;
let issuer: TestIssuer;
let proxy: TestProxy;
let closed: TestProxy;

const extendedCard = { overlay: { description: "For callers" } };

beforeAll(async () => {
  vendor = await startVendor(CARD_WITH_SKILLS);
  issuer = await startIssuer();
  const agents = { agent: { adapter: "a2a-0.3", url: vendor.url, extendedCard } };
  const apiKeys = {
    keys: {
      weather: { hash: hashes.weather, skills: ["forecast", "history"] },
      anybody: { hash: hashes.anybody },
    },
  };
  const oidc = [
    {
      issuer: issuer.url,
      audience: "proxy",
      grants: [{ claim: "scope", value: "weather", skills: ["forecast"] }],
    },
  ];
  proxy = await startTestProxy(agents, {
    default: "agent",
    server: SERVER_WITH_GRPC,
    auth: { apiKeys, oidc },
  });
  closed = await startTestProxy(agents, {
    auth: { publicCard: false, skillKey: "skill", apiKeys },
  });
});
afterAll(async () => {
  await proxy.stop();
  await closed.stop();
  vendor.stop();
  issuer.stop();
});
beforeEach(() => void vendor.received.splice(0));

type Metadata = Record<string, unknown>;

/** A message whose metadata, and the metadata beside it, are these. */
const naming = (inMessage?: Metadata, beside?: Metadata, taskId?: string) => ({
  message: {
    kind: "message" as const,
    messageId: "m",
    role: "user" as const,
    parts: [{ kind: "text" as const, text: "Will it rain?" }],
    ...(inMessage && { metadata: inMessage }),
    ...(taskId !== undefined && { taskId }),
  },
  ...(beside && { metadata: beside }),
});

async function refusalOf(call: Promise<unknown>): Promise<Refused> {
  const outcome = await call.catch((thrown: unknown) => thrown);
  if (outcome instanceof Refused) return outcome;
  throw new Error(`not refused: ${JSON.stringify(outcome)}`);
}

const skillsOf = (card: unknown): string[] => (card as typeof CARD_WITH_SKILLS).skills.map(({ id }) => id);

type Connect = (key: string) => TransportClient;
const TRANSPORTS: readonly [string, number, Connect][] = [
  ["JSON-RPC", 403, (key) => jsonRpcClient(proxy.url, { agent: "agent", key }, () => {})],
  ["HTTP+JSON", 403, (key) => restClient(proxy.url, { agent: "agent", key })],
  ["gRPC", status.PERMISSION_DENIED, (key) => grpcClient(proxy.grpcPort ?? 0, { agent: "agent", key })],
];

describe.each(TRANSPORTS)("over %s", (_, forbidden, connect) => {
  const ways = [
    ["send", (client: TransportClient, params: ReturnType<typeof naming>) => client.send(params)],
    ["stream", (client: TransportClient, params: ReturnType<typeof naming>) => client.stream(params).next()],
  ] as const;

  describe.each(ways)("%s", (_name, call) => {
    test.each([
      [naming(), /must name one of them/],
      [naming({ skillId: null }), /must name one of them/],
      [naming({ skill: "forecast" }), /must name one of them/],
      [naming({ skillId: "admin" }), /may not use the skill/],
      [naming(undefined, { skillId: "admin" }), /may not use the skill/],
      [naming({ skillId: ["forecast"] }), /may not use the skill/],
      [naming({ skillId: "forecast" }, { skillId: "admin" }), /different skills/],
      [naming({ skillId: "forecast" }, { skillId: "history" }), /different skills/],
      [naming({ skillId: "forecast", SkillID: "admin" }), /different skills/],
      [naming({ skillId: "forecast" }, { skill_id: "admin" }), /different skills/],
      [naming({ skillId: "forecast", "\u017fkillId": "admin" }), /different skills/],
      [naming({ skill_id: "admin" }), /may not use the skill/],
    ])("of what is not granted is refused, and does not reach the agent (%#)", async (params, reason) => {
      const client = connect(keys.weather);
      const refused = await refusalOf(call(client, params));
      client.close();
      expect([refused.status, refused.code]).toEqual([forbidden, -32043]);
      expect(refused.data).toMatchObject({
        agent: "agent",
        reason: expect.stringMatching(reason),
        skills: ["forecast", "history"],
      });
      expect(vendor.received).toEqual([]);
    });

    test.each([
      naming({ skillId: "forecast", more: 1 }),
      naming(undefined, { skillId: "history" }),
      naming({ skillId: "forecast" }, { skillId: "forecast" }),
    ])("of what is granted reaches the agent with its metadata as it is (%#)", async (params) => {
      const client = connect(keys.weather);
      await call(client, params);
      client.close();
      expect(vendor.received).toHaveLength(1);
      const { message, metadata } = vendor.received[0] as ReturnType<typeof naming>;
      expect([message.metadata, metadata]).toEqual([params.message.metadata, params.metadata]);
    });
  });

  test("what an agent that ignores case would take for the metadata does not reach it", async () => {
    const client = connect(keys.weather);
    const params = naming({ skillId: "forecast" });
    Object.assign(params, { Metadata: { skillId: "admin" } });
    Object.assign(params.message, { Metadata: { skillId: "admin" }, METADATA: { skillId: "admin" } });
    await client.send(params);
    client.close();
    expect(vendor.received).toHaveLength(1);
    expect(JSON.stringify(vendor.received)).not.toContain("admin");
  });

  test("the rule holds for what follows up a task, and not for other methods", async () => {
    const client = connect(keys.weather);
    const { id } = (await client.send(naming({ skillId: "forecast" }))) as { id: string };
    expect((await refusalOf(client.send(naming(undefined, undefined, id)))).code).toBe(-32043);
    expect((await refusalOf(client.send(naming({ skillId: "admin" }, undefined, id)))).code).toBe(-32043);
    expect(await client.send(naming({ skillId: "history" }, undefined, id))).toMatchObject({ id });
    expect(await client.get(id)).toMatchObject({ id });
    client.close();
  });

  test("a caller with no such grant need not name a skill", async () => {
    const client = connect(keys.anybody);
    expect(await client.send(naming())).toMatchObject({ kind: "task" });
    expect(skillsOf(await client.extendedCard())).toEqual(["forecast", "history", "admin"]);
    client.close();
  });

  test("the extended card shows the granted skills only", async () => {
    const client = connect(keys.weather);
    expect(skillsOf(await client.extendedCard())).toEqual(["forecast", "history"]);
    client.close();
  });
});

test("a token's grant may be for skills", async () => {
  const token = await issuer.token({ sub: "ann", scope: "a weather" });
  const post = (params: unknown) =>
    fetch(proxy.agent("agent"), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params }),
    });
  expect((await post(naming({ skillId: "forecast" }))).status).toBe(200);
  const refused = await post(naming({ skillId: "history" }));
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toMatch(/insufficient_scope/);
});

describe("where cards are not for everybody", () => {
  const cardOf = async (key: string) => {
    const url = `${closed.agent("agent")}.well-known/agent-card.json`;
    const response = await fetch(url, { headers: { "x-api-key": key } });
    return { skills: skillsOf(await response.json()), etag: response.headers.get("etag") };
  };

  test("a caller's card shows the granted skills only, and is another than everybody's", async () => {
    const [some, all] = [await cardOf(keys.weather), await cardOf(keys.anybody)];
    expect(some.skills).toEqual(["forecast", "history"]);
    expect(all.skills).toEqual(["forecast", "history", "admin"]);
    expect(some.etag).not.toBe(all.etag);
  });

  test("a stranger does not learn which agents there are", async () => {
    for (const agent of ["agent", "none"]) {
      for (const path of ["v1/tasks/x", ".well-known/agent-card.json"]) {
        expect((await fetch(closed.agent(agent) + path)).status).toBe(401);
      }
    }
    const headers = { "x-api-key": keys.anybody };
    expect((await fetch(`${closed.agent("none")}v1/tasks/x`, { headers })).status).toBe(404);
  });

  test("and the key of the metadata is another, that one counts", async () => {
    const client = jsonRpcClient(closed.url, { agent: "agent", key: keys.weather }, () => {});
    expect(await client.send(naming({ skill: "forecast" }))).toMatchObject({ kind: "task" });
    const refused = await refusalOf(client.send(naming({ skillId: "forecast" })));
    expect(refused.data).toMatchObject({ reason: expect.stringContaining("metadata.skill must") });
  });
});

describe("several grants", () => {
  const caller = (...grants: Grant[]): Principal => ({ id: "ann", scheme: "mtls", grants });
  const outcome = (principal: Principal, skillId?: string): string => {
    const sending = { agent: "agent", method: "message/send", key: "skillId" };
    try {
      requireSkill(principal, sending, naming(skillId === undefined ? undefined : { skillId }));
      return "ok";
    } catch (thrown) {
      return A2AError.from(thrown).code;
    }
  };

  test("add up: the skills of all, and all skills where one has none", () => {
    const two = caller({ skills: ["a"] }, { agents: ["agent"], skills: ["b"] });
    expect([outcome(two, "a"), outcome(two, "b"), outcome(two, "c")]).toEqual(["ok", "ok", "forbidden"]);
    const open = caller({ skills: ["a"] }, { methods: ["message/*"] });
    expect([outcome(open), outcome(open, "c")]).toEqual(["ok", "ok"]);
    expect(grantedSkills(open, "agent")).toBeUndefined();
  });

  test("for other agents and methods count for nothing", () => {
    const other = caller({ skills: ["a"] }, { agents: ["other"], skills: ["b"] }, { methods: ["tasks/*"] });
    expect([outcome(other), outcome(other, "a"), outcome(other, "b")]).toEqual([
      "forbidden",
      "ok",
      "forbidden",
    ]);
    expect(grantedSkills(other, "agent")).toEqual(new Set(["a"]));
  });

  test("without any method that sends still say what the card shows", () => {
    const reader = caller({ methods: ["agent/getAuthenticatedExtendedCard"], skills: ["a"] });
    expect(grantedSkills(reader, "agent")).toEqual(new Set(["a"]));
  });
});
