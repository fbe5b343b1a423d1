/**
 * How many values a protobuf message holds, found without decoding it: a message of 4 MiB may be two million empty
 * parts, and what the library makes of them keeps the process busy for seconds. Values are counted as in the JSON of
 * the same message, so that one limit means the same on every transport.
 */
import protobuf from "protobufjs";

/** What of a type the count needs. */
export interface ProtoShape {
  /** The types of its message fields, by number. */
  readonly messages: Map<number, ProtoShape>;
  /** Fields that are no values of their own: the kind of a Value, key and value of an entry. */
  readonly wrapping: number;
}

/** Levels beyond which the library would refuse to decode. */
const LEVELS = protobuf.Reader.recursionLimit;
const LENGTH_DELIMITED = 2;

export function shapeOf(type: protobuf.Type, known: Map<protobuf.Type, ProtoShape> = new Map()): ProtoShape {
  const before = known.get(type);
  if (before) return before;
  const messages = new Map<number, ProtoShape>();
  const shape = { messages, wrapping: type.fullName === ".google.protobuf.Value" ? 1 : 0 };
  known.set(type, shape);
  for (const field of type.fieldsArray) {
    const { resolvedType } = field.resolve();
    const inner = resolvedType instanceof protobuf.Type ? shapeOf(resolvedType, known) : undefined;
    if (field instanceof protobuf.MapField) messages.set(field.id, entryOf(inner));
    else if (inner) messages.set(field.id, inner);
  }
  return shape;
}

const entryOf = (value: ProtoShape | undefined): ProtoShape => ({
  messages: new Map(value && [[2, value]]),
  wrapping: 2,
});

/**
 * The number of values, or one beyond `limit` where there are more; throws where the bytes are no message, as far as they were
 * looked at.
 */
export function countProtoValues(shape: ProtoShape, bytes: Uint8Array, limit: number): number {
  return countWithin(shape, protobuf.Reader.create(bytes), { end: bytes.length, limit, level: 0 });
}

interface Span {
  readonly end: number;
  readonly limit: number;
  readonly level: number;
}

/** Stops a little beyond the limit. */
function countWithin(shape: ProtoShape, reader: protobuf.Reader, { end, limit, level }: Span): number {
  if (level > LEVELS) throw new Error("the message is nested too deeply");
  let fields = 0;
  let inner = 0;
  while (reader.pos < end && fields + inner <= limit + shape.wrapping) {
    const tag = reader.uint32();
    const message = shape.messages.get(tag >>> 3);
    fields += 1;
    if (message === undefined || (tag & 7) !== LENGTH_DELIMITED) {
      reader.skipType(tag & 7);
    } else {
      const length = reader.uint32();
      const span = { end: Math.min(reader.pos + length, end), limit, level: level + 1 };
      inner += countWithin(message, reader, span);
    }
  }
  return inner + Math.max(0, fields - shape.wrapping);
}
