/** Addresses of gRPC servers, as operators write them. */
import { describe, expect, test } from "@jest/globals";
import { grpcTargetOf, isGrpcAddress } from "../../src/southbound/grpc-target.ts";

describe("an address", () => {
  test.each([
    ["grpc://a.example:50051", "https://x", "dns:a.example:50051", false],
    ["grpcs://a.example:443/", "http://x", "dns:a.example:443", true],
    ["a.example:443", "https://x", "dns:a.example:443", true],
    ["[::1]:9", "http://x", "dns:[::1]:9", false],
    [undefined, "https://a.example/rpc", "dns:a.example:443", true],
    [undefined, "http://a.example/rpc", "dns:a.example:80", false],
    [undefined, "http://a.example:8080/rpc", "dns:a.example:8080", false],
  ])("%s beside %s is %s", (address, url, expected, isSecure) => {
    expect(grpcTargetOf(address, url)).toEqual({ address: expected, isSecure });
  });

  test.each(["a.example", "http://a.example:1", "unix:/socket", "user@a.example:1", "a.example:1/path", ""])(
    "%j is none",
    (text) => {
      expect(isGrpcAddress(text)).toBe(false);
      expect(() => grpcTargetOf(text, "http://x")).toThrow("no address");
    },
  );
});
