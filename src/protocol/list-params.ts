/**
 * Params of listing tasks. 0.3.0 has it over HTTP+JSON and gRPC alone (§3.5.6) and does not say what its
 * params are; these are the ones that 1.0 settled on. They come typed, or as the strings of a query.
 */
import { z } from "zod";
import type { AcceptRules } from "./accept.ts";
import { A2AError } from "./errors.ts";
import { isFields } from "./json.ts";
import type { Task } from "./model.ts";
import { camelCased } from "./proto-json-fields.ts";
import { fromProtoState } from "./proto-enums.ts";
import { TASK_STATES } from "./states.ts";

const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 50;

/** A whole number, or its decimal digits. */
const whole = (min: number, max: number) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,10}$/, "must be a whole number")
        .transform(Number),
    ])
    .pipe(z.int().min(min).max(max));
const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

/** ISO 8601 with an offset, as a time in ms since the epoch. */
const time = z.iso
  .datetime({ offset: true, error: "must be a time of ISO 8601" })
  .transform((text) => Date.parse(text));

const ListTasksParams = z.object({
  contextId: z.string().min(1).optional(),
  /** Tasks in one of these states; in any where absent. */
  states: z.array(z.enum(TASK_STATES)).optional(),
  pageSize: whole(1, MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  pageToken: z.string().optional(),
  /** As with tasks/get. */
  historyLength: whole(0, Number.MAX_SAFE_INTEGER).optional(),
  includeArtifacts: flag.default(false),
  /** Tasks whose status is of this time or later. */
  statusTimestampAfter: time.optional(),
  /** Count the tasks of all pages. */
  withTotal: z.boolean().default(false),
});
export type ListTasksParams = z.infer<typeof ListTasksParams>;

/** One page of a principal's tasks, newest first. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** What was asked for; a page may hold fewer. */
  readonly pageSize: number;
  /** How many tasks all pages hold, if that was asked for. */
  readonly totalSize?: number | undefined;
}

/**
 * Takes camelCase and snake_case, a state under `status` or `state`, once or several times or separated by commas, by
 * either name. Rejects with `invalid-params`.
 */
export function acceptListParams(
  params: unknown,
  { isDecoded }: Pick<AcceptRules, "isDecoded"> = {},
): ListTasksParams {
  const { status, state, states, ...fields } = camelCased(isFields(params) ? params : {});
  for (const name of ["contextId", "pageToken", "statusTimestampAfter"])
    if (fields[name] === "") delete fields[name];
  if (!isDecoded && Number(fields["historyLength"]) === 0) delete fields["historyLength"];
  // 0.3.0's answer has no total.
  if (!isDecoded) delete fields["withTotal"];
  const result = ListTasksParams.safeParse({ ...fields, states: statesOf(states ?? status ?? state) });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const data = { path: z.core.toDotPath(issue?.path ?? []), reason: issue?.message ?? "invalid" };
  throw new A2AError("invalid-params", { data });
}

function statesOf(value: unknown): unknown {
  if (value === undefined || value === "") return undefined;
  const given: unknown[] = Array.isArray(value) ? value : [value];
  return given.flatMap((item) => (typeof item === "string" ? item.split(",") : [item])).map(fromProtoState);
}
