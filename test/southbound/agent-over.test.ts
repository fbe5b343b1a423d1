import { afterEach, expect, jest, test } from "@jest/globals";
import { pino } from "pino";
import { a2a10 } from "../../adapters/a2a-1.0/index.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { GrpcRequest } from "../../src/southbound/grpc.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

test("an agent that never says its card over gRPC is asked again by later calls", async () => {
  const deadlines: AbortController[] = [];
  jest.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const deadline = new AbortController();
    deadlines.push(deadline);
    return deadline.signal;
  });
  const asked: string[] = [];
  const unanswered = ({ rpc, call }: GrpcRequest): Promise<never> => {
    asked.push(rpc);
    return new Promise((_, reject) => {
      call.signal.addEventListener("abort", () => reject(new A2AError("agent-unavailable")));
    });
  };
  const unused = (): never => {
    throw new Error("not called");
  };
  const backend = a2a10.connect(a2a10.options.parse({}), {
    agent: "planner",
    url: "http://agent.invalid",
    isGrpc: true,
    fetchCard: () => Promise.reject(new A2AError("agent-unavailable")),
    http: { unary: unused, stream: unused },
    grpc: () => ({ unary: unanswered, stream: unused }),
    log: pino({ enabled: false }),
    newId: () => "id",
  });
  const { signal } = new AbortController();
  for (const round of [1, 2]) {
    const card = Promise.allSettled([backend.card(signal)]);
    while (asked.length < round) await new Promise(setImmediate);
    deadlines.at(-1)?.abort();
    expect(await card).toMatchObject([{ status: "rejected", reason: { code: "agent-unavailable" } }]);
  }
  expect(asked).toEqual(["GetExtendedAgentCard", "GetExtendedAgentCard"]);
});
