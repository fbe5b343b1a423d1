/**
 * Client certificates (mTLS). TLS has verified the certificate against the client CAs by the time it gets here; this
 * only reads who it was issued to.
 */
import type { X509Certificate } from "node:crypto";
import type { CertificateName, MtlsConfig } from "../config/auth.ts";
import { EVERYTHING, type Principal } from "./principal.ts";
import { REALM, Refusal, type Presented, type Scheme } from "./scheme.ts";

export class ClientCertificates implements Scheme {
  readonly declared = { mutualTLS: { type: "mutualTLS" } };
  readonly #config: MtlsConfig;

  constructor(config: MtlsConfig) {
    this.#config = config;
  }

  async identify({ certificate }: Presented): Promise<Principal | undefined> {
    if (certificate === undefined) return undefined;
    const { principal: source, grants } = this.#config;
    const name = nameIn(certificate, source);
    if (name === undefined) throw new Refusal(`the certificate does not have exactly one ${source}`);
    return {
      id: `mtls:${name}`,
      scheme: "mtls",
      grants: grants?.filter(({ principal }) => principal === name) ?? EVERYTHING,
    };
  }

  challenges(): readonly string[] {
    return [`ClientCertificate ${REALM}`];
  }
}

/** The one name of its kind; undefined where there is none, or several to choose from. */
export function nameIn(certificate: X509Certificate, source: CertificateName): string | undefined {
  if (source === "subject") return certificate.subject?.split("\n").join(",");
  const names = source === "cn" ? commonNames(certificate) : alternativeNames(certificate, source);
  return names.length === 1 ? names[0] : undefined;
}

/** Node writes one attribute a line, and escapes line breaks within. */
const commonNames = ({ subject }: X509Certificate): string[] =>
  (subject ?? "").split("\n").flatMap((line) => (line.startsWith("CN=") ? [line.slice(3)] : []));

const KINDS = { uri: "URI", dns: "DNS", email: "email" } as const;

/** Node writes `DNS:a, URI:"b, c"`: in quotes, as JSON, where the value could be mistaken for more than one. */
const ALTERNATIVE = /([^:,"]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy;

function alternativeNames({ subjectAltName }: X509Certificate, source: keyof typeof KINDS): string[] {
  return [...(subjectAltName ?? "").matchAll(ALTERNATIVE)].flatMap(([, kind, value = ""]) =>
    kind === KINDS[source] ? [value.startsWith('"') ? String(JSON.parse(value)) : value] : [],
  );
}
