/** Text for a terminal, plain where there is none. */
import type { Writable } from "node:stream";
import { styleText } from "node:util";

type Style = "red" | "yellow" | "green" | "bold" | "dim";

export const line = (stream: Writable, text = ""): void => {
  stream.write(`${text}\n`);
};

/** Coloured only where `stream` is a terminal that takes colours (and neither NO_COLOR nor the like forbids it). */
export const paint = (stream: Writable, style: Style, text: string): string =>
  styleText(style, text, { stream });

/** Columns as wide as their widest cell; the first row is the head. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
