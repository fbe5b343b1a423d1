/** `server.cors`: which web pages may call the proxy from a browser. */
import { z } from "zod";
import { headerName } from "./header-name.ts";
import { duration } from "./units.ts";

const ORIGIN_HINT = "must be an origin such as https://app.example, without a path";

const isOrigin = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === value;
};

export const CorsSchema = z
  .strictObject({
    origins: z
      .union([z.literal("*"), z.array(z.string().refine(isOrigin, { error: ORIGIN_HINT })).min(1)], {
        error: "must be '*' or a list of origins",
      })
      .meta({
        description: "The origins of the pages that may call; `'*'` for all.",
        kind: "`'*'` or list of origins",
      }),
    credentials: z.boolean().prefault(false).meta({
      description: "Let pages send cookies and client certificates; not with `'*'`.",
      defaultsTo: "false",
    }),
    headers: z
      .array(headerName())
      .prefault([])
      .meta({
        description:
          "Request headers that are allowed besides `Accept`, `Authorization`, `Content-Type`, `Last-Event-ID`, " +
          "`X-A2A-Extensions`, `X-API-Key` and `X-Request-Id`.",
        defaultsTo: "[]",
      }),
    maxAge: duration({ min: 1_000 }).prefault("10m").meta({
      description: "How long a browser may keep the answer to its preflight request.",
      defaultsTo: "10m",
    }),
  })
  .refine(({ origins, credentials }) => origins !== "*" || !credentials, {
    error: "must be a list where credentials are allowed",
    path: ["origins"],
  });
