/** Rows of agents by what they have said of where they listen. */
import { z } from "zod";
import type { Row } from "./behaviour.ts";

const Binding = z.enum(["JSONRPC", "HTTP+JSON", "GRPC"]);
type Binding = z.infer<typeof Binding>;

const Urls = z.partialRecord(Binding, z.string());
type Urls = z.infer<typeof Urls>;

/** As options and names of agents have them. */
const TRANSPORTS = { JSONRPC: "jsonrpc", "HTTP+JSON": "http+json", GRPC: "grpc" } as const;

interface Rows extends Pick<Row, "cannot"> {
  readonly bindings: readonly Binding[];
  readonly adapters: readonly string[];
  /** The member of what is said that holds the URLs by binding; all of it, if absent. */
  readonly under?: string;
}

export const urlsOf = (said: unknown, under?: string): Urls =>
  under === undefined ? Urls.parse(said) : (z.record(z.string(), Urls).parse(said)[under] ?? {});

/** Each binding with each adapter, which is told the transport; `auto` finds it out. */
export const rowsOf = ({ bindings, adapters, under, cannot = {} }: Rows): Row[] =>
  bindings.flatMap((binding) =>
    adapters.map((adapter) => ({
      name: [under, TRANSPORTS[binding], adapter].filter(Boolean).join("-").replaceAll(/[.+]/g, "-"),
      cannot,
      agent: (said) => {
        const options = adapter === "auto" ? {} : { options: { transport: TRANSPORTS[binding] } };
        return { adapter, url: urlsOf(said, under)[binding], ...options };
      },
    })),
  );
