/** The certificate of a listener. Files that are renewed on disk are reloaded while it runs. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";
import type { TlsConfig } from "../config/auth.ts";

type TlsPaths = Pick<TlsConfig, "cert" | "key" | "clientCa" | "reload">;

/** In PEM. */
export interface Pem {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** CAs of the certificates that clients show. */
  readonly ca?: Buffer;
}

interface Naming {
  /** Where the configuration names the files. */
  readonly key: string;
  /** The certificate in the log. */
  readonly name: string;
}

export class TlsFiles {
  readonly #paths: TlsPaths;
  readonly #naming: Naming;
  #current: Pem;

  private constructor(paths: TlsPaths, naming: Naming, current: Pem) {
    this.#paths = paths;
    this.#naming = naming;
    this.#current = current;
  }

  /** Rejects with an Error that names the file that cannot be used. */
  static async open(paths: TlsPaths, naming: Naming): Promise<TlsFiles> {
    return new TlsFiles(paths, naming, await readPem(paths, naming.key));
  }

  get current(): Pem {
    return this.#current;
  }

  /** Looks at the files from now on, until what it returns is called; those that are new and usable go to `use`. */
  watch(use: (pem: Pem) => void, log: Logger): () => void {
    const timer = setInterval(() => void this.#reload(use, log), this.#paths.reload).unref();
    return () => clearInterval(timer);
  }

  async #reload(use: (pem: Pem) => void, log: Logger): Promise<void> {
    const { key, name } = this.#naming;
    try {
      const next = await readPem(this.#paths, key);
      if (isSame(this.#current, next)) return;
      use(next);
      this.#current = next;
      log.info({ validTo: new X509Certificate(next.cert).validTo }, `reloaded ${name}`);
    } catch (err) {
      log.error({ err }, `the ${name} has changed and cannot be used; the old one stays`);
    }
  }
}

async function readPem({ cert, key, clientCa }: TlsPaths, place: string): Promise<Pem> {
  const pem = {
    cert: await read(`${place}.cert`, cert),
    key: await read(`${place}.key`, key),
    ...(clientCa !== undefined && { ca: await read(`${place}.clientCa`, clientCa) }),
  };
  try {
    createSecureContext(pem);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    throw new Error(`${place}: the certificate and the key cannot be used: ${reason}`, { cause });
  }
  return pem;
}

async function read(place: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`${place}: the file ${file} cannot be read`, { cause });
  }
}

const isSame = (a: Pem, b: Pem): boolean =>
  a.cert.equals(b.cert) &&
  a.key.equals(b.key) &&
  (a.ca === b.ca || (a.ca && b.ca && a.ca.equals(b.ca)) === true);
