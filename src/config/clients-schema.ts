/** What an agent's section says of its clients: how strictly they are read, who reads the answers, and at which host. */
import { z } from "zod";

const HOST = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/;

export const clientSdk = () =>
  z
    .enum(["auto", "any", "java", "python"])
    .exactOptional()
    .meta({
      description:
        "The SDK that clients over HTTP+JSON and gRPC read [files and parts](transports.md#files-and-parts) with. `any`: none in " +
        "particular. `auto`: the Java one, if an HTTP request's `User-Agent` says so.",
      defaultsTo: "auto",
    });

export const strict = () =>
  z
    .boolean()
    .prefault(false)
    .meta({
      description:
        "Refuse (-32602) the requests that are otherwise [repaired](behaviour.md#choices): those without a `messageId` or " +
        "`kind`, with nulls, empty ids or a `file.data`, or with base64 that is not standard.",
      defaultsTo: "false",
    });

export const serve = () =>
  z
    .array(z.string().min(1))
    .min(1)
    .exactOptional()
    .meta({
      description:
        "The dialects that clients may speak, by the names of their adapters. The first is what a request speaks that names no " +
        "version, unless 0.3 is among them.",
      defaultsTo: "all that there are",
      kind: "list of dialects",
    });

/** Host names that speak one dialect alone. */
export const dialectHosts = () =>
  z
    .record(
      z
        .string()
        .regex(HOST, { error: "must be a host name without a port, in lower case, as in jester.example" }),
      z.string().min(1),
    )
    .exactOptional()
    .meta({
      description:
        "More host names at whose root the agent is served, each in one dialect alone, with a card that names nothing else: " +
        "`{HOST: DIALECT}`. For [clients that refuse other members](transports.md#hosts).",
      kind: "mapping of host names to dialects",
    });

/** A host name without a port, in lower case. */
export const agentHost = () =>
  z
    .string()
    .toLowerCase()
    .regex(HOST, {
      error: "must be a host name without a port, as in jester.example",
    })
    .exactOptional()
    .meta({
      description:
        "A host name of the agent's own: it is served at that host's root, with the scheme and port of `server.publicUrl`, and its " +
        "card says so. For [clients that drop the path](transports.md#hosts) of a base URL.",
      kind: "host name",
    });
