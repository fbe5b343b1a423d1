/**
 * Notifications in the dialect that each was asked for in. The outbox has the Task as it was recorded; what is sent is made of
 * it for every attempt, and the same each time.
 */
import type { Logger } from "pino";
import type { ClientDialect, Notifications } from "../dialect.ts";
import { escapeLineBreaks } from "../protocol/json.ts";
import type { Task } from "../protocol/model.ts";

export interface NotificationBody {
  readonly mediaType: string;
  readonly text: string;
}

export class NotificationForms {
  readonly #log: Logger;
  readonly #byName: ReadonlyMap<string, Notifications>;
  readonly #missed = new Set<string>();

  constructor(dialects: readonly ClientDialect[], log: Logger) {
    this.#log = log;
    this.#byName = new Map(dialects.map(({ name, notifications }) => [name, notifications]));
  }

  /** How a dialect has them; undefined: as 0.3.0, which also takes the place of a dialect that is not served any more. */
  in(dialect: string | undefined): Notifications | undefined {
    const found = dialect === undefined ? undefined : this.#byName.get(dialect);
    if (dialect === undefined || found || this.#missed.has(dialect)) return found;
    this.#missed.add(dialect);
    this.#log.warn({ dialect }, "webhooks of a dialect that is not served any more are notified in 0.3.0");
    return undefined;
  }

  /** @param json the Task as it was recorded */
  body(dialect: string | undefined, json: string): NotificationBody {
    const form = this.in(dialect);
    if (!form) return { mediaType: "application/json", text: escapeLineBreaks(json) };
    // What the engine wrote itself.
    const task: Task = JSON.parse(json);
    const { mediaType = "application/json" } = form;
    return { mediaType, text: escapeLineBreaks(JSON.stringify(form.toBody(task))) };
  }
}
