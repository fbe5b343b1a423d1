/**
 * A stream's results to canonical events, in order. What needs memory: AppBuilder says `append: true` from an
 * artifact's first chunk on, mixes references and spoken text into the answer's artifact, spreads references over
 * events, and ends an interrupted stream without a status.
 */
import type { AgentEvent, AgentStatusUpdate } from "../../src/adapter.ts";
import type { Part } from "../../src/protocol/model.ts";
import { isFinal, isTerminal } from "../../src/protocol/states.ts";
import { isRecord } from "../shared/object.ts";
import { toCanonicalContent, toCanonicalReferences, type Content } from "./content.ts";
import { toCanonicalArtifactUpdate, toCanonicalProgress, toCanonicalStatusUpdate } from "./events.ts";
import { toCanonicalMessage } from "./message.ts";
import { toAgentMessage, toCanonicalTask } from "./task.ts";
import {
  EXTENSION,
  parseResult,
  WireUpdateMetadata,
  type WireArtifactUpdate,
  type WireStatusUpdate,
  type WireTask,
} from "./wire.ts";

interface EventTranslator {
  /** The events for one `result`; none where it says nothing. */
  translate(result: unknown): AgentEvent[];
  /** What is still to be said once the vendor has ended the stream. */
  end(): AgentEvent[];
  /** The agent waits for input: a connection that breaks now is no fault. */
  readonly interrupted: boolean;
}

export const createEventTranslator = (): EventTranslator => new Translator();

/** Content that must not run into the artifact's text: spoken text would double it, references are replaced whole. */
const APART: ReadonlySet<string> = new Set(["oral_text", "references"]);

class Translator implements EventTranslator {
  /** Which content has taken a vendor's artifact id first. */
  readonly #owners = new Map<string, string>();
  /** Artifacts that the client has a chunk of. */
  readonly #sent = new Set<string>();
  readonly #references = new Map<string, Record<string, unknown>>();
  #referencesId: string | undefined;
  #interrupt: AgentStatusUpdate | undefined;
  /** A `working` status has followed the interrupt, which must then be said again. */
  #overtaken = false;
  #error: string | undefined;
  #complete = false;
  #ended = false;

  get interrupted(): boolean {
    return this.#interrupt !== undefined;
  }

  translate(result: unknown): AgentEvent[] {
    const events = this.#read(result);
    for (const event of events) {
      if (event.kind !== "status-update" && event.kind !== "task") continue;
      this.#overtaken = event.status.state === "working";
    }
    return events;
  }

  /** `is_completion` is documented as the answer's end: with it, a missing final status is taken as said. */
  end(): AgentEvent[] {
    if (this.#ended) return [];
    if (this.#interrupt) return this.#overtaken ? [this.#interrupt] : [];
    return this.#complete ? [{ kind: "status-update", status: { state: "completed" } }] : [];
  }

  #read(result: unknown): AgentEvent[] {
    const wire = parseResult(result);
    if (!wire) return isRecord(result) ? [unrecognised(result)] : [];
    switch (wire.kind) {
      case "artifact-update":
        return [this.#artifact(wire)];
      case "status-update":
        return [this.#status(wire)];
      case "message":
        return [toCanonicalMessage(wire)];
      case "task":
        return [this.#task(wire)];
      default:
        return wire satisfies never;
    }
  }

  #artifact(wire: WireArtifactUpdate): AgentEvent {
    const dialogue = WireUpdateMetadata.parse(wire.metadata ?? {});
    if (dialogue.is_completion) this.#complete = true;
    const content = toCanonicalContent(wire.artifact, wire.append === true);
    if (content.eventStatus === "interrupt" || dialogue.status === "interrupt")
      return this.#ask(wire, content);
    if (content.errorMessage) this.#error = content.errorMessage;
    if (content.parts.length === 0) return this.#empty(wire, content);
    if (content.working) return toCanonicalProgress(wire, "working", content);
    if (content.type === "references" && content.parts.every((part) => part.kind === "data")) {
      return this.#mergeReferences(wire, content);
    }
    const channel = APART.has(content.type) ? content.type : "main";
    return this.#chunk(wire, this.#idOf(wire, channel), content.parts);
  }

  /** An event about the work, such as `preparing`, `done` or a component's error: no failure of the task. */
  #empty(wire: WireArtifactUpdate, content: Content): AgentEvent {
    if (wire.lastChunk && this.#sent.has(wire.artifact.artifactId ?? "")) {
      return { ...toCanonicalArtifactUpdate(wire, []), append: true };
    }
    const parts: Part[] = content.errorMessage ? [{ kind: "text", text: content.errorMessage }] : [];
    return toCanonicalProgress(wire, "working", { parts, thought: content.thought });
  }

  /** AppBuilder ends an interrupted stream without a status-update, so the question becomes one. */
  #ask(wire: WireArtifactUpdate, content: Content): AgentEvent {
    const parts = [...(this.#interrupt?.status.message?.parts ?? []), ...content.parts];
    this.#interrupt = toCanonicalProgress(wire, "input-required", { parts, thought: false });
    return this.#interrupt;
  }

  #mergeReferences(wire: WireArtifactUpdate, content: Content): AgentEvent {
    const before = this.#references.size;
    for (const part of content.parts) {
      if (part.kind === "data") this.#references.set(JSON.stringify(part.data), part.data);
    }
    if (this.#references.size === before) return this.#empty(wire, { ...content, parts: [] });
    this.#referencesId ??= this.#idOf(wire, "references");
    const parts = toCanonicalReferences([...this.#references.values()]);
    return this.#chunk({ ...wire, append: false }, this.#referencesId, parts);
  }

  /** The vendor's id, or one derived from it where other content has taken it. */
  #idOf({ artifact: { artifactId } }: WireArtifactUpdate, channel: string): string {
    const id = artifactId ?? "";
    const owner = this.#owners.get(id) ?? channel;
    this.#owners.set(id, owner);
    return owner === channel ? id : `${id}.${channel}`;
  }

  /** `append: true` on an artifact's first chunk means nothing; `append: false` on a later one replaces it. */
  #chunk(wire: WireArtifactUpdate, id: string, parts: Part[]): AgentEvent {
    const append = wire.append === true && this.#sent.has(id);
    this.#sent.add(id);
    const artifact = { ...wire.artifact, artifactId: id || undefined };
    return { ...toCanonicalArtifactUpdate({ ...wire, artifact }, parts), append };
  }

  /** A status of AppBuilder's has no message: a failure gets the last error, a question what was asked. */
  #status(wire: WireStatusUpdate): AgentEvent {
    const update = toCanonicalStatusUpdate(wire);
    const { status } = update;
    if (!isFinal(status.state)) return update;
    this.#ended = true;
    if (status.state === "failed" && this.#error) {
      status.message ??= toAgentMessage([{ kind: "text", text: this.#error }], false);
    } else if (!isTerminal(status.state)) {
      status.message ??= this.#interrupt?.status.message;
    }
    return update;
  }

  #task(wire: WireTask): AgentEvent {
    for (const { artifactId } of wire.artifacts ?? wire.aritfacts ?? []) {
      if (!artifactId) continue;
      this.#owners.set(artifactId, "main");
      this.#sent.add(artifactId);
    }
    const task = toCanonicalTask(wire);
    if (isFinal(task.status.state)) this.#ended = true;
    return task;
  }
}

/** A result that is none of the four: kept, as a sign of life. */
const unrecognised = (result: Record<string, unknown>): AgentStatusUpdate => ({
  kind: "status-update",
  status: { state: "working" },
  metadata: { [EXTENSION]: { result } },
});
