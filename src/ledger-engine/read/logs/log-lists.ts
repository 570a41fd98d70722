import { type LogSource, selectLogs, toIdBound } from "./log-selection.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import {
  intersection,
  interval,
  type Intervals,
  type NumberInterval,
} from "#ledger-engine/rules/filters/intervals.ts";
import { PAGE_BYTES_MAX } from "#ledger-engine/rules/limits.ts";
import { toLogText } from "#ledger-engine/rules/log/log-text.ts";
import type { LogListEntry, LogTextPage } from "#ledger-engine/rules/reads.ts";
import { lastLogAt, lastTransactionOf } from "#ledger-engine/storage/ids-by-date.ts";
import type { LogReader } from "#ledger-engine/storage/log-reader.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";
import { type Page, pageOf, type Scan, scanOf } from "#platform/paging/pagination.ts";
import { type PageKey, type PageQuery } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";

type LogIdRow = { id: number; date: number };

/** The limits of a page of the export, in entries and in approximate bytes. */
const EXPORT_LIMITS = { countMax: 1000, bytesMax: 1_000_000 };

/** Lists log entries by id or by date, which is the same order, and exports them. */
export class LogLists {
  readonly #sql: Sql;
  readonly #logs: LogReader;

  constructor({ sql, logs }: ReadContext) {
    this.#sql = sql;
    this.#logs = logs;
  }

  list(query: PageQuery): Page<LogListEntry> {
    const filter = parseLedgerFilter("logs", query.where);
    const scan = scanOf(query);
    const rows = this.#idRows(
      selectLogs(filter, (micros) => lastLogAt(this.#sql, micros)),
      {
        order: scan.order,
        limit: scan.limit,
        within: idsWithin(query.column, scan),
      },
    );
    const ids = rows.slice(0, query.pageSize).map(({ id }) => id);
    const entries = this.#logs.listed(ids, { bytesMax: PAGE_BYTES_MAX });
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const page = pageOf(query, rows, {
      keyOf: (row) => keyOf(query.column, row),
      keptMax: entries.length,
    });
    return { ...page, data: page.data.flatMap(({ id }) => byId.get(id) ?? []) };
  }

  /**
   * A page of the log after an entry: at most `countMax` entries, up to `to` or, if that is not given, up to the entry
   * that is now the last.
   */
  export(after: number, to?: number, countMax: number = EXPORT_LIMITS.countMax): LogTextPage {
    const end =
      to ??
      this.#sql.all<{ id: number }>("SELECT id FROM log ORDER BY id DESC LIMIT 1")[0]?.id ??
      -1;
    const limits = { ...EXPORT_LIMITS, countMax: Math.min(countMax, EXPORT_LIMITS.countMax) };
    const entries = this.#logs.following(after, end, limits);
    const text = entries.map((entry) => `${toLogText(entry)}\n`).join("");
    return { text, after: entries.at(-1)?.id ?? end, to: end };
  }

  /** The first entries of some sources, in order. */
  #idRows(sources: readonly LogSource[], walk: Walk): LogIdRow[] {
    const rows = sources.flatMap((source) => this.#idRowsOf(source, walk));
    const sign = walk.order === "asc" ? 1 : -1;
    return rows.toSorted((a, b) => (a.id - b.id) * sign).slice(0, walk.limit);
  }

  #idRowsOf({ type, ids }: LogSource, { order, limit, within }: Walk): LogIdRow[] {
    const ranges = intersection(ids, within);
    const found: LogIdRow[] = [];
    for (const range of order === "asc" ? ranges : ranges.toReversed()) {
      found.push(...this.#idRowsIn(range, { type, order, limit: limit - found.length }));
      if (found.length >= limit) break;
    }
    return found;
  }

  #idRowsIn(
    { from, to }: NumberInterval,
    { type, order, limit }: { type: number | undefined; order: Scan["order"]; limit: number },
  ): LogIdRow[] {
    if (type === LOG_TYPES.NEW_TRANSACTION && to - from > PASSED_MAX) {
      // Most entries are of this type, which therefore has no index. The table of transactions leads to them; only
      // reverts are skipped.
      const [first, last] = [
        lastTransactionOf(this.#sql, from - 1) + 1,
        lastTransactionOf(this.#sql, to),
      ];
      return this.#sql.all<LogIdRow>(
        `SELECT log.id, log.date FROM tx CROSS JOIN log ON log.id = tx.log
          WHERE tx.id BETWEEN ? AND ? AND log.type = ${type} ORDER BY tx.id ${order} LIMIT ? + 0`,
        first,
        last,
        limit,
      );
    }
    const ofType =
      type === undefined ? "" : `AND type = ${type} ${type === 0 ? "" : "AND type <> 0"}`;
    return this.#sql.all<LogIdRow>(
      `SELECT id, date FROM log WHERE id BETWEEN ? AND ? ${ofType} ORDER BY id ${order} LIMIT ? + 0`,
      from,
      to,
      limit,
    );
  }
}

interface Walk {
  readonly order: Scan["order"];
  readonly limit: number;
  readonly within: Intervals;
}

/** In a range of at most this many ids, entries of a type are found by reading all of them. */
const PASSED_MAX = 1000;

/** The ids that a page may contain. The order by date is the order by id, which breaks its ties. */
function idsWithin(column: string, { bound, order }: Scan): Intervals {
  const [first, last] = [0, Number.MAX_SAFE_INTEGER];
  if (bound === undefined) return interval(first, last);
  const start = toIdBound(BigInt(column === "date" ? (bound.key.tie ?? 0n) : bound.key.value));
  const step = bound.inclusive ? 0 : 1;
  return order === "asc"
    ? interval(Math.max(start + step, first), last)
    : interval(first, Math.min(start - step, last));
}

const keyOf = (column: string, { id, date }: LogIdRow): PageKey =>
  column === "date" ? { value: BigInt(date), tie: BigInt(id) } : { value: BigInt(id) };
