/**
 * Clients that end their side of the connection once the request is out. Some still wait for the answer; to the server
 * those that have gone look the same, until something is written. So something is written that every client skips: an
 * interim response before the answer (RFC 9110, 15.2), a comment within a stream. Where nobody is there any more, the
 * next such write fails, and the connection closes.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** Colon and blank line: a comment, which clients skip. */
export const COMMENT = ": \n\n";

/** The first time for the system to hear that nobody is there, ms; then each time four times as long. */
const SOON = 50;
const SELDOM = 15_000;

/** Node closes such connections at once unless told otherwise, by a property that its types do not have. */
export const answerHalfClosed = <T extends Server>(server: T): T =>
  Object.assign(server, { httpAllowHalfOpen: true });

/** Finds out whether a client that has ended its side is still there, for as long as it waits for the answer. */
export function probeHalfClosed(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  let timer: NodeJS.Timeout | undefined;
  const probe = (delay: number): void => {
    writeNothing(request, response);
    timer = setTimeout(() => probe(Math.min(delay * 4, SELDOM)), delay).unref();
  };
  const onEnd = (): void => probe(SOON);
  socket.once("end", onEnd);
  response.once("close", () => {
    socket.off("end", onEnd);
    clearTimeout(timer);
  });
  if (socket.readableEnded) onEnd();
}

function writeNothing({ httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (response.writableEnded || response.writableNeedDrain) return;
  if (!response.headersSent) {
    if (httpVersion === "1.1") response.writeContinue();
  } else if (String(response.getHeader("content-type")).startsWith("text/event-stream")) {
    response.write(COMMENT);
  }
}
