/** The sections of `config.yaml` about gRPC: `server.grpc` and an agent's `grpc`. */
import { z } from "zod";
import { count, duration, maxConnections } from "./units.ts";

const text = () => z.string().min(1);
const port = () => count({ min: 0, max: 65_535 });

const authority = () =>
  z.string().regex(/^([a-z][a-z0-9+.-]*:\/\/)?([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i, {
    error: "must be host:port, with a scheme or without, as in agents.example:443",
  });

const ConnectionsSchema = z.strictObject({
  calls: count({ min: 1 }).prefault(1000).meta({
    description:
      "Calls, streams among them, that one connection may have open; further ones wait at the client.",
    defaultsTo: "1000",
  }),
  ping: duration({ min: 1 }).prefault("20s").meta({
    description:
      "How long a client may take to answer the ping that it gets every `server.heartbeat`; then its connection is closed.",
    defaultsTo: "20s",
  }),
  idle: duration({ min: 1 }).prefault("10m").meta({
    description: "A connection that has no call for this long is closed.",
    defaultsTo: "10m",
  }),
  age: duration({ min: 1 })
    .exactOptional()
    .meta({
      description:
        "A connection of this age, give or take a tenth, takes no more calls, so that its client makes a new one. Absent: " +
        "it may get as old as it likes.",
    }),
  ageGrace: duration().exactOptional().meta({
    description:
      "How long the calls of such a connection may go on; then it is closed. Absent: until they end.",
  }),
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
  onCard: z
    .boolean()
    .prefault(true)
    .meta({
      description:
        "Name gRPC on the cards of the agents that an address alone leads to. Clients that refuse a card with `host:port` on it, " +
        "as google-adk does, need `false`, here or at the agent.",
      defaultsTo: "true",
    }),
  reflection: z.boolean().prefault(true).meta({
    description:
      "Serve the description of the service, which is public, to tools; no credentials are asked for.",
    defaultsTo: "true",
  }),
  connections: ConnectionsSchema.prefault({}).meta({
    description: "What a connection may do; see [server.grpc.connections](#servergrpcconnections).",
    defaultsTo: "{}",
  }),
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
  onCard: z.boolean().exactOptional().meta({
    description: "Name gRPC on the agent's card. By default as `server.grpc.onCard` says.",
  }),
});
