/**
 * What is on its way, and what must therefore not be begun: so that webhooks which hang hold up neither those that do not
 * nor another caller's.
 */
import type { PushSettings } from "../config/push.ts";
import type { ClaimExcept, EndpointName, NotificationRecord } from "../store/push-store.ts";

export type LoadLimits = Pick<PushSettings, "concurrency" | "concurrencyPerPrincipal" | "concurrencyPerHost">;

export class Load {
  readonly #limits: LoadLimits;
  readonly #running = new Set<NotificationRecord>();

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  begin(notification: NotificationRecord): void {
    this.#running.add(notification);
  }

  end(notification: NotificationRecord): void {
    this.#running.delete(notification);
  }

  get isFull(): boolean {
    return this.#running.size >= this.#limits.concurrency;
  }

  get except(): ClaimExcept {
    const { concurrency, concurrencyPerPrincipal, concurrencyPerHost } = this.#limits;
    const [origins, principals] = [new Map<string, number>(), new Map<string, number>()];
    const endpoints: EndpointName[] = [];
    let unproven = 0;
    for (const { config, endpoint } of this.#running) {
      const { principal, origin } = config;
      count(origins, origin);
      count(principals, principal);
      if (endpoint.isGood) continue;
      // One attempt at a time, until one arrives.
      endpoints.push({ principal, origin });
      unproven += 1;
    }
    return {
      endpoints,
      origins: reaching(origins, concurrencyPerHost),
      principals: reaching(principals, concurrencyPerPrincipal),
      unproven: unproven >= Math.ceil((concurrency * 3) / 4),
    };
  }
}

const count = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

const reaching = (counts: ReadonlyMap<string, number>, limit: number): string[] =>
  [...counts].filter(([, number]) => number >= limit).map(([name]) => name);
