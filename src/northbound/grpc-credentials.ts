/** Credentials of the gRPC ports, which take up a renewed certificate while the proxy runs. */
import { ServerCredentials } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { GrpcTls } from "../config/grpc.ts";
import { TlsFiles, type Pem } from "./tls-files.ts";

interface Opened {
  readonly credentials: ServerCredentials;
  /** Looks at the files no more. */
  readonly stop: () => void;
}

/** Takes other certificates for the connections to come; open ones stay. */
class RenewableCredentials extends ServerCredentials {
  constructor(pem: Pem) {
    const first = secure(pem);
    super(first._getConstructorOptions(), first._getSecureContextOptions() ?? {});
  }

  renew(pem: Pem): void {
    this.updateSecureContextOptions(secure(pem)._getSecureContextOptions());
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** Rejects with an Error that names the file that cannot be used. */
export async function openCredentials(tls: GrpcTls | undefined, log: Logger): Promise<Opened> {
  if (tls === undefined) return { credentials: ServerCredentials.createInsecure(), stop: () => {} };
  const files = await TlsFiles.open(tls, { key: "server.grpc.tls", name: "TLS certificate of gRPC" });
  const credentials = new RenewableCredentials(files.current);
  return { credentials, stop: files.watch((pem) => credentials.renew(pem), log) };
}

const secure = ({ cert, key, ca }: Pem): ServerCredentials =>
  ServerCredentials.createSsl(ca ?? null, [{ cert_chain: cert, private_key: key }], ca !== undefined);
