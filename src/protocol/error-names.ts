/**
 * The errors of A2A by the names that SDKs give them where there is no JSON-RPC code: `TaskNotFoundError` (Python),
 * `io.a2a.spec.TaskNotFoundError` (Java), `TASK_NOT_FOUND` (google.rpc.ErrorInfo, Go).
 */
import type { ErrorCode } from "./errors.ts";

/** In lower case, letters only, without a final `error`. */
const BY_NAME: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ["jsonparse", "parse-error"],
  ["parse", "parse-error"],
  ["invalidrequest", "invalid-request"],
  ["methodnotfound", "method-not-found"],
  ["invalidparams", "invalid-params"],
  ["internal", "internal-error"],
  ["tasknotfound", "task-not-found"],
  ["tasknotcancelable", "task-not-cancelable"],
  ["pushnotificationnotsupported", "push-not-supported"],
  ["unsupportedoperation", "unsupported-operation"],
  ["contenttypenotsupported", "content-type-not-supported"],
  ["invalidagentresponse", "invalid-agent-response"],
  ["authenticatedextendedcardnotconfigured", "extended-card-not-configured"],
  ["extendedagentcardnotconfigured", "extended-card-not-configured"],
  // 1.0's: a client can name the extension; the version is the proxy's own choice.
  ["extensionsupportrequired", "invalid-params"],
  ["versionnotsupported", "invalid-agent-response"],
]);

/** Undefined for any other word. */
export const errorCodeByName = (name: string): ErrorCode | undefined =>
  BY_NAME.get(
    name
      .slice(name.lastIndexOf(".") + 1)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, "")
      .replace(/error$/, ""),
  );
