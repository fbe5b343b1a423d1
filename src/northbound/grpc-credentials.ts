/** Certificates of the gRPC ports. Those that are renewed on disk are taken up while the proxy runs. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { GrpcTls } from "../config/grpc.ts";

interface Opened {
  readonly credentials: ServerCredentials;
  /** Looks at the files no more. */
  readonly stop: () => void;
}

interface Files {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | null;
}

/** Takes other certificates for the connections to come; open ones stay. */
class RenewableCredentials extends ServerCredentials {
  constructor(files: Files) {
    const first = secure(files);
    super(first._getConstructorOptions(), first._getSecureContextOptions() ?? {});
  }

  renew(files: Files): void {
    this.updateSecureContextOptions(secure(files)._getSecureContextOptions());
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** Rejects with an Error that names the file that cannot be used. */
export async function openCredentials(tls: GrpcTls | undefined, log: Logger): Promise<Opened> {
  if (tls === undefined) return { credentials: ServerCredentials.createInsecure(), stop: () => {} };
  let current = await readFiles(tls);
  const credentials = new RenewableCredentials(current);
  const reload = async (): Promise<void> => {
    try {
      const next = await readFiles(tls);
      if (isSame(current, next)) return;
      credentials.renew(next);
      current = next;
      log.info(
        { validTo: new X509Certificate(next.cert).validTo },
        "took up the new TLS certificate of gRPC",
      );
    } catch (err) {
      log.error({ err }, "the TLS certificate of gRPC has changed and cannot be used; the old one stays");
    }
  };
  const timer = setInterval(() => void reload(), tls.reload).unref();
  return { credentials, stop: () => clearInterval(timer) };
}

const secure = ({ cert, key, ca }: Files): ServerCredentials =>
  ServerCredentials.createSsl(ca, [{ cert_chain: cert, private_key: key }], ca !== null);

async function readFiles({ cert, key, clientCa }: GrpcTls): Promise<Files> {
  const files = {
    cert: await read("cert", cert),
    key: await read("key", key),
    ca: clientCa === undefined ? null : await read("clientCa", clientCa),
  };
  try {
    createSecureContext({ cert: files.cert, key: files.key, ...(files.ca && { ca: files.ca }) });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    throw new Error(`server.grpc.tls: the certificate and the key cannot be used: ${reason}`, { cause });
  }
  return files;
}

async function read(name: keyof GrpcTls, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`server.grpc.tls.${name}: the file ${file} cannot be read`, { cause });
  }
}

const isSame = (a: Files, b: Files): boolean =>
  a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca === b.ca || (a.ca && b.ca?.equals(a.ca)) === true);
