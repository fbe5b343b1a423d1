/**
 * What a card says about the dialect of its agent. The generations of A2A differ in their cards' members; hybrids,
 * cards of another generation than the server, and agents without a card exist, so what is read here is a claim that
 * probe.ts checks, unless it is `sure`.
 */
import { z } from "zod";
import { interfaceVersions, oldVersion } from "../shared/interfaces.ts";
import { isRecord } from "../shared/object.ts";

export type Dialect = "a2a-0.3" | "a2a-1.0" | "a2a-snake" | "a2a-0.1" | "appbuilder";

export interface Reading {
  readonly says: Dialect | undefined;
  /** Completes the sentence "… because <why>". */
  readonly why: string;
  /** Nothing could contradict it: no probe. */
  readonly sure: boolean;
}

const Version = z.coerce.string().nullish().catch(undefined);

const Card = z.looseObject({
  url: z.string().nullish().catch(undefined),
  protocolVersion: Version,
  provider: z
    .looseObject({ organization: z.string().nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

const APPBUILDER_HOST = /(^|\.)(qianfan\.baidubce|appbuilder\.baidu)\.com$/;
const APPBUILDER_PROVIDER = /baidu ?qianfan|appbuilder/i;

/** Members that no 0.1 card has, by the versions that brought them. */
const SINCE_0_2 = [
  "securitySchemes",
  "security",
  "supportsAuthenticatedExtendedCard",
  "iconUrl",
  "preferredTransport",
  "additionalInterfaces",
] as const;

const claim = (says: Reading["says"], why: string, sure = false): Reading => ({ says, why, sure });

const hostOf = (url: string | null | undefined): string => (url ? (URL.parse(url)?.hostname ?? "") : "");

/** `card` as it was served, undefined where there is none; `url` is the agent's as it is configured. */
export function readCard(card: unknown, url: string): Reading {
  if (APPBUILDER_HOST.test(hostOf(url))) return claim("appbuilder", `its host is ${hostOf(url)}`, true);
  if (!isRecord(card)) return claim(undefined, "it serves no card");
  const { provider, protocolVersion, ...rest } = Card.parse(card);
  const organization = provider?.organization ?? "";
  if (APPBUILDER_PROVIDER.test(organization)) {
    return claim("appbuilder", `its card names the provider ${organization}`, true);
  }
  if (APPBUILDER_HOST.test(hostOf(rest.url))) {
    return claim("appbuilder", `its card names the host ${hostOf(rest.url)}`, true);
  }
  if (Array.isArray(card["supported_interfaces"]))
    return claim("a2a-snake", "its card has supported_interfaces");
  const versions = interfaceVersions(card);
  if (versions) {
    const old = oldVersion(versions);
    if (old !== undefined) return byVersion(old, `an interface of its card has protocol version ${old}`);
    return claim("a2a-1.0", "its card has supportedInterfaces");
  }
  if (protocolVersion) return byVersion(protocolVersion, `its card says protocolVersion ${protocolVersion}`);
  if ("authentication" in card) return claim("a2a-0.1", "its card has authentication and no protocolVersion");
  const member = SINCE_0_2.find((name) => name in card);
  if (member) return claim("a2a-0.3", `its card has ${member} and no protocolVersion`);
  return claim(undefined, "its card does not tell");
}

function byVersion(version: string, why: string): Reading {
  if (/^v?0\.1(\.|$)/.test(version)) return claim("a2a-0.1", why);
  if (/^v?0\.[23](\.|$)/.test(version)) return claim("a2a-0.3", why);
  return /^v?1(\.|$)/.test(version) ? claim("a2a-1.0", why) : claim(undefined, `${why}, which is no version`);
}
