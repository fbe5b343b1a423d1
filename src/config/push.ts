/** Settings of push notifications, resolved. Times in ms. */
import type { GuardRules } from "../net/guard.ts";

export interface PushSettings extends GuardRules {
  readonly enabled: boolean;
  /** Configs of one task. */
  readonly configsPerTask: number;
  /** Notifications of one task that wait for one webhook. */
  readonly maxPending: number;
  /** One attempt, from the connection to the answer. */
  readonly timeout: number;
  readonly retryMin: number;
  readonly retryMax: number;
  /** After this a notification is given up. */
  readonly maxAge: number;
  readonly maxAttempts: number;
  /** An endpoint that has failed for this long is switched off. */
  readonly offAfter: number;
  /** Deliveries at once. */
  readonly concurrency: number;
  readonly concurrencyPerPrincipal: number;
  readonly concurrencyPerHost: number;
  /** Dead letters are deleted after this. */
  readonly keepDeadLetters: number;
  readonly jwt: PushSigning | undefined;
}

/** How an agent's vendor pushes to the proxy. */
export interface VendorPush {
  /** Where the vendor reaches the proxy; without a trailing slash. */
  readonly callbackUrl: string;
  /** How often the vendor is asked all the same, ms. */
  readonly safetyPoll: number;
  /** The callback goes along with every message. */
  readonly withMessage: boolean;
}

/** How notifications are signed. */
export interface PushSigning {
  readonly algorithm: "RS256" | "ES256" | "EdDSA";
  /** Private key, PKCS#8 in PEM. */
  readonly key: string;
  readonly keyId: string | undefined;
}
