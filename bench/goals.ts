/** The goals, each as one ratio of medians of the same run. */
import { DIALECTS } from "./dialects.ts";
import type { Results } from "./measures.ts";

export interface Verdict {
  readonly goal: string;
  readonly limit: number;
  /** The measured ratio; NaN where the peer is missing, or adds nothing that could be measured. */
  readonly value: number;
  readonly met: boolean;
}

const PROXY = "a2a-compat-proxy";

const atLeast = (goal: string, value: number, limit: number): Verdict => ({
  goal,
  value,
  limit,
  met: value >= limit,
});

const atMost = (goal: string, value: number, limit: number): Verdict => ({
  goal,
  value,
  limit,
  met: value <= limit,
});

export function verdicts(results: Results, sizes: readonly number[]): Verdict[] {
  const of = (measure: string, peer = PROXY, dialect = "canonical"): number =>
    results.median(measure, peer, dialect);
  const perDialect = Object.keys(DIALECTS).flatMap((dialect) => [
    atLeast(`sends, ${dialect}: × SDK relay`, of("sends", PROXY, dialect) / of("sends", "SDK relay"), 4),
    atLeast(`sends, ${dialect}: × nginx`, of("sends", PROXY, dialect) / of("sends", "nginx"), 0.3),
    atLeast(`events, ${dialect}: × SDK relay`, of("events", PROXY, dialect) / of("events", "SDK relay"), 2),
  ]);
  const [few = 0, many = 0] = sizes;
  const added = (measure: string): Verdict => {
    const basis = of(measure, "nginx");
    return atMost(`${measure}: × nginx`, basis > 0 ? of(measure) / basis : Number.NaN, 3);
  };
  return [
    ...perDialect,
    added("send p50 added"),
    added("send p99 added"),
    added("first event p50 added"),
    atMost("last against first thousand chunks", of("last against first thousand chunks"), 1.2),
    atMost(
      "memory per idle stream: × SDK relay",
      of("memory per idle stream") / of("memory per idle stream", "SDK relay"),
      0.6,
    ),
    atMost("send p50 beside idle streams: × without", of("send p50 beside idle streams"), 1.5),
    atMost(
      `tasks/get of ${many} stored: × of ${few}`,
      of(`tasks/get of ${many} stored`) / of(`tasks/get of ${few} stored`),
      1.3,
    ),
    atMost("memory of a stalled reader, MB", of("memory of a stalled reader"), 32),
    atMost("/healthz beside the worst bodies, ms", of("longest /healthz beside a body"), 50),
    atMost("start with 100 agents, ms", of("start with 100 agents"), 1500),
  ];
}
