/**
 * Requests to an authorization server, in the form that oauth4webapi takes: an answer of bounded size, and no redirect,
 * whoever asks.
 */
import type { CustomFetchOptions } from "oauth4webapi";
import { Client } from "undici";
import { readBounded } from "../net/bounded.ts";
import { createConnector } from "./connector.ts";
import { dispatch, readWhole } from "./dispatch.ts";
import type { LiveTls } from "./tls.ts";

/** Of an answer, bytes after decompression; a token becomes a header, for which 16 KiB are much. */
const LARGEST = 64 * 1024;

export type TokenFetch = (
  url: string,
  options: CustomFetchOptions<string, URLSearchParams | undefined>,
) => Promise<Response>;

/** With what the system trusts. */
export const plainFetch: TokenFetch = async (url, { body, ...init }) => {
  const signal = init.signal ?? null;
  const response = await fetch(url, { ...init, signal, body: body ?? null, redirect: "manual" });
  const { status, statusText, headers } = response;
  const beyond = `its answer has more than ${LARGEST} bytes`;
  const whole = await readBounded(response, { limit: LARGEST, beyond });
  return new Response(whole.length === 0 ? null : whole, { status, statusText, headers });
};

/** With an agent's certificates. Each request has a connection of its own: they are minutes apart. */
export const createTlsFetch = (tls: LiveTls, timeout: number): TokenFetch => {
  const connect = createConnector(tls, timeout);
  return async (address, { body, method, headers, signal }) => {
    const { origin, pathname, search } = new URL(address);
    const client = new Client(origin, { connect, pipelining: 0 });
    const asked = { method, path: pathname + search, headers, body: body?.toString() ?? null };
    try {
      const { head, body: whole } = await dispatch(client, asked, signal, readWhole(LARGEST));
      const bytes = await whole;
      const type = head.headers["content-type"];
      return new Response(bytes.length === 0 ? null : bytes, {
        status: head.status,
        ...(typeof type === "string" && { headers: { "content-type": type } }),
      });
    } finally {
      await client.destroy();
    }
  };
};
