/** What Parrot sends and takes: only what is used, loosely, and parsed once. */
import { z } from "zod";

/** At `/.well-known/agent.json`. */
export const WireCard = z.looseObject({ parrot: z.string(), about: z.string().nullish() });
export type WireCard = z.infer<typeof WireCard>;

/** One line of an answer: the first has `run` and `chat`, the last `end`, those between `say`. */
export const WireLine = z.looseObject({
  run: z.string().nullish(),
  chat: z.string().nullish(),
  say: z.string().nullish(),
  end: z.string().nullish(),
  why: z.string().nullish(),
});
export type WireLine = z.infer<typeof WireLine>;

/** The body of an error status. */
export const WireError = z.looseObject({ oops: z.string() });

/** The body of `POST /talk`. */
export interface WireRequest {
  readonly lines: readonly string[];
  readonly voice: string;
  /** The conversation to go on with. */
  readonly chat?: string | undefined;
  /** The run that asked back, and is answered now. */
  readonly run?: string | undefined;
}
