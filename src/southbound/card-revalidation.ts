/** What a vendor says of keeping its card (RFC 9110, 8.8.3; RFC 9111, 5.2.2): asks whether it is still the same. */
import type { IncomingHttpHeaders } from "node:http";

interface Answer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

interface Remembered {
  readonly url: string;
  readonly etag: string;
  readonly card: unknown;
}

export class CardRevalidation {
  #known: Remembered | undefined;
  /** For how long the card may be kept, ms, as the vendor said last; 0 where not at all, undefined where it is silent. */
  maxAge: number | undefined;

  /** The headers that let the vendor answer 304. */
  conditionFor(url: string): Record<string, string> {
    return this.#known?.url === url ? { "if-none-match": this.#known.etag } : {};
  }

  /** The card that a 304 stands for. */
  unchanged({ statusCode }: Answer, url: string): { card: unknown } | undefined {
    return statusCode === 304 && this.#known?.url === url ? { card: this.#known.card } : undefined;
  }

  /** Takes note of a card that has come from `url`. */
  note(card: unknown, { headers }: Answer, url: string): void {
    const etag = headers.etag ?? (this.#known?.card === card ? this.#known?.etag : undefined);
    this.#known = etag === undefined ? undefined : { url, etag, card };
    this.maxAge = maxAgeOf(headers["cache-control"]);
  }
}

function maxAgeOf(told: string | undefined): number | undefined {
  if (told === undefined) return undefined;
  if (/\b(no-store|no-cache)\b/i.test(told)) return 0;
  const [, seconds] = /\bmax-age="?(\d{1,9})/i.exec(told) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
