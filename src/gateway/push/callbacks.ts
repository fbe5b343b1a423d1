/**
 * Where vendors that can push tell the proxy that a task has changed, so that it need not hold a stream to them or ask
 * again and again. Each followed task has a URL of its own, for as long as it is followed, restarts of the proxy included.
 *
 * What a vendor posts is only a bell: the engine then asks the vendor for the task. So bodies of all dialects will do,
 * repeated and reordered ones do no harm, and whoever got hold of the URL could make the proxy ask, nothing more.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { PushCallback } from "../../adapter.ts";
import type { AgentConfig } from "../../config/config.ts";

/** One for all tasks: a vendor keeps configs by task, and a callback given anew takes the place of the one before. */
export const CALLBACK_ID = "a2a-compat-proxy";

const newSecret = (): string => randomBytes(32).toString("base64url");
const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");
const keyOf = (agent: string, secret: string): string => digestOf(`${agent}/${secret}`);

export class Callback {
  /** By what the callback is known again after a restart: digests of its secret and its token, which stay secrets. */
  readonly digest: string;
  readonly #tokenDigest: string;
  readonly #close: () => void;
  #bell = Promise.withResolvers<void>();

  constructor(digest: string, close: () => void) {
    this.digest = digest;
    this.#tokenDigest = digest.split(".")[1] ?? "";
    this.#close = close;
  }

  accepts(token: string): boolean {
    const [shown, expected] = [Buffer.from(digestOf(token)), Buffer.from(this.#tokenDigest)];
    return shown.length === expected.length && timingSafeEqual(shown, expected);
  }

  ring(): void {
    this.#bell.resolve();
  }

  /** Resolves when the bell rings, or has rung since `listen`. */
  get rung(): Promise<void> {
    return this.#bell.promise;
  }

  /** Forgets earlier rings: whatever they told of is being asked for now. */
  listen(): void {
    this.#bell = Promise.withResolvers();
  }

  /** From now on nothing is at the URL. */
  close(): void {
    this.#close();
  }
}

export class Callbacks {
  /** By the digest, so that the time a look-up takes says nothing about the secret. */
  readonly #open = new Map<string, Callback>();

  /** A new one, under `base`, where the vendor reaches the proxy; and what the vendor is told of it. */
  open({ name }: Pick<AgentConfig, "name">, base: string): { callback: Callback; registered: PushCallback } {
    const [secret, token] = [newSecret(), newSecret()];
    const callback = this.reopen(`${keyOf(name, secret)}.${digestOf(token)}`);
    return { callback, registered: { id: CALLBACK_ID, url: `${base}/callbacks/${name}/${secret}`, token } };
  }

  /** One that the vendor was told of before. */
  reopen(digest: string): Callback {
    const key = digest.split(".")[0] ?? "";
    const callback = new Callback(digest, () => this.#open.delete(key));
    this.#open.set(key, callback);
    return callback;
  }

  find(agent: string, secret: string): Callback | undefined {
    return this.#open.get(keyOf(agent, secret));
  }
}
