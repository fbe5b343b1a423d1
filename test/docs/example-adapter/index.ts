/**
 * Parrot, a vendor that does not exist: `POST /talk` is answered line by line. It can neither be asked for a run nor
 * told to stop one; the gateway emulates both.
 */
import { z } from "zod";
import type { Adapter, Backend, Southbound } from "../../../src/index.ts";
import { toCanonicalCard } from "./card.ts";
import { toCanonicalError } from "./errors.ts";
import { toCanonicalEvent } from "./events.ts";
import { fromCanonicalParams } from "./message.ts";
import { WireCard, WireLine } from "./wire.ts";

const Options = z.strictObject({ voice: z.string().default("plain") });
type Options = z.infer<typeof Options>;

function connect({ voice }: Options, southbound: Southbound): Backend {
  const { url, http } = southbound;
  return {
    card: async (signal) => toCanonicalCard(WireCard.parse(await southbound.fetchCard(signal)), url),

    async *stream(params, call) {
      const body = fromCanonicalParams(params, voice);
      const answer = await http.stream({ method: "POST", url: `${url}/talk`, body, call });
      if (!answer.ok) throw toCanonicalError(answer.response);
      for await (const { value } of answer.values) yield toCanonicalEvent(WireLine.parse(value));
    },
  };
}

export const parrot: Adapter<Options> = { name: "parrot", options: Options, connect };
