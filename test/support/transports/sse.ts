/** Server-sent events as a client reads them. */
import { createParser, type EventSourceMessage } from "eventsource-parser";

/** The events of the body as they arrive; `return` closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<EventSourceMessage, void, void> {
  if (!response.body) throw new Error("the answer has no body");
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
}
