/** Looks into a schema: what keys it knows at a path. For suggestions, and for the reference in docs/. */
import { z } from "zod";
import { member, type Path } from "./document.ts";

type Schema = z.core.$ZodType;

/** The schema without the wrappers that only say optional, default, read-only or transformed. */
export function unwrap(schema: Schema): Schema {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodReadonly
  ) {
    return unwrap(schema.def.innerType);
  }
  if (schema instanceof z.ZodPipe) return unwrap(schema.def.in);
  if (schema instanceof z.ZodLazy) return unwrap(schema.def.getter());
  return schema;
}

/** The alternatives that `value` may be meant as: those of a union whose discriminator fits, else all. */
function alternatives(schema: Schema, value: unknown): Schema[] {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodUnion)) return [inner];
  const options = inner.def.options.map(unwrap);
  if (!(inner instanceof z.ZodDiscriminatedUnion)) return options;
  const { discriminator } = inner.def;
  return options.filter((option) => {
    const tag = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
    return tag !== undefined && z.safeParse(tag, member(value, discriminator)).success;
  });
}

/** Names of the keys that the schema allows at `path` within `value`. */
export function knownKeys(schema: Schema, value: unknown, path: Path): string[] {
  const [step, ...rest] = path;
  return alternatives(schema, value).flatMap((option) => {
    if (step === undefined) return option instanceof z.ZodObject ? Object.keys(option.shape) : [];
    const next = child(option, step);
    return next ? knownKeys(next, member(value, step), rest) : [];
  });
}

function child(schema: Schema, step: string | number): Schema | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[step];
  if (schema instanceof z.ZodRecord) return schema.def.valueType;
  if (schema instanceof z.ZodArray) return schema.def.element;
  return undefined;
}
