import { type LineRow, type LineState, LINE_COLUMNS, sideNumber, toLine } from "./lines.ts";
import { LINE_HELD, LINE_MATCHED, LINE_OPEN, LINE_PROPOSED } from "./tables.ts";
import type { BreakClass } from "#modules/reconciliation/core/breaks/classify.ts";
import type { BreakStatus } from "#modules/reconciliation/core/breaks/status.ts";
import type { MatchSide, OpenLine } from "#modules/reconciliation/core/matching/line.ts";
import type { LineEvidence } from "#modules/reconciliation/core/source-line.ts";
import { parseJson } from "#platform/json.ts";
import { chunksOf, type Sql, type SqlValue } from "#platform/sql/sql.ts";

/** A line with all that is known of it. */
export interface LineDetail extends OpenLine {
  readonly sourceId: string;
  readonly state: LineState;
  /** The group that has the line; undefined for an open one. */
  readonly group: number | undefined;
  /** Why the line had no match at the end of the last run; undefined for one that has a match, or that no run has looked at. */
  readonly breakClass: BreakClass | undefined;
  /** The line that the class speaks of. */
  readonly relatedLine: number | undefined;
  readonly corrects: string | undefined;
  readonly evidence: LineEvidence;
}

/** Which lines a list shows. Absent members select all. */
export interface LineFilter {
  readonly side?: MatchSide | undefined;
  /** `unmatched` for those that are open, proposed or held. */
  readonly state?: LineState | "unmatched" | undefined;
  readonly asset?: string | undefined;
  readonly breakClass?: BreakClass | undefined;
  readonly status?: BreakStatus | undefined;
  readonly assignee?: string | undefined;
  /** The last day of booking that is shown, in days since 1970-01-01. */
  readonly dayTo?: number | undefined;
  /** One of the line's references, normalised. */
  readonly reference?: string | undefined;
  /** The group that has the line, or had it, where a person has declined or broken it. */
  readonly group?: number | undefined;
}

/** The part of a list that is read, in the order of ids. */
export interface ListedIds {
  readonly order: "asc" | "desc";
  /** The id from which rows are read, or behind which. */
  readonly bound: { readonly id: number; readonly inclusive: boolean } | undefined;
  readonly limit: number;
}

/** Rows of a list. A scan that looked at its most rows and found fewer than it wanted tells the id at which it ended. */
export interface ScannedRows<Row> {
  readonly rows: readonly Row[];
  /** Of a scan with an inclusive bound the first row that was not looked at, otherwise the last one that was. */
  readonly readTo: number | undefined;
}

/** Most rows that one scan looks at, so that filters which few rows fit take no longer than others. */
export const SCANNED_ROWS_MAX = 4_000;

type DetailRow = LineRow & {
  source_id: string;
  state: number;
  line_group: number | null;
  break_class: BreakClass | null;
  break_related: number | null;
  corrects: string | null;
  evidence: string | null;
};

const DETAIL_COLUMNS = `${LINE_COLUMNS}, line.source_id, line.state, line.line_group, line.break_class, line.break_related, line.corrects, line.evidence`;

/** Reads lines for lists, each within a bounded number of rows. */
export class LineReads {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(id: number): LineDetail | undefined {
    const [row] = this.#sql.all<DetailRow>(`SELECT ${DETAIL_COLUMNS} FROM line WHERE id = ?`, id);
    return row === undefined ? undefined : toDetail(row);
  }

