/** One attempt to bring a notification to its webhook. */
import { request, type Agent, type Dispatcher } from "undici";
import type { PushSettings } from "../config/push.ts";
import { GuardError, UnresolvedError, type UrlGuard } from "../net/guard.ts";
import { isFields } from "../protocol/json.ts";
import { retryAfterOf } from "../net/retry-after.ts";
import { PushNotificationConfig } from "../protocol/params.ts";
import type { NotificationRecord } from "../store/push-store.ts";
import { authenticationHeaders } from "./authentication.ts";
import type { NotificationBody, NotificationForms } from "./forms.ts";
import type { Signer } from "./signer.ts";

/** The same in every attempt: by it a webhook knows what it has had already. */
const ID_HEADER = "X-A2A-Notification-Id";
/** Where the client's own credentials are in `Authorization`. */
const JWT_HEADER = "X-A2A-Notification-JWT";

/** Of an answer's body, which nobody reads. */
const MAX_ANSWER = 64 * 1024;

/** `reason` holds no secret. */
export type Outcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfter?: number | undefined }
  /** There was no answer: nothing else there is likely to have one. */
  | { readonly kind: "silent"; readonly reason: string }
  /** The webhook wants no more of it, or is at no place where one may be. */
  | { readonly kind: "refused"; readonly reason: string };

export interface CourierOptions {
  readonly guard: UrlGuard;
  readonly signer: Signer | undefined;
  readonly forms: NotificationForms;
  readonly settings: Pick<PushSettings, "timeout" | "concurrencyPerHost">;
  readonly now: () => number;
}

export class Courier {
  readonly #options: CourierOptions;
  readonly #agent: Agent;

  constructor(options: CourierOptions) {
    const { timeout, concurrencyPerHost } = options.settings;
    this.#options = options;
    this.#agent = options.guard.agent({ connections: concurrencyPerHost, connectTimeout: timeout });
  }

  /** Never rejects. */
  async deliver(notification: NotificationRecord, signal: AbortSignal): Promise<Outcome> {
    const { guard, settings, forms } = this.#options;
    const timeout = AbortSignal.timeout(settings.timeout);
    try {
      const config = PushNotificationConfig.parse(JSON.parse(notification.config.json));
      // The rules may have changed since the config was set.
      const fault = guard.fault(config.url);
      if (fault !== undefined) return { kind: "refused", reason: fault };
      const body = forms.body(notification.config.dialect, notification.json);
      const response = await request(config.url, {
        dispatcher: this.#agent,
        method: "POST",
        headers: await this.#headers(notification, config, body),
        body: body.text,
        signal: AbortSignal.any([signal, timeout]),
      });
      // Whatever becomes of the body, the status is the answer.
      await response.body.dump({ limit: MAX_ANSWER }).catch(() => {});
      return outcomeOf(response, this.#options.now());
    } catch (error) {
      if (error instanceof GuardError) return { kind: "refused", reason: error.message };
      if (timeout.aborted) return { kind: "silent", reason: `no answer within ${settings.timeout} ms` };
      return { kind: "silent", reason: reasonOf(error) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #headers(
    { id, config: { taskId, origin, dialect } }: NotificationRecord,
    config: PushNotificationConfig,
    { mediaType, text: body }: NotificationBody,
  ): Promise<Record<string, string>> {
    const { signer, forms, now } = this.#options;
    const headers: Record<string, string> = {
      "Content-Type": mediaType,
      "User-Agent": "a2a-compat-proxy",
      [ID_HEADER]: id,
      ...authenticationHeaders(config, forms.in(dialect)),
    };
    if (!signer) return headers;
    const jwt = await signer.sign({ audience: origin, taskId, body, now: now() });
    if ("Authorization" in headers) headers[JWT_HEADER] = jwt;
    else headers["Authorization"] = `Bearer ${jwt}`;
    return headers;
  }
}

function outcomeOf({ statusCode: status, headers }: Dispatcher.ResponseData, now: number): Outcome {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410) return { kind: "refused", reason: "HTTP 410" };
  const isRedirect = status >= 300 && status < 400;
  const reason = isRedirect ? `HTTP ${status}; redirects are not followed` : `HTTP ${status}`;
  return { kind: "failed", reason, retryAfter: retryAfterOf(headers["retry-after"], now) };
}

/** Codes; messages may hold what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof UnresolvedError) return error.message;
  if (isFields(error) && typeof error["code"] === "string") return error["code"];
  return error instanceof Error ? error.name : "unknown failure";
}
