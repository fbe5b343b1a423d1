/**
 * Connections to a gRPC server. Redirecting features of the library are off: proxies of the environment, service
 * configurations out of the DNS.
 */
import { Client, credentials, type ChannelCredentials, type ClientOptions } from "@grpc/grpc-js";
import type { AgentConfig } from "../config/config.ts";
import type { GrpcTarget } from "./grpc-target.ts";
import type { TlsIdentity } from "./tls.ts";

export interface ChannelSettings {
  readonly target: GrpcTarget;
  readonly tls: TlsIdentity;
  readonly limits: Pick<AgentConfig["limits"], "responseBody" | "event">;
}

/** Connects with the first call. */
export const connected = (options: ChannelSettings): Client =>
  new Client(
    options.target.address,
    channelCredentials(options.target, options.tls),
    channelOptions(options),
  );

function channelCredentials({ isSecure }: GrpcTarget, { cert, key, ca }: TlsIdentity): ChannelCredentials {
  if (!isSecure) return credentials.createInsecure();
  const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  return credentials.createSsl(pem(ca), pem(key), pem(cert));
}

const channelOptions = ({ tls, limits }: ChannelSettings): ClientOptions => ({
  // The greater; what holds for the call is looked at when its message is there.
  "grpc.max_receive_message_length": Math.max(limits.responseBody, limits.event),
  "grpc.enable_http_proxy": 0,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.use_local_subchannel_pool": 1,
  ...(tls.serverName !== undefined && { "grpc.ssl_target_name_override": tls.serverName }),
});
