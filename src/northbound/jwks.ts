/** `GET /.well-known/jwks.json` (RFC 7517): the public keys of what the proxy signs. */
import type { JWK } from "jose";
import type { Handler } from "./http.ts";

export const jwks =
  (keys: readonly JWK[]): Handler =>
  (ctx) => {
    ctx.type = "application/jwk-set+json";
    ctx.set("Cache-Control", "public, max-age=300");
    ctx.body = JSON.stringify({ keys });
  };
