/** Opens undici's connections with the certificates of the moment. */
import { buildConnector } from "undici";
import type { LiveTls, TlsIdentity } from "./tls.ts";

type Connector = ReturnType<typeof buildConnector>;

/** @param timeout of TCP and TLS, ms */
export function createConnector(tls: LiveTls, timeout: number): Connector {
  let current: { readonly identity: TlsIdentity; readonly connect: Connector } | undefined;
  return (options, callback) => {
    const identity = tls();
    // Kept while they are the same: it resumes TLS sessions, which must not outlive the certificate.
    if (current?.identity !== identity) current = { identity, connect: connectorOf(identity, timeout) };
    current.connect(options, callback);
  };
}

const connectorOf = ({ cert, key, ca, serverName }: TlsIdentity, timeout: number): Connector =>
  buildConnector({
    timeout,
    allowH2: false,
    ...(cert && { cert }),
    ...(key && { key }),
    ...(ca && { ca }),
    ...(serverName && { servername: serverName }),
  });
