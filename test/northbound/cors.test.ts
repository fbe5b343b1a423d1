import { describe, expect, test } from "@jest/globals";
import { startTestProxy } from "../support/proxy.ts";

const PAGE = "https://app.example";
const AGENTS = { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9" } };

async function proxyWith(cors: Record<string, unknown> | undefined) {
  const server = { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", shutdownGrace: "1ms" };
  const proxy = await startTestProxy(AGENTS, { server: cors ? { ...server, cors } : server });
  return { url: proxy.url, [Symbol.asyncDispose]: () => proxy.stop() };
}

const preflight = (url: string, origin = PAGE) =>
  fetch(url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,last-event-id,x-a2a-extensions",
    },
  });

const leave = ({ headers }: Response) => headers.get("access-control-allow-origin");
const words = (response: Response, header: string): string[] =>
  (response.headers.get(header) ?? "").toLowerCase().split(",").toSorted();

describe("cross-origin requests", () => {
  test.each(["/agents/planner/", "/agents/planner/v1/message:send", "/.well-known/jwks.json", "/agents"])(
    "a preflight for %s is answered to a listed origin",
    async (path) => {
      await using proxy = await proxyWith({ origins: [PAGE], headers: ["X-Own"] });
      const response = await preflight(proxy.url + path);
      expect(response.status).toBe(204);
      expect(leave(response)).toBe(PAGE);
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      expect(response.headers.get("access-control-max-age")).toBe("600");
      expect(words(response, "access-control-allow-methods")).toEqual(["delete", "get", "head", "post"]);
      expect(words(response, "access-control-allow-headers")).toEqual([
        "accept",
        "authorization",
        "content-type",
        "last-event-id",
        "x-a2a-extensions",
        "x-api-key",
        "x-own",
        "x-request-id",
      ]);
    },
  );

  test("answers, also errors, show a listed origin the headers it needs", async () => {
    await using proxy = await proxyWith({ origins: [PAGE], credentials: true });
    for (const path of ["/healthz", "/nowhere"]) {
      const response = await fetch(proxy.url + path, { headers: { origin: PAGE } });
      expect(leave(response)).toBe(PAGE);
      expect(response.headers.get("vary")).toContain("Origin");
      expect(response.headers.get("access-control-allow-credentials")).toBe("true");
      expect(words(response, "access-control-expose-headers")).toEqual([
        "etag",
        "retry-after",
        "www-authenticate",
        "x-a2a-extensions",
        "x-request-id",
      ]);
    }
  });

  test("another origin gets no leave, neither before nor with the answer", async () => {
    await using proxy = await proxyWith({ origins: [PAGE] });
    expect(leave(await preflight(`${proxy.url}/agents/planner/`, "https://evil.example"))).toBeNull();
    const headers = { origin: "https://evil.example" };
    expect(leave(await fetch(`${proxy.url}/healthz`, { headers }))).toBeNull();
  });

  test("every origin may call where all are allowed", async () => {
    await using proxy = await proxyWith({ origins: "*" });
    expect(leave(await preflight(`${proxy.url}/agents/planner/`, "https://any.example"))).toBe("*");
  });

  test("no origin gets leave unless configured", async () => {
    await using proxy = await proxyWith(undefined);
    const response = await preflight(`${proxy.url}/agents/planner/`);
    expect(response.status).toBe(405);
    expect(leave(response)).toBeNull();
  });

  test.each([
    [{ origins: "*", credentials: true }, "server.cors.origins"],
    [{ origins: [] }, "server.cors.origins"],
    [{ origins: ["https://app.example/"] }, "server.cors.origins"],
    [{ origins: ["app.example"] }, "server.cors.origins"],
    [{ origins: [PAGE], headers: ["a b"] }, "server.cors.headers"],
    [{}, "server.cors.origins"],
  ])("%j is a fault of the configuration", async (cors, path) => {
    await expect(startTestProxy(AGENTS, { server: { cors } })).rejects.toMatchObject({
      faults: [{ path: expect.stringContaining(path) }],
    });
  });
});
