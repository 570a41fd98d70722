import { type LogSource, selectLogs, toIdBound } from "./log-selection.ts";
import { keepsEffectiveVolumes } from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { intersection, interval, type Intervals } from "#ledger-engine/rules/filters/intervals.ts";
import { PAGE_BYTES_MAX } from "#ledger-engine/rules/limits.ts";
import type { ImportNote } from "#ledger-engine/rules/log/import-notes.ts";
import type { LogListEntry, LogPart, LogTextPage } from "#ledger-engine/rules/reads.ts";
import { lastLogAt } from "#ledger-engine/storage/ids-by-date.ts";
import { readImportNotes } from "#ledger-engine/storage/log/import-notes.ts";
import { LogLines } from "#ledger-engine/storage/log/log-lines.ts";
import type { LogReader } from "#ledger-engine/storage/log/log-reader.ts";
import { type ListedRow, listing } from "#ledger-engine/storage/log/log-rows.ts";
import { entriesIn, type RangeLimits, readHead } from "#ledger-engine/storage/log/log-tables.ts";
import { ExportedVolumes } from "#ledger-engine/storage/moves/exported-volumes.ts";
import { type Page, pageOf, type Scan, scanOf } from "#platform/paging/pagination.ts";
import { type PageKey, type PageQuery } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The limits of a page of the export, in entries and in approximate bytes. */
const EXPORT_LIMITS = { countMax: 1000, bytesMax: 2_000_000 };

/** Lists and exports log entries. Their orders by id and by date are equal. */
export class LogLists {
  readonly #sql: Sql;
  readonly #logs: LogReader;
  readonly #lines: LogLines;
  readonly #exported: ExportedVolumes;

  constructor({ sql, names, logs, features }: ReadContext) {
    this.#sql = sql;
    this.#logs = logs;
    this.#exported = new ExportedVolumes(sql, names);
    this.#lines = new LogLines({
      sql,
      names,
      logs,
      exported: this.#exported,
      keepsEffectiveVolumes: keepsEffectiveVolumes(features),
    });
  }

  list(query: PageQuery): Page<LogListEntry> {
    const filter = parseLedgerFilter("logs", query.where);
    const scan = scanOf(query);
    const sources = selectLogs(filter, (micros) => lastLogAt(this.#sql, micros));
    const rows = this.#rows(sources, {
      order: scan.order,
      limit: scan.limit,
      within: idsWithin(query.column, scan),
      listing: listing(scan.limit * sources.length),
    });
    const entries = this.#logs.listed(rows.slice(0, query.pageSize), { bytesMax: PAGE_BYTES_MAX });
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const page = pageOf(query, rows, {
      keyOf: (row) => keyOf(query.column, row),
      keptMax: entries.length,
    });
    return { ...page, data: page.data.flatMap(({ id }) => byId.get(id) ?? []) };
  }

  /**
   * The entries after `after` and up to `to`, oldest first: as many of the first ones as the limits allow, but at least one if there is any.
   * `isCut` says that there are more.
   */
  after(after: number, to: number, limits: RangeLimits): LogPart {
    const { countMax, bytesMax } = limits;
    const rows = entriesIn<ListedRow>(this.#sql, {
      ...listing(countMax),
      range: { from: after + 1, to },
      limit: countMax,
    });
    const entries = this.#logs.listed(rows, { bytesMax });
    return { entries, isCut: entries.length < rows.length || rows.length === countMax };
  }

  /** Notes about unusual imported entries, by the ids of the entries. */
  listNotes(query: PageQuery): Page<ImportNote> {
    const scan = scanOf(query);
    const { order, limit } = scan;
    // `idsWithin` gives one range, or none.
    const rows = idsWithin("id", scan).flatMap(({ from, to }) =>
      readImportNotes(this.#sql, { from, to, order, limit }),
    );
    return pageOf(query, rows, { keyOf: ({ id }) => ({ value: BigInt(id) }) });
  }

  /**
   * A page of the log after an entry: at most `countMax` entries, up to the entry `to` or, without `to`, up to the present
   * last entry.
   */
  export(after: number, to?: number, countMax: number = EXPORT_LIMITS.countMax): LogTextPage {
    const end = to ?? readHead(this.#sql)?.id ?? -1;
    const limits = { ...EXPORT_LIMITS, countMax: Math.min(countMax, EXPORT_LIMITS.countMax) };
    const { text, last } = this.#lines.write({ from: after + 1, to: end }, limits);
    return { text, after: last ?? end, to: end };
  }

  /** Forgets the volumes for the next pages of exports. */
  endExports(): void {
    this.#exported.reset();
  }

  /** The first entries of all sources, in order. */
  #rows(sources: readonly LogSource[], walk: Walk): ListedRow[] {
    const rows = sources.flatMap((source) => this.#rowsOf(source, walk));
    const sign = walk.order === "asc" ? 1 : -1;
    return rows.toSorted((a, b) => (a.id - b.id) * sign).slice(0, walk.limit);
  }

  #rowsOf({ type, ids }: LogSource, walk: Walk): ListedRow[] {
    const { order, limit, within } = walk;
    const ranges = intersection(ids, within);
    const found: ListedRow[] = [];
    for (const range of order === "asc" ? ranges : ranges.toReversed()) {
      const rows = entriesIn<ListedRow>(this.#sql, {
        ...walk.listing,
        range,
        type,
        order,
        limit: limit - found.length,
      });
      found.push(...rows);
      if (found.length >= limit) break;
    }
    return found;
  }
}

interface Walk {
  readonly order: Scan["order"];
  readonly limit: number;
  readonly within: Intervals;
  /** The columns and the packing of rows. */
  readonly listing: ReturnType<typeof listing>;
}

/** The ids that a page may contain. Cursors by date have the id as their tie, so that ids bound these pages, too. */
function idsWithin(column: string, { bound, order }: Scan): Intervals {
  const [first, last] = [0, Number.MAX_SAFE_INTEGER];
  if (bound === undefined) return interval(first, last);
  const start = toIdBound(BigInt(column === "date" ? (bound.key.tie ?? 0n) : bound.key.value));
  const step = bound.inclusive ? 0 : 1;
  return order === "asc"
    ? interval(Math.max(start + step, first), last)
    : interval(first, Math.min(start - step, last));
}

const keyOf = (column: string, { id, date }: ListedRow): PageKey =>
  column === "date" ? { value: BigInt(date), tie: BigInt(id) } : { value: BigInt(id) };
