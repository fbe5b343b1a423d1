/** The command line. */
import { Command, CommanderError } from "commander";
import { backup } from "./backup.ts";
import { check } from "./check.ts";
import { demo } from "./demo.ts";
import type { CliDeps } from "./deps.ts";
import { EXIT, explain } from "./failure.ts";
import { printNewKey } from "./key.ts";
import { line, paint } from "./print.ts";
import { dropLetters, listLetters, replayLetters } from "./push.ts";
import { serve } from "./serve.ts";

const EXIT_CODES = `
Exit codes:
  0  done, or ended by a signal
  1  a fault: in the configuration, of a vendor (check), or the proxy cannot start
  2  the command line was not understood`;

const DEMO_ENV = `
Environment:
  PORT       port of the proxy (8080)
  GRPC_PORT  port of the proxy for gRPC (a free one)
  DEMO_PORT  port of the demo vendors (9100)`;

/** Runs the command that `args` (without node and script) name; resolves with the exit code. Never rejects. */
export async function run(args: readonly string[], deps: CliDeps): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(deps, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    line(deps.err, `${paint(deps.err, "red", "error")} ${explain(thrown)}`);
    return EXIT.fault;
  }
}

function createProgram(deps: CliDeps, done: (code: number) => void): Command {
  const program = new Command("a2a-proxy")
    .description("Serves agents of any A2A dialect as complete A2A 0.3.0 agents.")
    .version(deps.version)
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => deps.out.write(text),
      writeErr: (text) => deps.err.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", EXIT_CODES);

  const command = (name: string, description: string): Command =>
    program.command(name).description(description).addHelpText("after", EXIT_CODES);
  const withConfig = (command: Command): Command =>
    command.option("-c, --config <file>", "the configuration", "config.yaml");

  withConfig(command("serve", "Run the proxy.")).action(async (options: { config: string }) =>
    done(await serve(options, deps)),
  );
  command("demo", "Run the proxy in front of bundled demo vendors; needs no keys.")
    .addHelpText("after", DEMO_ENV)
    .action(async () => done(await demo(deps)));
  withConfig(
    command(
      "check",
      "Check the configuration, probe every agent, and show which methods are native and which emulated.",
    ),
  )
    .option("--offline", "check the file only")
    .action(async (options: { config: string; offline?: boolean }) => done(await check(options, deps)));
  program
    .command("key")
    .description("API keys for callers.")
    .command("new")
    .description("Make a key, and print it with the hash that the configuration holds of it.")
    .action(() => printNewKey(deps));
  withConfig(command("backup <file>", "Copy the store to a new file, also while the proxy runs.")).action(
    async (file: string, options: { config: string }) => done(await backup(file, options, deps)),
  );
  addPush(program, deps, done);
  return program;
}

function addPush(program: Command, deps: CliDeps, done: (code: number) => void): void {
  const push = program
    .command("push")
    .description("Push notifications that were given up, and webhooks that fail.");
  const command = (usage: string, description: string): Command =>
    push
      .command(usage)
      .description(description)
      .option("-c, --config <file>", "the configuration", "config.yaml")
      .addHelpText("after", EXIT_CODES);
  command("list", "List them, the oldest first.").action(async (options: { config: string }) =>
    done(await listLetters(options, deps)),
  );
  command("replay [id...]", "Queue them again: the proxy delivers them within a minute.")
    .option("--all", "all of them")
    .action(async (ids: string[], options: { config: string; all?: boolean }) =>
      done(await replayLetters(ids, options, deps)),
    );
  command("drop [id...]", "Delete them.")
    .option("--all", "all of them")
    .action(async (ids: string[], options: { config: string; all?: boolean }) =>
      done(await dropLetters(ids, options, deps)),
    );
}
