import type { StreamResult } from "./streams.ts";

/** A figure of a scenario, with its upper or lower limit. */
export interface Figure {
  readonly scenario: string;
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "MB" | "" | "s";
  readonly most?: number;
  readonly least?: number;
}

/** The results of a scenario: its figures, and the outcomes of all clients' requests. */
export interface Report {
  readonly figures: readonly Figure[];
  readonly streams: readonly StreamResult[];
}

/** Whether a figure is within its limit. A missing figure (NaN) is not. */
export const holds = ({ value, most = Infinity, least = -Infinity }: Figure): boolean =>
  value <= most && value >= least;

export function reportLines({ figures, streams }: Report): string {
  return [
    ...figures.map((figure) => {
      const limit = limitOf(figure);
      const verdict = limit === "" ? "" : holds(figure) ? "holds" : "MISSED";
      return `  ${figure.name.padEnd(58)}${shown(figure.value, figure.unit).padStart(12)}  ${limit.padEnd(16)}${verdict}`;
    }),
    ...streams.map(
      ({ name, outcomes }) =>
        `    ${name.padEnd(40)}${Object.entries(outcomes)
          .toSorted(([a], [b]) => a.localeCompare(b))
          .map(([outcome, count]) => `${outcome}: ${count}`)
          .join(", ")}`,
    ),
  ].join("\n");
}

const limitOf = ({ most, least, unit }: Figure): string => {
  if (most !== undefined) return `at most ${shown(most, unit)}`;
  return least === undefined ? "" : `at least ${shown(least, unit)}`;
};

const shown = (value: number, unit: string): string =>
  `${Number.isInteger(value) ? value : value.toFixed(value < 10 ? 2 : 0)}${unit === "" ? "" : ` ${unit}`}`;
