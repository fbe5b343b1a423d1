/** The turns of one agent that are running: who runs which task, and how they all end when the proxy stops. */
import { Bag } from "../../collections/bag.ts";
import { Registry } from "../../collections/registry.ts";
import type { EngineContext } from "../context.ts";
import type { IdMapper } from "./id-mapper.ts";
import type { Lease, Leases } from "./leases.ts";
import { TurnRunner } from "./turn-runner.ts";
import type { Turn } from "./turn.ts";

export class Turns {
  readonly #context: EngineContext;
  readonly #ids: IdMapper;
  readonly #leases: Leases;
  readonly #runs = new Bag<TurnRunner>();
  /** Those of them that clients know as a task. */
  readonly #tasks = new Registry<TurnRunner>();

  constructor(context: EngineContext, ids: IdMapper, leases: Leases) {
    this.#context = context;
    this.#ids = ids;
    this.#leases = leases;
  }

  /** The task's running turn. */
  get(taskId: string): TurnRunner | undefined {
    return this.#tasks.get(taskId);
  }

  /** Begins a turn; it holds the lease of its task until it is over. */
  start(turn: Turn): TurnRunner {
    const publish = (lease: Lease): void => {
      this.#tasks.set(lease.taskId, run);
      this.#leases.begun(lease);
    };
    const run = new TurnRunner(this.#context, this.#ids, turn, publish);
    this.#runs.add(run);
    if (turn.existing) publish(turn.existing.lease);
    void run.done.then(() => this.#forget(run));
    void run.run();
    return run;
  }

  /** Gives running turns `grace` ms to end, then ends them or leaves their tasks to the next start. */
  async stop(grace: number): Promise<void> {
    const all = Promise.all(this.#runs.members().map((run) => run.done));
    if (await this.#context.deadlines.wait(grace, all)) return;
    const text = "The proxy was shut down before the agent had finished";
    await Promise.all(this.#runs.members().map((run) => run.shutDown({ state: "failed", text })));
  }

  #forget(run: TurnRunner): void {
    this.#runs.delete(run);
    const { lease } = run;
    if (!lease) return;
    this.#tasks.delete(lease.taskId);
    this.#leases.release(lease);
  }
}
