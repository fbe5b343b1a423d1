/**
 * Headers of the client that are passed on to the vendor. Dialects know nothing of them: they are in force while a call
 * is under way, and the HTTP client adds them to what the call sends, whichever way through an adapter that took.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Backend, Call } from "../adapter.ts";

type Headers = Readonly<Record<string, string>>;

const inForce = new AsyncLocalStorage<Headers>();

/** Those of the call that is under way. */
export const forwardedHeaders = (): Headers | undefined => inForce.getStore();

const within = <T>({ forwarded }: Call, work: () => T): T =>
  forwarded ? inForce.run(forwarded, work) : work();

/** A generator runs in the context of whoever asks it for the next value, so each asking is wrapped. */
function streamWithin<T>(call: Call, open: () => AsyncIterable<T>): AsyncIterable<T> {
  if (!call.forwarded) return open();
  return {
    [Symbol.asyncIterator]() {
      const events = within(call, () => open()[Symbol.asyncIterator]());
      return {
        next: () => within(call, () => events.next()),
        return: async (value: unknown) =>
          (await within(call, () => events.return?.(value))) ?? { done: true, value },
      };
    },
  };
}

/** The same backend, whose calls take their forwarded headers with them. */
export function withForwarding(backend: Backend): Backend {
  const { clientMintsTaskIds, sendBy } = backend;
  const send = backend.send?.bind(backend);
  const stream = backend.stream?.bind(backend);
  const getTask = backend.getTask?.bind(backend);
  const cancelTask = backend.cancelTask?.bind(backend);
  const resubscribe = backend.resubscribe?.bind(backend);
  const subscribePush = backend.subscribePush?.bind(backend);
  const unsubscribePush = backend.unsubscribePush?.bind(backend);
  const extendedCard = backend.extendedCard?.bind(backend);
  const native = backend.native?.bind(backend);
  const address = backend.address?.bind(backend);
  const decision = backend.decision?.bind(backend);
  return {
    ...(clientMintsTaskIds !== undefined && { clientMintsTaskIds }),
    sendBy,
    get artifactIds() {
      return backend.artifactIds;
    },
    card: (signal) => backend.card(signal),
    ...(native && { native }),
    ...(address && { address }),
    ...(decision && { decision }),
    ...(send && { send: (params, call) => within(call, () => send(params, call)) }),
    ...(stream && { stream: (params, call) => streamWithin(call, () => stream(params, call)) }),
    ...(getTask && { getTask: (task, call) => within(call, () => getTask(task, call)) }),
    ...(cancelTask && { cancelTask: (task, call) => within(call, () => cancelTask(task, call)) }),
    ...(subscribePush && {
      subscribePush: (task, callback, call) => within(call, () => subscribePush(task, callback, call)),
    }),
    ...(unsubscribePush && {
      unsubscribePush: (task, id, call) => within(call, () => unsubscribePush(task, id, call)),
    }),
    ...(extendedCard && { extendedCard: (call) => within(call, () => extendedCard(call)) }),
    ...(resubscribe && {
      resubscribe: (task, call) => streamWithin(call, () => resubscribe(task, call)),
    }),
  };
}
