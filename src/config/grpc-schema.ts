/** The sections of `config.yaml` about gRPC: `server.grpc` and an agent's `grpc`. */
import { z } from "zod";
import { count, duration, maxConnections } from "./units.ts";

const text = () => z.string().min(1);
const port = () => count({ min: 0, max: 65_535 });

const authority = () =>
  z.string().regex(/^([a-z][a-z0-9+.-]*:\/\/)?([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i, {
    error: "must be host:port, with a scheme or without, as in agents.example:443",
  });

export const GrpcSchema = z.strictObject({
  port: port().meta({ description: "Port to listen on; 0 takes a free one." }),
  host: text().exactOptional().meta({
    description: "Address to listen on; by default that of `server`.",
  }),
  publicUrl: authority()
    .exactOptional()
    .meta({
      description:
        "Where clients reach it, for the cards: `host:port` as the JavaScript SDK wants it, or with a scheme, as in " +
        "`http://host:port`. By default made of `host` (`localhost` for `0.0.0.0`) and `port`.",
      kind: "host:port",
    }),
  maxConnections: maxConnections("on each of its ports"),
  tls: z
    .strictObject({
      cert: text().meta({
        description: "PEM file: the certificate, and those that link it to its root.",
        kind: "file",
      }),
      key: text().meta({ description: "PEM file: the private key.", kind: "file" }),
      clientCa: text().exactOptional().meta({
        description:
          "PEM file: the CAs of the certificates that clients have to show; without it they are asked for none.",
        kind: "file",
      }),
      reload: duration({ min: 10 }).prefault("30s").meta({
        description: "How often the files are looked at for a change.",
        defaultsTo: "30s",
      }),
    })
    .exactOptional()
    .meta({ description: "TLS; without it, HTTP/2 in the clear; see [server.grpc.tls](#servergrpctls)." }),
});

export const AgentGrpcSchema = z.strictObject({
  port: port().exactOptional().meta({
    description:
      "A port that serves this agent alone, so that clients reach it without naming it; 0 takes a free one.",
  }),
  publicUrl: authority()
    .exactOptional()
    .meta({
      description:
        "Where clients reach this agent. With a port of its own by default `server.grpc.publicUrl` with that port; " +
        "without one, the host that clients call tells the agent from the others.",
      kind: "host:port",
    }),
});
