/** Checks of what the configuration says clients may speak, and where. */
import type { Adapter } from "../adapter.ts";
import { isObject, valueAt, type Path } from "./document.ts";
import { suggestion, type Complaint } from "./faults.ts";

const complain = (path: Path, message: string): Complaint => ({ path, message, about: "value" });

/** Dialects that are not there, and hosts of dialects that the agent is not served in. */
export function servedFaults(value: unknown, adapters: ReadonlyMap<string, Adapter>): Complaint[] {
  const all = [...adapters.values()];
  const others = all.filter(({ serves }) => serves).map(({ name }) => name);
  const known = [...all.filter(({ isReference }) => isReference).map(({ name }) => name), ...others];
  const agents = valueAt(value, ["agents"]);
  const names = Object.keys(isObject(agents) ? agents : {});
  const lists = [["defaults", "serve"], ...names.map((name) => ["agents", name, "serve"])];
  const usual = valueAt(value, ["defaults", "serve"]);
  return [
    ...lists.flatMap((path) => unknownIn(path, valueAt(value, path), known)),
    ...names.flatMap((name) => {
      const hosts = valueAt(agents, [name, "hosts"]);
      const served = valueAt(agents, [name, "serve"]) ?? usual;
      const allowed = Array.isArray(served) ? others.filter((other) => served.includes(other)) : others;
      const path = ["agents", name, "hosts"];
      return Object.entries(isObject(hosts) ? hosts : {}).flatMap(([host, dialect]: [string, unknown]) =>
        typeof dialect !== "string" || allowed.includes(dialect)
          ? []
          : [
              complain(
                [...path, host],
                `is no dialect that a host can have here; there are ${allowed.join(", ")}`,
              ),
            ],
      );
    }),
  ];
}

function unknownIn(path: Path, list: unknown, known: readonly string[]): Complaint[] {
  return (Array.isArray(list) ? list : []).flatMap((name: unknown, index) =>
    typeof name !== "string" || known.includes(name)
      ? []
      : [
          complain(
            [...path, index],
            `is no dialect that clients are served in${suggestion(name, known) || `; there are ${known.join(", ")}`}`,
          ),
        ],
  );
}
