/** What an agent's section says of its clients: how strictly they are read, who reads the answers, and at which host. */
import { z } from "zod";

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

/** A host name without a port, in lower case. */
export const agentHost = () =>
  z
    .string()
    .toLowerCase()
    .regex(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/, {
      error: "must be a host name without a port, as in jester.example",
    })
    .exactOptional()
    .meta({
      description:
        "A host name of the agent's own: it is served at that host's root, with the scheme and port of `server.publicUrl`, and its " +
        "card says so. For [clients that drop the path](transports.md#hosts) of a base URL.",
      kind: "host name",
    });
