/** What the configuration says of cards: how a vendor's are checked and changed, how the proxy's own are signed. */
import type { KeyObject } from "node:crypto";
import type { JSONWebKeySet } from "jose";

/** One of `keys` and `jwksUrl` is there. */
export interface CardSignatureConfig {
  readonly keys?: JSONWebKeySet;
  readonly jwksUrl?: string;
  /** Whether a card without a signature is refused too. */
  readonly required: boolean;
}

/** What replaces what the vendor's card says; an absent member leaves it as it is. */
export interface CardOverlay {
  readonly name?: string;
  readonly description?: string;
  readonly iconUrl?: string;
  readonly documentationUrl?: string;
  readonly provider?: { readonly organization: string; readonly url: string };
  /** Ids of the only skills that are shown, or of those that are not. */
  readonly skills?: { readonly include: readonly string[] } | { readonly exclude: readonly string[] };
  readonly defaultInputModes?: readonly string[];
  readonly defaultOutputModes?: readonly string[];
}

export interface ExtendedCardConfig {
  /** Whether callers of whom nothing is known get it too. */
  readonly public: boolean;
  /** On top of the agent's `cardOverlay`; makes an extended card of the public one where the vendor has none. */
  readonly overlay?: CardOverlay;
}

export interface CardSigningConfig {
  readonly key: KeyObject;
  readonly alg: string;
  readonly kid: string;
  /** Where the public key is to be found; the proxy's own JWKS by default. */
  readonly jku?: string;
}

export interface CorsConfig {
  readonly origins: "*" | readonly string[];
  readonly credentials: boolean;
  /** Request headers that are allowed besides the usual ones. */
  readonly headers: readonly string[];
  /** How long a browser may keep the answer to its preflight request, ms. */
  readonly maxAge: number;
}
