import { OPEN_CLASSES } from "#console/places/reconciliation/lines/classes.tsx";
import type {
  CloseReport,
  OpenClass,
  MatchingSide,
} from "#console/places/reconciliation/queries/matchings.ts";

/** How many lines of a side are matched, and how many are open for which reason. */
export interface SideTotals {
  readonly lines: number;
  readonly matched: number;
  readonly open: readonly { readonly class: OpenClass; readonly lines: number }[];
}

/** The lines of both sides over all assets, from the report of the whole period. */
export const totalsOf = (report: CloseReport): Readonly<Record<MatchingSide, SideTotals>> => ({
  left: sideOf(report, "left"),
  right: sideOf(report, "right"),
});

function sideOf({ assets }: CloseReport, side: MatchingSide): SideTotals {
  const sums = assets.map((asset) => asset[side]);
  const open = OPEN_CLASSES.map((name) => ({
    class: name,
    lines: sum(sums.flatMap((of) => of.open.filter((each) => each.class === name))),
  })).filter(({ lines }) => lines > 0);
  const matched = sum(sums.map((of) => of.matched));
  return { lines: matched + sum(open), matched, open };
}

const sum = (of: readonly { readonly lines: number }[]): number =>
  of.reduce((all, { lines }) => all + lines, 0);
