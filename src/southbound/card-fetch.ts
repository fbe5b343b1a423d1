/**
 * Finds the vendor's card: protected or not, at one well-known name or the other, behind a server that answers
 * HTML for what it does not have. Control plane, so got's retries earn their keep.
 */
import got, { type Got, type HttpsOptions, type PlainResponse, type Response } from "got";
import type { AgentConfig } from "../config/config.ts";
import { A2AError } from "../protocol/errors.ts";
import { isFields } from "../protocol/json.ts";
import { MAX_NESTING, isNestedDeeper } from "../protocol/nesting.ts";
import type { Authorizer } from "./authorizer.ts";
import { withQuery, type Authorization } from "./credentials.ts";
import { CardRevalidation } from "./card-revalidation.ts";
import type { Redact } from "./redact.ts";
import type { LiveTls, TlsIdentity } from "./tls.ts";
import { toTransportError } from "./transport-error.ts";

export interface CardFetcherOptions {
  /** The agent's name, for errors. */
  readonly agent: string;
  /** What JSON-RPC is posted to; credentials go to its origin only, whatever URLs the card has. */
  readonly url: string;
  readonly card: AgentConfig["card"];
  readonly authorizer: Authorizer;
  readonly tls?: LiveTls | undefined;
  readonly timeouts: Pick<AgentConfig["timeouts"], "connect" | "request">;
  readonly limits: Pick<AgentConfig["limits"], "responseBody">;
  readonly redact: Redact;
  /** Keeps what the vendor says of keeping its card; one that nobody else sees where absent. */
  readonly revalidation?: CardRevalidation;
  /** The longest wait before a retry, ms, where the vendor names none; 250 by default. */
  readonly backoffLimit?: number;
}

/** One URL without a card. */
interface Miss {
  /** Without its query. */
  readonly url: string;
  readonly status?: number;
  /** A code such as ECONNREFUSED. */
  readonly cause?: unknown;
  readonly reason: string;
}

type Outcome = { readonly card: unknown } | { readonly miss: Miss };

const RETRIES = 2;
/** ms; short, since some dialects need the card before they can stream. */
const BACKOFF_LIMIT = 250;
const NOTHING: Authorization = { headers: {}, query: undefined };
const withoutQuery = (url: URL): string => url.origin + url.pathname;

/** A redirect may move the card within its host, not to another. */
function staysAtOrigin({ headers, url }: PlainResponse): boolean {
  const target = URL.parse(headers.location ?? "", url);
  return target !== null && target.origin === new URL(url).origin;
}

function readCard({ statusCode: status, body, headers }: Response<string>, url: string): Outcome {
  const miss = (reason: string): Outcome => ({ miss: { url, status, reason } });
  if (status >= 300 && status < 400) return miss(`redirects to another host (HTTP ${status})`);
  if (status < 200 || status >= 300) return miss(`HTTP ${status}`);
  try {
    const card: unknown = JSON.parse(body);
    if (isNestedDeeper(card)) return miss(`more than ${MAX_NESTING} nested levels`);
    return isFields(card) ? { card } : miss("not a JSON object");
  } catch {
    return miss(headers["content-type"]?.includes("html") ? "HTML" : "not JSON");
  }
}

const httpsOptions = ({ cert, key, ca, serverName }: TlsIdentity = {}): HttpsOptions => ({
  ...(cert && { certificate: cert }),
  ...(key && { key }),
  ...(ca && { certificateAuthority: ca }),
  ...(serverName && { serverName }),
});

function clientFor({ timeouts, backoffLimit = BACKOFF_LIMIT }: CardFetcherOptions): Got {
  return got.extend({
    followRedirect: staysAtOrigin,
    maxRedirects: 3,
    throwHttpErrors: false,
    timeout: { lookup: timeouts.connect, connect: timeouts.connect, request: timeouts.request },
    retry: {
      limit: RETRIES,
      methods: ["GET"],
      statusCodes: [429, 500, 502, 503, 504],
      backoffLimit,
      noise: 0,
    },
    headers: { accept: "application/json", "user-agent": undefined },
  });
}

