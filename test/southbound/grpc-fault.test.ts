/** What a gRPC status says beside its code. */
import { Metadata, status } from "@grpc/grpc-js";
import { expect, test } from "@jest/globals";
import { toGrpcFault } from "../../src/southbound/grpc-fault.ts";
import { createRedactor } from "../../src/southbound/redact.ts";

/** Recorded from Python's protobuf: a Status of an ErrorInfo and a RetryInfo of 6.5 seconds. */
const DETAILS =
  "CAgSCXNsb3cgZG93bho1Cih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEgkKBFJBVEUSAXgaNgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIKCggIBhCAyrXuAQ==";

const faultOf = (details?: Buffer) => {
  const metadata = new Metadata();
  if (details) metadata.set("grpc-status-details-bin", details);
  const about = { code: status.RESOURCE_EXHAUSTED, details: "slow down", metadata };
  const thrown = Object.assign(new Error("8 RESOURCE_EXHAUSTED: slow down"), about);
  return toGrpcFault(thrown, "GetTask", { agent: "a", stage: "headers", redact: createRedactor([]) });
};

test("the agent's RetryInfo is kept, in seconds", () => {
  expect(faultOf(Buffer.from(DETAILS, "base64"))).toMatchObject({
    code: "agent-unavailable",
    message: "slow down",
    data: { agent: "a", grpcStatus: "RESOURCE_EXHAUSTED", retryAfter: 7 },
  });
});

/** Recorded from Python's protobuf, as its SDK of 1.0 says it. */
const REASON =
  "CAkSB25vIHB1c2gaXwoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIzCh9QVVNIX05PVElGSUNBVElPTl9OT1RfU1VQUE9SVEVEEhBhMmEtcHJvdG9jb2wub3Jn";

test("the reason of the agent's ErrorInfo says which error it is", () => {
  expect(faultOf(Buffer.from(REASON, "base64")).code).toBe("push-not-supported");
});

test.each([
  ["no details", undefined],
  ["details without a RetryInfo", Buffer.from("CAgSCXNsb3cgZG93bg==", "base64")],
  ["bytes that are none", Buffer.from("not protobuf")],
])("%s say nothing", (_what, details) => {
  expect(faultOf(details).data).not.toHaveProperty("retryAfter");
});
