/** Lets web pages of other origins call: an event stream or a JSON-RPC call from a browser needs leave to (CORS). */
import cors from "@koa/cors";
import type { Middleware } from "koa";
import type { CorsConfig } from "../config/cards.ts";
import { EXTENSIONS_HEADER } from "./extensions.ts";
import type { RequestState } from "./http.ts";

const METHODS = ["GET", "HEAD", "POST", "DELETE"];
const SENT = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Last-Event-ID",
  "X-API-Key",
  "X-Request-Id",
  EXTENSIONS_HEADER,
];
const SHOWN = ["ETag", "Retry-After", "WWW-Authenticate", EXTENSIONS_HEADER, "X-Request-Id"];

/** Answers preflight requests on every path and marks every other answer; an origin that is not listed gets no leave. */
export function allowOrigins({
  origins,
  credentials,
  headers,
  maxAge,
}: CorsConfig): Middleware<RequestState> {
  const everybody = origins === "*";
  return cors({
    origin: (ctx) => {
      const origin = ctx.get("Origin");
      if (everybody) return "*";
      return origins.includes(origin) ? origin : "";
    },
    credentials,
    allowMethods: METHODS,
    allowHeaders: [...SENT, ...headers],
    exposeHeaders: SHOWN,
    maxAge: Math.round(maxAge / 1000),
    keepHeadersOnError: false,
  });
}