/** The returned function resolves with the card as it is, and rejects with an A2AError that tells what was tried. */
export function createCardFetcher(options: CardFetcherOptions): (signal: AbortSignal) => Promise<unknown> {
  const { agent, authorizer, card, limits, redact, revalidation = new CardRevalidation() } = options;
  const { origin } = new URL(options.url);
  const client = clientFor(options);

  /** Nothing that proves who asks goes to another origin than the agent's. */
  async function tryUrl(address: string, signal: AbortSignal): Promise<Outcome> {
    const configured = new URL(address);
    if (configured.origin !== origin) return request(configured, NOTHING, signal);
    const secured = httpsOptions(options.tls?.());
    const authorization = await authorizer.authorize(signal);
    const outcome = await request(configured, authorization, signal, secured);
    const isRefused = "miss" in outcome && outcome.miss.status === 401 && authorizer.refused(authorization);
    return isRefused ? request(configured, await authorizer.authorize(signal), signal, secured) : outcome;
  }

  async function request(
    configured: URL,
    authorization: Authorization,
    signal: AbortSignal,
    https: HttpsOptions = {},
  ): Promise<Outcome> {
    const url = withQuery(configured, authorization);
    const headers = { ...authorization.headers, ...revalidation.conditionFor(configured.href) };
    const tooLarge = new AbortController();
    const answer = client(url, { headers, https, signal: AbortSignal.any([signal, tooLarge.signal]) });
    const shown = withoutQuery(configured);
    void answer.on("downloadProgress", ({ transferred }) => {
      if (transferred > limits.responseBody) tooLarge.abort();
    });
    try {
      const response = await answer;
      const outcome = revalidation.unchanged(response, configured.href) ?? readCard(response, shown);
      if ("card" in outcome) revalidation.note(outcome.card, response, configured.href);
      return outcome;
    } catch (error) {
      if (tooLarge.signal.aborted) {
        return { miss: { url: shown, reason: `more than ${limits.responseBody} bytes` } };
      }
      const fault = toTransportError(error, { agent, stage: "card", signal, redact });
      if (signal.aborted) throw fault;
      return { miss: { url: shown, cause: fault.data?.["cause"], reason: fault.message } };
    }
  }

  return async (signal) => {
    if (card.inline) return card.inline;
    const misses: Miss[] = [];
    const unreachable = new Set<string>();
    for (const address of card.urls) {
      const host = new URL(address).origin;
      if (unreachable.has(host)) continue;
      const outcome = await tryUrl(address, signal);
      if ("card" in outcome) return outcome.card;
      misses.push(outcome.miss);
      if (outcome.miss.cause !== undefined) unreachable.add(host);
    }
    throw noCard(agent, misses, redact);
  };
}

/** The agent is there, and answers with something else. */
const isElsewhere = ({ status = 0, cause }: Miss): boolean =>
  cause === undefined && (status === 404 || status === 405 || (status >= 200 && status < 300));

const ELSEWHERE =
  "; if the agent serves it elsewhere, such as at /.well-known/<id>/agent-card.json, set `card` to that URL";

function noCard(agent: string, misses: readonly Miss[], redact: Redact): A2AError {
  const reasons = [...new Set(misses.map(({ reason }) => reason))].join("; ");
  const hint = misses.length > 0 && misses.every(isElsewhere) ? ELSEWHERE : "";
  const unavailable = misses.some(
    ({ cause, status = 0 }) => cause !== undefined || status === 429 || status >= 500,
  );
  return new A2AError(unavailable ? "agent-unavailable" : "invalid-agent-response", {
    message: redact(`No card of the agent ${agent} was found: ${reasons || "its URL has none"}${hint}`),
    data: { agent, stage: "card", tried: redact(misses) },
  });
}
