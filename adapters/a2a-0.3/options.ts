/** What an operator can say of one agent of this dialect. */
import { z } from "zod";
import { isGrpcAddress } from "../../src/southbound/grpc-target.ts";
import { Send } from "../shared/send.ts";

export const Options = z.strictObject({
  send: Send,
  workingText: z
    .enum(["status", "answer"])
    .default("status")
    .meta({
      description:
        "What the text of `working` status messages is: progress (`status`), as 0.3.0 means it, or pieces of the answer " +
        "(`answer`), which then become an artifact.",
    }),
  artifactIds: z
    .enum(["stable", "changing"])
    .default("stable")
    .meta({
      description:
        "Whether an artifact keeps its id (`stable`), or one artifact arrives under an id that changes from chunk to chunk " +
        "(`changing`): chunks with `append: true` and an unknown id then continue the last artifact of the same name.",
    }),
  transport: z.enum(["auto", "jsonrpc", "http+json", "grpc"]).default("auto").meta({
    description:
      "What to call the agent over: `jsonrpc`, `http+json`, `grpc`, or `auto`, which goes by its card.",
  }),
  rest: z
    .enum(["auto", "v1", "bare"])
    .default("auto")
    .meta({
      description:
        "How the agent serves HTTP+JSON: `v1`, routes under `/v1` and ProtoJSON, as 0.3.0 has it; `bare`, routes without `/v1` and " +
        "the JSON of the schema, as a2a-go v2 does; `auto`: `v1`, and `bare` if it has no such routes.",
    }),
  fileBytes: z
    .enum(["auto", "once", "twice"])
    .default("auto")
    .meta({
      description:
        "How often the bytes of files are encoded as base64 over HTTP+JSON and gRPC: `once`, as 0.3.0 has it; `twice`, as the SDKs of " +
        "Python and Java, and over gRPC that of Go 0.3, read and write them; `auto` finds out before the first file is sent.",
    }),
  grpcUrl: z
    .string()
    .refine(isGrpcAddress, {
      error: "must be host:port, with grpc:// or grpcs:// before it where TLS is not as in `url`",
    })
    .optional()
    .meta({
      description:
        "Where the agent serves gRPC: `grpc://host:port` in plain text, `grpcs://host:port` over TLS, `host:port` with TLS " +
        "where `url` is `https://`. Without it, host and port of `url`.",
    }),
  grpcPort: z
    .enum(["configured", "card"])
    .default("configured")
    .meta({
      description:
        "Which port gRPC is called at: that of `grpcUrl` or `url` (`configured`), or the one that the agent's card names for " +
        "gRPC (`card`), at the host of `url`. The credentials go there. A card that names another host is not followed.",
    }),
});
export type Options = z.infer<typeof Options>;
