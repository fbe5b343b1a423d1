/** The official JavaScript client of 0.3, pointed at a proxy on a free port as a reverse proxy in front would do it. */
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "a2a03/client";
import type { TestProxy } from "./proxy.ts";

type OfficialClient = Awaited<ReturnType<ClientFactory["createFromUrl"]>>;

/** Made from the card that the proxy serves; calls go to the URL that the card names. */
export function officialClient(proxy: TestProxy, agent: string): Promise<OfficialClient> {
  const fetchImpl: typeof fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    return fetch(proxy.url + pathname, init);
  };
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(`${proxy.url}/agents/${agent}/`);
}
