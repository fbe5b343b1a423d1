/** A client over gRPC that is killed in mid-stream and started anew, while the proxy is killed and started anew as well. */
import { afterAll, expect, test } from "@jest/globals";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startVendors } from "../../src/demo/vendors.ts";
import { AgentCard } from "../../src/protocol/card.ts";
import { Task, TaskArtifactUpdateEvent, type Artifact } from "../../src/protocol/model.ts";
import { fromProtoJsonResponse } from "../../src/protocol/proto-json.ts";
import { rpc } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import { until } from "../northbound/harness.ts";
import { startProgram } from "./program.ts";

const CLIENT = join(import.meta.dirname, "grpc-resume-child.ts");
const STEPS = Array.from({ length: 66 }, (_, index) => index + 1);

const folder = await mkdtemp(join(tmpdir(), "grpc-resume-"));
/** Of a slow answer, ms; it has to outlast the starts of all these processes. */
const vendors = await startVendors(0, { pace: 100 });
const children = new Set<ChildProcess>();
const programs: Awaited<ReturnType<typeof startProgram>>[] = [];

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const program of programs) await program.kill("SIGKILL");
  await vendors.stop();
  await rm(folder, { recursive: true });
});

async function startProxy() {
  const program = await startProgram(folder, {
    server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } },
    default: "traveller",
    agents: { traveller: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` } },
  });
  programs.push(program);
  const url = await program.url;
  const card = AgentCard.parse(await (await fetch(`${url}/.well-known/agent-card.json`)).json());
  const address = card.additionalInterfaces?.find(({ transport }) => transport === "GRPC")?.url;
  if (address === undefined) throw new Error("the card has no address for gRPC");
  return { program, url, address };
}

const file = join(folder, "seen.jsonl");
const seen = (): unknown[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line): unknown => fromProtoJsonResponse(JSON.parse(line)))
    : [];

const partsText = ({ parts }: Artifact): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** What the client has in the end: a Task stands for all before it. */
function textSeen(): string {
  const texts = new Map<string, string>();
  for (const event of seen()) {
    const task = Task.safeParse(event).data;
    if (task) texts.clear();
    for (const artifact of task?.artifacts ?? []) texts.set(artifact.artifactId, partsText(artifact));
    const { artifact, append } = TaskArtifactUpdateEvent.safeParse(event).data ?? {};
    if (!artifact) continue;
    const before = append ? (texts.get(artifact.artifactId) ?? "") : "";
    texts.set(artifact.artifactId, before + partsText(artifact));
  }
  return [...texts.values()].join("");
}

const tasksSeen = (): unknown[] => seen().filter((event) => Task.safeParse(event).success);

function startClient(address: string): ChildProcess {
  const child = spawn(process.execPath, [CLIENT, address, file], { stdio: "ignore" });
  children.add(child);
  return child;
}

/** Kills the client once it has seen so many events more. */
async function killAfter(child: ChildProcess, events: number): Promise<void> {
  const before = seen().length;
  await until(() => seen().length >= before + events || child.exitCode !== null);
  expect(child.exitCode).toBeNull();
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("every byte arrives once, whoever is killed when", async () => {
  const first = await startProxy();
  await killAfter(startClient(first.address), 4);
  await killAfter(startClient(first.address), 5);
  const orphan = startClient(first.address);
  await until(() => seen().length > 12);
  await first.program.kill("SIGKILL");
  if (orphan.exitCode === null) await once(orphan, "exit");
  expect(orphan.exitCode).toBe(1);
  // The proxy had every event, so nobody was given the Task again.
  expect(tasksSeen()).toHaveLength(1);

  const second = await startProxy();
  await killAfter(startClient(second.address), 3);
  const last = startClient(second.address);
  await once(last, "exit");
  expect(last.exitCode).toBe(0);
  expect(textSeen()).toBe(STEPS.map((n) => `Step ${n}. `).join(""));
  const { id } = Task.parse(seen()[0]);
  const task = Task.parse((await rpc(`${second.url}/agents/traveller/`, "tasks/get", { id })).result);
  expect([task.status.state, textOf(task)]).toEqual(["completed", textSeen()]);
});
