/** The code of a system error (`ENOENT`, `EADDRINUSE` …), or undefined for anything else that is thrown. */
export function errnoOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}
