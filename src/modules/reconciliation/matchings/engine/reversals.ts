import type { GroupStore, NewGroup } from "./groups.ts";
import { type LineRow, LINE_COLUMNS, type LineStore, sideNumber, toLine } from "./lines.ts";
import type { RunCursor } from "./settings.ts";
import { LINE_MATCHED, LINE_OPEN } from "./tables.ts";
import { referencesOf } from "#modules/reconciliation/core/breaks/classify.ts";
import type { OpenLine } from "#modules/reconciliation/core/matching/index.ts";
import { type Sql, toStored } from "#platform/sql/sql.ts";

/** The pass of groups of a line and the one that takes it back. */
export const TAKEN_BACK = "taken back";

/** Lines that one slice looks at. */
const SLICE_LINES = 200;

/** Lines of a reference that are looked at. */
const RELATIVES_MAX = 100;

/** Where the step of a run goes on, and the groups that it has found. */
interface ReversalSlice {
  readonly next: RunCursor | undefined;
  readonly groups: readonly NewGroup[];
}

/**
 * Groups lines that take back others of their own side, such as the reversal of a transaction that should not have been made. They are
 * grouped before the passes, which might take the wrong one of two bookings of one thing. Where the other side has taken back its line, too,
 * such as a bank that shows a payment and its refund, the passes pair both lines:
 *
 *     left   booked 100 ─┐               left   paid 100 ──── right  paid 100
 *            reversed −100 ─┘ taken back        refunded −100 ── right  refunded −100
 *            booked 100 ──── right 100
 */
export class Reversals {
  readonly #sql: Sql;
  readonly #lines: LineStore;
  readonly #groups: GroupStore;

  constructor(sql: Sql, stores: { readonly lines: LineStore; readonly groups: GroupStore }) {
    this.#sql = sql;
    this.#lines = stores.lines;
    this.#groups = stores.groups;
  }

  /** Whether an open line takes back another one, or a line was taken back. */
  hasAny(): boolean {
    const open = `SELECT 1 FROM line WHERE corrects IS NOT NULL AND state = ${LINE_OPEN} LIMIT 1`;
    const grouped = `SELECT 1 FROM line_group WHERE pass = '${TAKEN_BACK}' LIMIT 1`;
    return this.#sql.all(open).length > 0 || this.#sql.all(grouped).length > 0;
  }

  /** The groups of lines that were taken back, of which the other side has the second line by now: they are open again, for the passes. */
  outdated(after: number): { readonly next: number | undefined; readonly ids: readonly number[] } {
    const lines = this.#lines.unmatchedAfter(after, SLICE_LINES, ["open"]);
    const ids = lines.flatMap((line) =>
      referencesOf(line).flatMap((reference) =>
        this.#sql
          .all<{ id: number }>(
            `SELECT line_group AS id FROM (SELECT line FROM line_reference WHERE reference = ? ORDER BY line LIMIT ${RELATIVES_MAX}) AS of_reference
             CROSS JOIN line ON line.id = of_reference.line CROSS JOIN line_group ON line_group.id = line.line_group
             WHERE line.state = ${LINE_MATCHED} AND line.corrects IS NOT NULL AND line_group.pass = '${TAKEN_BACK}'
               AND line.side <> ? AND line.asset = ? AND line.amount = ?`,
            reference,
            sideNumber(line.side),
            line.asset,
            toStored(line.amount),
          )
          .map(({ id }) => id),
      ),
    );
    return { next: lines.at(-1)?.id, ids: [...new Set(ids)] };
  }

  /** The groups of a slice of the lines that take back others. */
  slice(run: number, after: number): ReversalSlice {
    const rows = this.#sql.all<LineRow & { corrects: string }>(
      `SELECT ${LINE_COLUMNS}, corrects FROM line
       WHERE corrects IS NOT NULL AND state = ${LINE_OPEN} AND id > ? ORDER BY id LIMIT ${SLICE_LINES}`,
      after,
    );
    const used = new Set<number>();
    const groups = rows.flatMap((row): readonly NewGroup[] => {
      const line = toLine(row);
      const earlier = this.#takenBackBy(line, row.corrects);
      if (earlier === undefined || used.has(earlier) || used.has(line.id)) return [];
      if (this.#hasCounterpart(line)) return [];
      used.add(earlier).add(line.id);
      const ids = [earlier, line.id];
      const [left, right] = line.side === "left" ? [ids, []] : [[], ids];
      return [
        {
          left,
          right,
          state: "matched",
          run,
          pass: TAKEN_BACK,
          confidence: 100,
          isAmbiguous: false,
        },
      ];
    });
    const last = rows.at(-1);
    return {
      next: last === undefined ? undefined : { phase: "offset", after: last.id },
      groups: this.#groups.insert(groups),
    };
  }

  /** The open line that a line takes back exactly. */
  #takenBackBy(line: OpenLine, name: string): number | undefined {
    const [earlier] = this.#sql.all<{ id: number }>(
      `SELECT id FROM line WHERE side = ? AND source_id = ? AND state = ${LINE_OPEN} AND asset = ? AND amount = ?`,
      sideNumber(line.side),
      name,
      line.asset,
      toStored(-line.amount),
    );
    return earlier?.id;
  }

  /** Whether the other side has an open line with one of a line's references and the same amount. */
  #hasCounterpart(line: OpenLine): boolean {
    return referencesOf(line).some((reference) =>
      this.#lines
        .ofReference(reference, RELATIVES_MAX)
        .some(
          (other) =>
            other.isOpen &&
            other.side !== line.side &&
            other.asset === line.asset &&
            other.amount === line.amount,
        ),
    );
  }
}
