import { type Break, classifyBreak, referencesOf } from "./classify.ts";
import { type OpenLine } from "#modules/reconciliation/core/matching/line.ts";

/** The breaks of open lines, by the ids of the lines. */
export function breaksInMemory({
  lines,
  open,
  undecided,
  today,
  timingDays,
}: {
  /** All lines, matched ones included, in ascending order of their ids. */
  readonly lines: readonly OpenLine[];
  readonly open: readonly OpenLine[];
  readonly undecided: ReadonlySet<number>;
  readonly today: number;
  readonly timingDays: number;
}): ReadonlyMap<number, Break> {
  const openIds = new Set(open.map(({ id }) => id));
  const byReference = new Map<string, OpenLine[]>();
  for (const line of lines) {
    for (const reference of referencesOf(line)) {
      const known = byReference.get(reference);
      if (known === undefined) byReference.set(reference, [line]);
      else known.push(line);
    }
  }
  return new Map(
    open.map((line) => {
      const related = referencesOf(line).flatMap((reference) => byReference.get(reference) ?? []);
      const twin = related.find(
        (other) =>
          other.side === line.side &&
          other.id !== line.id &&
          other.asset === line.asset &&
          other.amount === line.amount &&
          (!openIds.has(other.id) || other.id < line.id),
      );
      const namesakes = related.filter(({ id, side }) => side !== line.side && openIds.has(id));
      const evidence = { twin: twin?.id, namesakes, isUndecided: undecided.has(line.id) };
      const patience = { today, days: timingDays, count: "businessDays" } as const;
      return [line.id, classifyBreak(line, evidence, patience)];
    }),
  );
}
