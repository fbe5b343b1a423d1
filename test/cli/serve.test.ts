import { describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { CliDeps, ProxyDeps } from "../../src/cli/deps.ts";
import type { Config } from "../../src/config/config.ts";
import { adapters } from "../config/support.ts";
import { createWorld, withFile, type World } from "./support.ts";

const CONFIG = "server: { port: 0 }\nagents: { a: { adapter: plain, url: http://127.0.0.1:1/ } }\n";

/** Resolves once the command waits for a signal. */
async function waiting({ signals }: World): Promise<void> {
  while (signals.listenerCount("SIGTERM") === 0) await turn();
}

describe("serve", () => {
  test.each(["SIGTERM", "SIGINT"])(
    "runs the configured proxy until %s, then stops it once",
    async (signal) => {
      const started: [Config, ProxyDeps][] = [];
      let stops = 0;
      const startProxy: CliDeps["startProxy"] = async (config, deps) => {
        started.push([config, deps]);
        return { url: "http://127.0.0.1:1234", stop: async () => void stops++ };
      };
      await withFile(CONFIG, async (file) => {
        const world = createWorld({ adapters, startProxy });
        const code = world.run("serve", "--config", file);
        await waiting(world);
        expect(stops).toBe(0);
        world.signals.emit(signal, signal);
        expect(await code).toBe(0);
        expect(stops).toBe(1);
        expect(started.map(([config, deps]) => [[...config.agents.keys()], deps])).toStrictEqual([
          [["a"], { adapters }],
        ]);
        expect(world.err.text).toBe("");
        expect([world.exits, world.signals.eventNames()]).toStrictEqual([[], []]);
      });
    },
  );

  test("does not wait for the stop after a second signal", async () => {
    const stopped = Promise.withResolvers<void>();
    let stops = 0;
    const stop = (): Promise<void> => {
      stops++;
      return stopped.promise;
    };
    await withFile(CONFIG, async (file) => {
      const world = createWorld({ adapters, startProxy: async () => ({ url: "http://x", stop }) });
      const code = world.run("serve", "--config", file);
      await waiting(world);
      world.signals.emit("SIGTERM", "SIGTERM");
      world.signals.emit("SIGINT", "SIGINT");
      expect(world.exits).toStrictEqual([130]);
      stopped.resolve();
      await code;
      expect(stops).toBe(1);
    });
  });

  test("says which address is in use, and what to do", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const startProxy: CliDeps["startProxy"] = async () => {
      await once(createServer().listen(port, "127.0.0.1"), "listening");
      throw new Error("the port was free");
    };
    await withFile(CONFIG, async (file) => {
      const world = createWorld({ adapters, startProxy });
      expect(await world.run("serve", "--config", file)).toBe(1);
      expect(world.err.text).toBe(
        `error 127.0.0.1:${port} is already in use: stop what listens there, or set server.host and server.port in ${file}\n`,
      );
    });
    taken.close();
  });

  test("shows the message of any other failure, without a stack", async () => {
    const startProxy = () => Promise.reject(new Error("the store cannot be opened"));
    await withFile(CONFIG, async (file) => {
      const world = createWorld({ adapters, startProxy });
      expect(await world.run("serve", "--config", file)).toBe(1);
      expect(world.err.text).toBe("error the store cannot be opened\n");
    });
  });

  test("shows the configuration's warnings", async () => {
    const text = CONFIG.replace("127.0.0.1:1/", "vendor.example/").replace(
      " } }",
      ", credentials: { type: bearer, token: t } } }",
    );
    await withFile(text, async (file) => {
      const world = createWorld({ adapters, startProxy: () => Promise.reject(new Error("enough")) });
      await world.run("serve", "--config", file);
      expect(world.err.text).toBe(
        "warning agents.a.credentials: travel unencrypted, because the url is http://\nerror enough\n",
      );
    });
  });
});
