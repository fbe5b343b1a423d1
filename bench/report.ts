/** A run as a table, as JSON and as a picture. */
import type { Verdict } from "./goals.ts";
import { median } from "./load.ts";
import type { Series } from "./measures.ts";

export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly series: readonly Series[];
  readonly verdicts: readonly Verdict[];
}

const round = (value: number): string =>
  Number.isNaN(value) ? "–" : value.toLocaleString("en-US", { maximumSignificantDigits: 4 });

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function toTable({ series, verdicts }: Report): string {
  const rows = series.map(({ measure, peer, dialect, unit, values }) => [
    measure,
    peer,
    dialect,
    `${round(median(values))} ${unit}`,
    values.length > 1 ? `${round(Math.min(...values))} to ${round(Math.max(...values))}` : "",
  ]);
  const goals = verdicts.map(({ goal, value, limit, met }) => [
    goal,
    round(value),
    round(limit),
    Number.isNaN(value) ? "nothing to compare with" : met ? "met" : "not met",
  ]);
  return [
    columns([["measure", "peer", "dialect", "median", "range"], ...rows]),
    columns([["goal", "measured", "limit", ""], ...goals]),
  ].join("\n\n");
}

const BAR = 22;
const LEFT = 210;
const WIDTH = 760;

/** Bars of one measure, the longest as wide as there is room for. */
function bars(title: string, series: readonly Series[], top: number): { svg: string; bottom: number } {
  const values = series.map(({ values: all }) => median(all));
  const most = Math.max(...values, 1);
  const rows = series.map(({ peer, dialect }, index) => {
    const value = values[index] ?? 0;
    const y = top + 28 + index * BAR;
    const width = (value / most) * (WIDTH - LEFT - 110);
    const fill = peer === "a2a-compat-proxy" ? "#2f6fde" : "#9aa4b2";
    const label = peer === "a2a-compat-proxy" ? `${peer}, ${dialect}` : peer;
    return [
      `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${label}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 6}" fill="${fill}"/>`,
      `<text x="${(LEFT + width + 6).toFixed(1)}" y="${y + 13}">${round(value)}</text>`,
    ].join("");
  });
  const heading = `<text x="0" y="${top + 16}" font-weight="bold">${title}</text>`;
  return { svg: [heading, ...rows].join("\n"), bottom: top + 28 + series.length * BAR + 16 };
}

export function toSvg({ series, date, machine }: Report): string {
  let bottom = 0;
  const parts: string[] = [];
  for (const [measure, title] of [
    ["sends", "message/send per second, one core"],
    ["events", "Stream events per second, one core"],
  ] as const) {
    const drawn = bars(
      title,
      series.filter((one) => one.measure === measure),
      bottom,
    );
    parts.push(drawn.svg);
    bottom = drawn.bottom;
  }
  parts.push(`<text x="0" y="${bottom + 12}" fill="#667">${date.slice(0, 10)}, ${machine}</text>`);
  const style = 'font-family="system-ui, sans-serif" font-size="13"';
  const size = `viewBox="-10 -6 ${WIDTH + 20} ${bottom + 30}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>\n<rect x="-10" y="-6" width="${WIDTH + 20}" height="${bottom + 30}" fill="white"/>\n${parts.join("\n")}\n</svg>\n`;
}
