/**
 * Where vendors that can push tell the proxy that a task has changed, so that it need not hold a stream to them or ask
 * again and again. Each followed task has a URL of its own, for as long as it is followed.
 *
 * What a vendor posts is only a bell: the engine then asks the vendor for the task. So bodies of all dialects will do,
 * repeated and reordered ones do no harm, and whoever got hold of the URL could make the proxy ask, nothing more.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { AgentConfig } from "../config/config.ts";

const newSecret = (): string => randomBytes(32).toString("base64url");
const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

export class Callback {
  /** Holds a secret, as `token` is one. */
  readonly url: string;
  /** What the vendor shows in `X-A2A-Notification-Token`, if it shows anything. */
  readonly token = newSecret();
  readonly #close: () => void;
  #bell = Promise.withResolvers<void>();

  constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
  }

  accepts(token: string): boolean {
    return timingSafeEqual(digestOf(token), digestOf(this.token));
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

  /** A new one, under `base`, where the vendor reaches the proxy. */
  open({ name }: Pick<AgentConfig, "name">, base: string): Callback {
    const secret = newSecret();
    const key = keyOf(name, secret);
    const callback = new Callback(`${base}/callbacks/${name}/${secret}`, () => this.#open.delete(key));
    this.#open.set(key, callback);
    return callback;
  }

  find(agent: string, secret: string): Callback | undefined {
    return this.#open.get(keyOf(agent, secret));
  }
}

const keyOf = (agent: string, secret: string): string => digestOf(`${agent}/${secret}`).toString("base64");
