import { describe, expect, test } from "@jest/globals";
import { createWorld, withFile } from "./support.ts";

describe("the command line", () => {
  test("says its version", async () => {
    const world = createWorld();
    expect(await world.run("--version")).toBe(0);
    expect(world.out.text).toBe("9.8.7\n");
  });

  test.each([
    [[], ["serve", "demo", "check"]],
    [["serve"], ["--config <file>"]],
    [["demo"], ["PORT", "GRPC_PORT", "DEMO_PORT"]],
    [["check"], ["--config <file>", "--offline"]],
  ])("%j --help describes its options and exit codes", async (command, words) => {
    const world = createWorld();
    expect(await world.run(...command, "--help")).toBe(0);
    for (const word of [...words, "Exit codes:"]) expect(world.out.text).toContain(word);
    expect(world.err.text).toBe("");
  });

  test.each([
    [["sevre"], "error: unknown command 'sevre'\n(Did you mean serve?)"],
    [["serve", "--confg", "x"], "error: unknown option '--confg'\n(Did you mean --config?)"],
    [["serve", "--config"], "error: option '-c, --config <file>' argument missing"],
    [["demo", "now"], "error: too many arguments for 'demo'"],
  ])("%j is not understood: help, and exit code 2", async (args, message) => {
    const world = createWorld();
    expect(await world.run(...args)).toBe(2);
    expect(world.err.text).toContain(message);
    expect(world.err.text).toContain("Usage: a2a-proxy");
    expect(world.out.text).toBe("");
  });

  test("without a command shows the help, with exit code 2", async () => {
    const world = createWorld();
    expect(await world.run()).toBe(2);
    expect(world.err.text).toContain("Usage: a2a-proxy");
  });

  test.each(["serve", "check"])(
    "%s lists the faults of the configuration, without a stack",
    async (command) => {
      await withFile("agents: {}\nx: 1\n", async (file) => {
        const world = createWorld();
        expect(await world.run(command, "--config", file)).toBe(1);
        expect(world.err.text).toBe(
          [
            "error There are 2 errors in the configuration:",
            `  ${file}:1:1  agents: must name at least one agent`,
            `  ${file}:2:1  x: unknown key`,
            "",
          ].join("\n"),
        );
      });
    },
  );

  test("names a configuration that is not there", async () => {
    const world = createWorld();
    expect(await world.run("serve", "-c", "/no/such.yaml")).toBe(1);
    expect(world.err.text).toContain("/no/such.yaml  there is no such file");
  });
});
