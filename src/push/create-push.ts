/** Puts the parts of push notifications together. */
import type { JWK } from "jose";
import type { Logger } from "pino";
import type { PushSettings } from "../config/push.ts";
import { UrlGuard, type Resolve } from "../net/guard.ts";
import type { ClientDialect } from "../dialect.ts";
import type { PushNotificationConfig } from "../protocol/params.ts";
import type { PushStore } from "../store/push-store.ts";
import { authenticationFault, type CredentialsFault } from "./authentication.ts";
import { Courier } from "./delivery.ts";
import { NotificationForms } from "./forms.ts";
import { createSigner } from "./signer.ts";
import { PushWorker } from "./worker.ts";

/** What a task engine needs to take push configs. */
export interface PushPolicy {
  readonly guard: UrlGuard;
  readonly configsPerTask: number;
  /** Why the token or the credentials cannot be sent as the dialect has it; undefined if they can. */
  credentialsFault(config: PushNotificationConfig, dialect: string | undefined): CredentialsFault | undefined;
  /** To be called when a notification was queued. */
  wake(): void;
}

export interface Push extends PushPolicy {
  /** Public keys that notifications are signed with. */
  readonly publicKeys: readonly JWK[];
  /** See `PushWorker.stop`. */
  stop(grace: number): Promise<void>;
}

export interface PushDeps {
  readonly store: PushStore;
  /** What clients may speak besides 0.3.0. */
  readonly dialects: readonly ClientDialect[];
  /** The proxy's public URL. */
  readonly issuer: string;
  readonly log: Logger;
  readonly now: () => number;
  /** The system's where absent. */
  readonly resolve?: Resolve | undefined;
}

/** Nothing is delivered before the first `wake`; rejects where notifications cannot be signed as configured. */
export async function createPush(settings: PushSettings, deps: PushDeps): Promise<Push> {
  const { store, dialects, issuer, log, now, resolve } = deps;
  const guard = new UrlGuard(settings, resolve);
  const signer = settings.jwt && (await createSigner(settings.jwt, issuer));
  const forms = new NotificationForms(dialects, log);
  const courier = new Courier({ guard, signer, forms, settings, now });
  const deliver = courier.deliver.bind(courier);
  const worker = new PushWorker({ store, deliver, settings, log, now, random: Math.random });
  return {
    guard,
    configsPerTask: settings.configsPerTask,
    credentialsFault: (config, dialect) => authenticationFault(config, forms.in(dialect)),
    publicKeys: signer ? [signer.publicKey] : [],
    wake: () => worker.wake(),
    stop: async (grace) => {
      await worker.stop(grace);
      await courier.close();
    },
  };
}
