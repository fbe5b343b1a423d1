/**
 * What an agent's reader of ProtoJSON and protobuf wants otherwise than 0.3.0 says. The SDKs of Python and Java put the
 * base64 of a file into the field `bytes`, which is base64 once more on the wire; the Java SDK refuses a message with
 * members that its older proto does not have. What was found out is remembered while the process runs.
 */
import type { Logger } from "pino";
import type { CallScope, HttpResponse } from "../../src/southbound/http.ts";
import type { Message, Part } from "../../src/protocol/model.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { MIN_REPAIRED, withPlainBytes } from "../../src/protocol/sdk-quirks.ts";
import { messageOf } from "./rest-fault.ts";
import type { Request } from "./transport.ts";

/** How often the bytes of a file are encoded as base64. */
export type FileBytes = "once" | "twice";

interface ReaderOptions {
  readonly fileBytes: FileBytes | "auto";
  /** Asks the agent, without effects there; undefined if it does not tell now. */
  readonly ask: (call: CallScope) => Promise<FileBytes | undefined>;
  readonly log: Logger;
}

/** Members that an older proto lacks, and without which a message still says what it should. */
const OPTIONAL = ["Part.metadata", "FilePart.name"] as const;
type Optional = (typeof OPTIONAL)[number];

/** What readers say of a member that they do not know: Java's, then Python's. */
const UNKNOWN_FIELD = [
  /Cannot find field: (?<field>\w+) in message (?:\w+\.)*(?<type>\w+)/,
  /Message type "(?:\w+\.)*(?<type>\w+)" has no field named "(?<field>\w+)"/,
] as const;

export class AgentReader {
  readonly #options: ReaderOptions;
  #fileBytes: FileBytes | undefined;
  readonly #refused = new Set<Optional>();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#fileBytes = options.fileBytes === "auto" ? undefined : options.fileBytes;
  }

  /** The request as this agent understands it. Asks the agent before the first file with bytes. */
  async prepared(request: Request, call: CallScope): Promise<Request> {
    if (request.method !== "message/send" && request.method !== "message/stream") return request;
    const { message } = request.params;
    const isTwice = message.parts.some(hasBytes) && (await this.#bytes(call)) === "twice";
    if (!isTwice && this.#refused.size === 0) return request;
    return { ...request, params: this.#adapted(request.params, isTwice) };
  }

  /** Whether the agent has refused a message for a member that can be left out; it then is, from now on. */
  learns({ status, json }: Pick<HttpResponse, "status" | "json">): boolean {
    if (status !== 400 && status !== 422) return false;
    const text = messageOf(json);
    const named = UNKNOWN_FIELD.map((pattern) => pattern.exec(text)?.groups).find(Boolean);
    const found = OPTIONAL.find((one) => one === `${named?.["type"]}.${named?.["field"]}`);
    if (found === undefined || this.#refused.has(found)) return false;
    this.#refused.add(found);
    this.#options.log.warn({ member: found }, "the agent refuses messages with this member; it is left out");
    return true;
  }

  /** What the agent has answered, with the bytes of files encoded once. */
  read(value: unknown): unknown {
    return this.#fileBytes === "once" && this.#options.fileBytes === "once"
      ? value
      : withPlainBytes(value, this.#fileBytes === "twice" ? 0 : MIN_REPAIRED);
  }

  async #bytes(call: CallScope): Promise<FileBytes> {
    this.#fileBytes ??= await this.#options.ask(call);
    return this.#fileBytes ?? "once";
  }

  #adapted(params: MessageSendParams, isTwice: boolean): MessageSendParams {
    const parts = params.message.parts.map((part) => this.#part(part, isTwice));
    const message: Message = { ...params.message, parts };
    return { ...params, message };
  }

  #part(part: Part, isTwice: boolean): Part {
    const { metadata, ...bare } = part;
    const kept = metadata === undefined || this.#refused.has("Part.metadata") ? {} : { metadata };
    if (bare.kind !== "file") return { ...bare, ...kept };
    const { name, ...file } = bare.file;
    const named = name === undefined || this.#refused.has("FilePart.name") ? {} : { name };
    const bytes = file.bytes === undefined || !isTwice ? {} : { bytes: encoded(file.bytes) };
    return { ...bare, ...kept, file: { ...file, ...named, ...bytes } };
  }
}

const hasBytes = (part: Part): boolean => part.kind === "file" && part.file.bytes !== undefined;

const encoded = (text: string): string => Buffer.from(text).toString("base64");
