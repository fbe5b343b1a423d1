/**
 * Who reaches the proxy. Asking nobody for credentials is fine on one's own machine and has to be chosen elsewhere; and
 * even there other sites' pages must not get in by a name of theirs that points to this machine (DNS rebinding).
 */
import type { Config } from "./config.ts";
import { isLoopback, isLoopbackHost } from "./urls.ts";

type Exposed = Pick<Config, "auth" | "server">;
type Reached = Exposed & Pick<Config, "agents">;

/** Why the proxy must not listen as configured; undefined where it may. */
export function exposureFault({ auth, server }: Exposed): string | undefined {
  const host = [server.host, server.grpc?.host].find((one) => one !== undefined && !isLoopbackHost(one));
  if (auth !== "absent" || host === undefined) return undefined;
  return `auth: is absent, so that the proxy does not listen on ${host}; say who may call, or \`auth: none\` for everybody`;
}

/** The host names that requests may be for, besides those of this machine; undefined: any. */
export function hostsOf({ auth, server, agents }: Reached): readonly string[] | undefined {
  const { allowedHosts, publicUrl, host } = server;
  const isOpenLocally = typeof auth === "string" && isLoopbackHost(host);
  if (allowedHosts === undefined && !isOpenLocally) return undefined;
  const callbackUrls = [...agents.values()].flatMap(({ vendorPush }) => vendorPush?.callbackUrl ?? []);
  const own = [publicUrl, ...callbackUrls].map((url) => new URL(url).hostname);
  const ofAgents = [...agents.values()].flatMap(({ host: name, hosts }) =>
    Object.keys(hosts ?? {}).concat(name ?? []),
  );
  return [...own, ...ofAgents, ...(allowedHosts ?? [])];
}

/** Whose pages may have a browser call; see `onlyPages`. */
export function pagesOf({ auth, server }: Exposed): {
  readonly isOpen: boolean;
  readonly origins: "*" | readonly string[];
} {
  const { cors, publicUrl } = server;
  const origins = cors?.origins === "*" ? "*" : [new URL(publicUrl).origin, ...(cors?.origins ?? [])];
  return { isOpen: typeof auth === "string", origins };
}

/** What is valid but probably unintended. */
export function exposureWarnings(config: Exposed): string[] {
  const { auth, server } = config;
  const isLocal = isLoopbackHost(server.host);
  if (typeof auth === "object") {
    return server.publicUrl.startsWith("http:") && !isLoopback(server.publicUrl)
      ? ["server.publicUrl: is http://, so that what callers show travels unencrypted"]
      : [];
  }
  // What the proxy refuses to start with is more than a warning.
  if (exposureFault(config) !== undefined) return [];
  if (isLocal && isLoopback(server.publicUrl)) return [];
  if (auth === "none")
    return isLocal ? [] : ["auth: is none: whoever reaches the proxy may call every agent"];
  return ["auth: is absent, while publicUrl is not on this machine: whoever gets there may call every agent"];
}
