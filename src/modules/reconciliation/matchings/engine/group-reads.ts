import { type GroupRow, type GroupState, type StoredGroup, toGroup } from "./groups.ts";
import type { RunHeads } from "./heads.ts";
import type { JournalEntry, Journal } from "./journal.ts";
import {
  type ListedIds,
  type LineDetail,
  LineReads,
  type ScannedRows,
  scanIds,
} from "./line-reads.ts";
import { type GroupEvidence, evidenceOf } from "#modules/reconciliation/core/matching/explain.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Which groups a list shows. Absent members select all. */
export interface GroupFilter {
  readonly state?: Exclude<GroupState, "candidate"> | undefined;
  readonly pass?: string | undefined;
  readonly run?: number | undefined;
}

/** A group with its lines, why they belong together, and who has decided about them. */
export interface GroupDetail extends StoredGroup {
  /** The first lines of each side, at most `SHOWN_LINES_MAX`. */
  readonly leftLines: readonly LineDetail[];
  readonly rightLines: readonly LineDetail[];
  readonly evidence: GroupEvidence;
  readonly decisions: readonly JournalEntry[];
}

/** Most lines of one side of a group that are shown with it. */
export const SHOWN_LINES_MAX = 100;

/** Reads groups for lists, each within a bounded number of rows. */
export class GroupReads {
  readonly #sql: Sql;
  readonly #lines: LineReads;
  readonly #heads: RunHeads;
  readonly #journal: Journal;

  constructor(sql: Sql, stores: { readonly heads: RunHeads; readonly journal: Journal }) {
    this.#sql = sql;
    this.#lines = new LineReads(sql);
    this.#heads = stores.heads;
    this.#journal = stores.journal;
  }

  find(id: number): GroupDetail | undefined {
    const [row] = this.#sql.all<GroupRow>(
      "SELECT * FROM line_group WHERE id = ? AND state <> 'candidate'",
      id,
    );
    if (row === undefined) return undefined;
    const group = toGroup(row);
    const passes = this.#heads.settings(group.run)?.passes ?? [];
    const [left, right] = [this.#lines.byId(group.left), this.#lines.byId(group.right)];
    return {
      ...group,
      leftLines: left.slice(0, SHOWN_LINES_MAX),
      rightLines: right.slice(0, SHOWN_LINES_MAX),
      evidence: evidenceOf(
        { left, right },
        passes.find(({ name }) => name === group.pass),
      ),
      decisions: this.#journal.ofGroup(id),
    };
  }

  list({ state, pass, run }: GroupFilter, scan: ListedIds): ScannedRows<StoredGroup> {
    // Most groups of a pass or run are matched, and few groups have another state.
    const walked =
      state !== undefined && (state !== "matched" || (pass === undefined && run === undefined))
        ? ({ index: "line_group_state", column: "state", value: state } as const)
        : pass !== undefined
          ? ({ index: "line_group_pass", column: "pass", value: pass } as const)
          : run !== undefined
            ? ({ index: "line_group_run", column: "run", value: run } as const)
            : undefined;
    const conditions: readonly (readonly [string, ...(string | number)[]])[] = [
      ["state <> 'candidate'"],
      ...(state === undefined ? [] : [["state = ?", state] as const]),
      ...(pass === undefined ? [] : [["pass = ?", pass] as const]),
      ...(run === undefined ? [] : [["run = ?", run] as const]),
    ];
    const { rows, readTo } = scanIds<GroupRow>(this.#sql, scan, {
      columns: "*",
      source: walked === undefined ? "line_group" : `line_group INDEXED BY ${walked.index}`,
      id: "id",
      range: walked === undefined ? [] : [`${walked.column} = ?`],
      rangeValues: walked === undefined ? [] : [walked.value],
      kept: conditions.map(([condition]) => condition),
      keptValues: conditions.flatMap(([, ...values]) => values),
    });
    return { rows: rows.map(toGroup), readTo };
  }
}
