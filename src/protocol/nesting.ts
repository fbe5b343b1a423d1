/**
 * How deep JSON may go. `JSON.parse` takes any depth; what walks the value afterwards, `JSON.stringify` among it, has a
 * stack that ends. A limit at the edge keeps such values from breaking what is half done by then.
 */

/** Levels of objects and arrays; what agents and clients say to each other has a dozen. */
export const MAX_NESTING = 128;

/** Whether the value has more levels than `levels`. Goes no deeper than that itself. */
export function isNestedDeeper(value: unknown, levels: number = MAX_NESTING): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // Without a list of the members, or a function for each: every event of every stream comes by here.
  if (Array.isArray(value)) {
    for (const inner of value) if (isNestedDeeper(inner, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (isNestedDeeper(Reflect.get(value, key), levels - 1)) return true;
  return false;
}
