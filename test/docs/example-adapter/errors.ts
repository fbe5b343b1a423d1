/** Parrot's refusals: an HTTP status, and `{"oops": …}` if one is lucky. */
import { A2AError, type HttpResponse } from "../../../src/index.ts";
import { WireError } from "./wire.ts";

export function toCanonicalError({ status, json }: HttpResponse): A2AError {
  const { data: vendor } = WireError.safeParse(json);
  return new A2AError("invalid-agent-response", {
    message: vendor ? `Parrot says: ${vendor.oops}` : `Parrot answered with HTTP ${status}`,
    data: { stage: "response", status, ...(vendor && { vendor }) },
  });
}
