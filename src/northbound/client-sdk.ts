/** For which SDK's reader the answers over HTTP+JSON and gRPC are written, see sdk-quirks.ts. */
import type { ClientSdk } from "../config/config.ts";
import type { Fields } from "../protocol/json.ts";
import { MIN_REPAIRED, plainMembers, type Reader } from "../protocol/sdk-quirks.ts";

const READERS: Readonly<Record<Exclude<ClientSdk, "auto">, Reader>> = {
  any: { decodesTwice: false, refusesUnknown: false },
  java: { decodesTwice: true, refusesUnknown: true },
  python: { decodesTwice: true, refusesUnknown: false },
};

/** The HTTP client of the JDK, which the Java SDK uses. Without this it could not read most answers at all. */
const JAVA = /^Java-http-client\//;

export function readerOverHttp(sdk: ClientSdk = "auto", userAgent: string): Reader {
  if (sdk !== "auto") return READERS[sdk];
  return READERS[JAVA.test(userAgent) ? "java" : "any"];
}

/** Generated clients, which read a message as it is, name the same library as the SDKs; protobuf skips what it does not know. */
export const readerOverGrpc = (sdk: ClientSdk = "auto"): Reader => ({
  decodesTwice: sdk !== "auto" && READERS[sdk].decodesTwice,
  refusesUnknown: false,
});

/** A client's request with the bytes of its files encoded once. */
export function withFilesOnce(sdk: ClientSdk = "auto", request: Readonly<Fields>): Readonly<Fields> {
  if (sdk === "any") return request;
  return plainMembers(request, sdk === "auto" ? MIN_REPAIRED : 0);
}
