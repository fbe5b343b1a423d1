/** Addresses of gRPC servers: `host:port`, with `grpc://` for plain text or `grpcs://` for TLS before it. */

export interface GrpcTarget {
  /** As grpc-js takes it. */
  readonly address: string;
  readonly isSecure: boolean;
}

const ADDRESS = /^(?:(?<scheme>grpcs?):\/\/)?(?<host>(?:\[[\da-f:.]+\]|[^\s:/?#@[\]]+):\d{1,5})\/?$/i;

export const isGrpcAddress = (text: string): boolean => ADDRESS.test(text);

/**
 * @param url the agent's own: its host and port where there is no address, and its `https:` for one without a scheme.
 * Throws an Error where the address is none.
 */
export function grpcTargetOf(address: string | undefined, url: string): GrpcTarget {
  const { protocol, hostname, port } = new URL(url);
  const isHttps = protocol === "https:";
  if (address === undefined) {
    return { address: `dns:${hostname}:${port || (isHttps ? 443 : 80)}`, isSecure: isHttps };
  }
  const { scheme, host } = ADDRESS.exec(address)?.groups ?? {};
  if (host === undefined) throw new Error(`${address} is no address of a gRPC server`);
  const isSecure = scheme === undefined ? isHttps : scheme.toLowerCase() === "grpcs";
  return { address: `dns:${host}`, isSecure };
}

/** As the configuration would say it. */
export const addressOf = ({ address, isSecure }: GrpcTarget): string =>
  `${isSecure ? "grpcs" : "grpc"}://${address.replace(/^dns:/, "")}`;
