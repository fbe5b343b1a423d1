/** Which dialect a gRPC server speaks: GetTask of each service is called for a task that cannot exist. */
import { A2AError } from "../../src/protocol/errors.ts";
import type { GrpcService } from "../../src/protocol/grpc-codec.ts";
import type { CallScope } from "../../src/southbound/http.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import type { Decision } from "./decide.ts";
import type { Dialect } from "./signs.ts";

const SERVICE_10: GrpcService = { name: "lf.a2a.v1.A2AService", file: "lf.a2a.v1.proto" };

interface Service {
  readonly dialect: Dialect;
  /** A2A 0.3.0's, if absent. */
  readonly service?: GrpcService;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message: (id: string) => object;
}

/** In the order of preference: an agent that serves 0.3 beside 1.0 is called by 0.3, as over HTTP. */
const SERVICES: readonly Service[] = [
  { dialect: "a2a-0.3", message: (id) => ({ name: `tasks/${id}` }) },
  { dialect: "a2a-1.0", service: SERVICE_10, headers: { "A2A-Version": "1.0" }, message: (id) => ({ id }) },
];

/** `missing`: the server has no such service; `unclear`: it has not said so, nor that there is no such task. */
type Found = "known" | "missing" | "unclear";

const foundBy = new Map<unknown, Found>([
  ["NOT_FOUND", "known"],
  ["UNIMPLEMENTED", "missing"],
]);

/** Rejects if there is no connection. */
async function ask(
  { service, headers = {}, message }: Service,
  southbound: Southbound,
  call: CallScope,
): Promise<Found> {
  if (!southbound.grpc) return "unclear";
  const asked = { ...message(`no-such-task-${southbound.newId()}`) };
  try {
    await southbound.grpc(undefined, service).unary({ rpc: "GetTask", message: asked, headers, call });
    return "known";
  } catch (thrown) {
    if (!(thrown instanceof A2AError)) throw thrown;
    // No status of HTTP is taken for one of gRPC.
    const status = thrown.data?.["grpcStatus"];
    if (status === undefined) throw thrown;
    return foundBy.get(status) ?? "unclear";
  }
}

const speaks = (dialect: Dialect, why: string): Decision => ({
  dialect,
  reason: `The agent speaks ${dialect} over gRPC: ${why}.`,
});

/** The agent's url is that of a gRPC server: rejects if that cannot be reached. */
export async function dialectOfServer(southbound: Southbound, call: CallScope): Promise<Decision> {
  const url = "its url is that of a gRPC server";
  const missing: Dialect[] = [];
  for (const candidate of SERVICES) {
    const found = await ask(candidate, southbound, call);
    if (found === "known") return speaks(candidate.dialect, `${url}, and a probe shows that service`);
    if (found === "missing") missing.push(candidate.dialect);
  }
  if (missing.includes("a2a-0.3") && !missing.includes("a2a-1.0")) {
    return speaks("a2a-1.0", `${url}, which does not know the service of a2a-0.3`);
  }
  return speaks("a2a-0.3", `${url}, and a probe tells nothing else`);
}

/** The agent does not answer HTTP at its url: undefined if it does not speak gRPC there either. */
export async function dialectBesideHttp(
  southbound: Southbound,
  call: CallScope,
): Promise<Decision | undefined> {
  for (const candidate of SERVICES) {
    const found = await ask(candidate, southbound, call).catch(() => "missing" as const);
    if (found !== "known") continue;
    const { dialect } = candidate;
    const why = "it does not answer HTTP, and a probe shows gRPC";
    return { ...speaks(dialect, why), options: { transport: "grpc" } };
  }
  return undefined;
}