  /** Lines by their ids, in the order of ids. */
  byId(ids: readonly number[]): readonly LineDetail[] {
    return [...chunksOf(ids.map(String))].flatMap((chunk) =>
      this.#sql
        .all<DetailRow>(
          `SELECT ${DETAIL_COLUMNS} FROM line WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
          `[${chunk.join(",")}]`,
        )
        .map(toDetail),
    );
  }

  list(filter: LineFilter, scan: ListedIds): ScannedRows<LineDetail> {
    const { rows, readTo } = scanIds<DetailRow>(this.#sql, scan, {
      columns: DETAIL_COLUMNS,
      ...rangeOf(filter),
      ...conditionsOf(filter),
    });
    return { rows: rows.map(toDetail), readTo };
  }
}

/** What a scan walks and keeps. */
interface ScanParts {
  readonly columns: string;
  /** What stands behind `FROM`, and the name of the id. */
  readonly source: string;
  readonly id: string;
  /** The condition of the range that is walked, and that of the rows that are kept, with their parameters. */
  readonly range: readonly string[];
  readonly rangeValues: readonly SqlValue[];
  readonly kept: readonly string[];
  readonly keptValues: readonly SqlValue[];
}

/** Walks a range in the order of ids, at most `SCANNED_ROWS_MAX` rows of it, and keeps the rows that fit. */
export function scanIds<Row extends Record<string, SqlValue> & { id: number }>(
  sql: Sql,
  { order, bound, limit }: ListedIds,
  parts: ScanParts,
): ScannedRows<Row> {
  const { columns, source, id, kept } = parts;
  const beyond = `${order === "asc" ? ">" : "<"}${bound?.inclusive === true ? "=" : ""}`;
  const range = [...parts.range, ...(bound === undefined ? [] : [`${id} ${beyond} ?`])];
  const values = [...parts.rangeValues, ...(bound === undefined ? [] : [bound.id])];
  const from = `FROM ${source} WHERE ${["TRUE", ...range].join(" AND ")} ORDER BY ${id} ${order}`;
  const rows = sql.all<Row>(
    `SELECT * FROM (SELECT ${columns} ${from} LIMIT ${SCANNED_ROWS_MAX}) WHERE ${["TRUE", ...kept].join(" AND ")} LIMIT ? + 0`,
    ...values,
    ...parts.keptValues,
    limit,
  );
  if (rows.length >= limit || (kept.length === 0 && limit <= SCANNED_ROWS_MAX))
    return { rows, readTo: undefined };
  const isInclusive = bound?.inclusive ?? true;
  const [end] = sql.all<{ id: number }>(
    `SELECT ${id} AS id ${from} LIMIT 1 OFFSET ${isInclusive ? SCANNED_ROWS_MAX : SCANNED_ROWS_MAX - 1}`,
    ...values,
  );
  return { rows, readTo: end?.id };
}

/** The smallest range of lines that an index gives in the order of ids. */
function rangeOf(filter: LineFilter): Pick<ScanParts, "source" | "id" | "range" | "rangeValues"> {
  const { side, state, asset, breakClass, reference, assignee, group } = filter;
  const of = (index: string, range: readonly string[], values: readonly SqlValue[]) => ({
    source: `line INDEXED BY ${index}`,
    id: "line.id",
    range,
    rangeValues: values,
  });
  if (group !== undefined) {
    const ids = ["left_lines", "right_lines"].map(
      (lines) => `SELECT value FROM line_group, json_each(${lines}) WHERE line_group.id = ?`,
    );
    return {
      source: "line",
      id: "line.id",
      range: [`line.id IN (${ids.join(" UNION ")})`],
      rangeValues: [group, group],
    };
  }
  const unmatched = `line.state <> ${LINE_MATCHED}`;
  if (reference !== undefined)
    return {
      source: "line_reference CROSS JOIN line ON line.id = line_reference.line",
      id: "line_reference.line",
      range: ["line_reference.reference = ?"],
      rangeValues: [reference],
    };
  if (assignee !== undefined)
    return {
      source:
        "break_work INDEXED BY break_work_assignee CROSS JOIN line ON line.id = break_work.line",
      id: "break_work.line",
      range: ["break_work.assignee = ?"],
      rangeValues: [assignee],
    };
  if (breakClass !== undefined)
    return of("line_break", [unmatched, "line.break_class = ?"], [breakClass]);
  if (state === "proposed") return of("line_proposed", [`line.state = ${LINE_PROPOSED}`], []);
  if (state !== undefined && state !== "matched")
    return side === undefined
      ? of("line_unmatched", [unmatched], [])
      : of("line_unmatched_of_side", [unmatched, "line.side = ?"], [sideNumber(side)]);
  if (side !== undefined && asset !== undefined)
    return of("line_of_side_asset", ["line.side = ?", "line.asset = ?"], [sideNumber(side), asset]);
  if (side !== undefined) return of("line_of_side", ["line.side = ?"], [sideNumber(side)]);
  if (asset !== undefined) return of("line_of_asset", ["line.asset = ?"], [asset]);
  return { source: "line", id: "line.id", range: [], rangeValues: [] };
}

function conditionsOf(filter: LineFilter): Pick<ScanParts, "kept" | "keptValues"> {
  const { side, state, asset, breakClass, status, dayTo, reference, group } = filter;
  const all: readonly (readonly [string, ...SqlValue[]])[] = [
    ...(side === undefined ? [] : [["side = ?", sideNumber(side)] as const]),
    ...(state === undefined ? [] : [[STATE_CONDITIONS[state]] as const]),
    ...(asset === undefined ? [] : [["asset = ?", asset] as const]),
    ...(breakClass === undefined
      ? []
      : [[`state <> ${LINE_MATCHED} AND break_class = ?`, breakClass] as const]),
    ...(status === undefined
      ? []
      : [
          [
            "coalesce((SELECT work.status FROM break_work AS work WHERE work.line = id), 'open') = ?",
            status,
          ] as const,
        ]),
    ...(dayTo === undefined ? [] : [["day <= ?", dayTo] as const]),
    // The range of a group has no place for a reference.
    ...(reference === undefined || group === undefined
      ? []
      : [
          [
            "EXISTS (SELECT 1 FROM line_reference WHERE reference = ? AND line_reference.line = id)",
            reference,
          ] as const,
        ]),
  ];
  return {
    kept: all.map(([condition]) => condition),
    keptValues: all.flatMap(([, ...values]) => values),
  };
}

const STATE_CONDITIONS = {
  open: `state = ${LINE_OPEN}`,
  proposed: `state = ${LINE_PROPOSED}`,
  matched: `state = ${LINE_MATCHED}`,
  held: `state = ${LINE_HELD}`,
  unmatched: `state <> ${LINE_MATCHED}`,
} as const;

const STATES: Readonly<Record<number, LineState>> = {
  [LINE_OPEN]: "open",
  [LINE_MATCHED]: "matched",
  [LINE_PROPOSED]: "proposed",
  [LINE_HELD]: "held",
};

export function toDetail(row: DetailRow): LineDetail {
  const state = STATES[row.state] ?? "open";
  const isUnmatched = state !== "matched";
  return {
    ...toLine(row),
    sourceId: row.source_id,
    state,
    group: row.line_group ?? undefined,
    breakClass: isUnmatched ? (row.break_class ?? undefined) : undefined,
    relatedLine: isUnmatched ? (row.break_related ?? undefined) : undefined,
    corrects: row.corrects ?? undefined,
    evidence: row.evidence === null ? {} : toEvidence(row.evidence),
  };
}

function toEvidence(text: string): LineEvidence {
  // `putLines` has written it. Small ids are numbers in JSON.
  const { transactionID, ...evidence } = parseJson(text) as Omit<LineEvidence, "transactionID"> & {
    readonly transactionID?: number | bigint;
  };
  return {
    ...evidence,
    ...(transactionID === undefined ? {} : { transactionID: BigInt(transactionID) }),
  };
}
