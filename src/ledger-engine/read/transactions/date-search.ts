import { datedMovesOf, MoveScan } from "./account-moves.ts";
import { type IntegerRange, isAllDates } from "./date-ranges.ts";
import { PROBE_ROWS, rowsOfScan } from "./row-streams.ts";
import { type Plan, scanOfIds } from "./transaction-plan.ts";
import type { TransactionDateColumn, TransactionRow, TransactionRows } from "./transaction-rows.ts";
import { BatchSizer, groupsOf, Limited } from "#ledger-engine/read/scan/batch-sizer.ts";
import {
  ALL_IDS,
  behind,
  type IdRange,
  type IdScan,
  intersection,
  isEmpty,
  MATERIALIZED_MAX,
  NO_IDS,
  type ScanOptions,
  shorterThan,
  shortest,
} from "#ledger-engine/read/scan/id-scan.ts";
import { mergeStreams } from "#ledger-engine/read/scan/merge.ts";
import {
  compareSortKeys,
  type DateScanOptions,
  nextSortKey,
  type SortKey,
} from "#ledger-engine/read/scan/sort-key.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import type { Order } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { MICROS_MAX, MICROS_MIN } from "#platform/time.ts";

/** The number of entries of a scan that are sorted by a date in the time of reading one row. At most `SORTED_MAX` are sorted. */
const SORTED_PER_ROW = 3;
const SORTED_MAX = 50_000;
/** The number of ids whose dates are read at a time. At first, the `KEYS_FIRST` nearest keys of all ids are kept. */
const PAGE_IDS = 5000;
const KEYS_FIRST = 256;
/** The number of ids, at first and at most, that a walk skips at a time if nearly all rows have a date of their own. */
const WINDOW_MIN = 256;
const WINDOW_MAX = 100_000;

export interface DateSearchSources {
  readonly sql: Sql;
  readonly reader: TransactionReader;
  readonly rows: TransactionRows;
}

export interface DateSearched {
  readonly column: TransactionDateColumn;
  readonly plan: Plan;
  /** The dates of the column that the filter allows. */
  readonly allowed: IntegerRange;
  /** The last date that counts, in microseconds. At a point in time, a later revert does not count; other columns have no limit here. */
  readonly until: bigint;
}

/** The options of a read without its start and end. */
type ReadOptions = Omit<DateScanOptions, "from" | "until">;

/** A row and its sort key. Without a row, the key is a lower bound of the rows that follow. */
interface Candidate {
  readonly key: SortKey;
  readonly row?: TransactionRow;
}

/**
 * Finds the rows that may match in the order of a date; equal dates are sorted by id. Rows without a date of their own are in the
 * order of ids: in `timestamp` and `updated_at`, the date of the log entry counts; in `reverted_at`, transactions without a revert
 * have the lowest key, and a filter on the date leaves them out. Rows with a date of their own have an index by date. The list is a
 * merge of both:
 *
 *     without a date of their own    by id, in ranges or by a scan   ─┐
 *                                                                     ├─► mergeStreams ─► rows by (date, id)
 *     with a date of their own       by the index of the date        ─┘
 *
 * The search goes through stages:
 *
 * 1. `PROBE_ROWS` rows of the merge.
 * 2. If the shortest scan has a cost and more than `MATERIALIZED_MAX` entries, and the read is no rest: as many rows of the merge
 *    as this scan costs.
 * 3. The rest: sorted in memory if the shortest scan is undated and has at most `SORTED_MAX` entries, otherwise merged.
 *
 * The merge is the only stage without a scan, or with one scan that has a date index. The sort of a scan with few entries is the only
 * stage if there is such a scan.
 */
export class DateSearch {
  readonly #sources: DateSearchSources;
  readonly #searched: DateSearched;

  constructor(sources: DateSearchSources, searched: DateSearched) {
    this.#sources = sources;
    this.#searched = searched;
  }

  /**
   * Yields the rows in stages, beginning at the key `from` if it is given. The caller reads each stage to its end before the next
   * one; otherwise the list ends early. Rows are read in batches that grow.
   */
  *rows(from: SortKey | undefined, options: ReadOptions): Generator<Iterable<TransactionRow>> {
    for (const stage of this.#stages(this.#dateOptionsOf(from, options))) yield rowsOf(stage);
  }

  #dateOptionsOf(from: SortKey | undefined, options: ReadOptions): DateScanOptions {
    const { allowed, until } = this.#searched;
    const first = { value: allowed.from, id: ALL_IDS.from };
    const last = { value: allowed.to < until ? allowed.to : until, id: ALL_IDS.to };
    const [start, end] = options.order === "asc" ? [first, last] : [last, first];
    const isInside = from !== undefined && compareSortKeys(options.order)(start, from) < 0;
    return { ...options, from: isInside ? from : start, until: end.value };
  }

  *#stages(options: DateScanOptions): Generator<Iterable<Candidate>> {
    const scans = this.#scans();
    const { range } = this.#searched.plan;
    const guide =
      scans.find((scan) => this.#hasDateIndex(scan)) ?? scans.find((scan) => scan.isOrdered);
    const start = this.#inOrder(guide, options);
    const isAlone = scans.length === 0 || (scans.length === 1 && this.#hasDateIndex(guide));
    const short = isAlone ? undefined : shorterThan(PROBE_ROWS, scans, range);
    if (isAlone || short !== undefined) {
      yield short === undefined ? start : this.#sorted(short, options);
      return;
    }
    const probe = new Limited(start, PROBE_ROWS);
    yield probe;
    const scan = shortest(scans, range);
    if (probe.last === undefined || scan === undefined) return;
    let rest = { ...options, from: behindCandidate(options.order, probe.last) };
    const entries = scan.count(range, SORTED_MAX + 1);
    const isSorted = entries <= SORTED_MAX && !this.#hasDateIndex(scan);
    const cost = scan.cost() + (isSorted ? entries / SORTED_PER_ROW : 0);
    if (cost > 0 && entries > MATERIALIZED_MAX && options.isRest !== true) {
      const walk = new Limited(this.#inOrder(scan.isOrdered ? scan : guide, rest), cost);
      yield walk;
      if (walk.last === undefined) return;
      rest = { ...rest, from: behindCandidate(options.order, walk.last) };
    }
    yield isSorted ? this.#sorted(scan, rest) : this.#inOrder(scan, rest);
  }

  /** The scans of the plan and, if the plan's range of ids is short, a scan of the range. */
  #scans(): readonly IdScan[] {
    const { range, scans } = this.#searched.plan;
    const isShort = range.to - range.from < SORTED_MAX;
    return isShort ? [...scans, scanOfIds(this.#sources.sql, range)] : scans;
  }

  /** Whether an index also has the entries of a scan sorted by date. */
  #hasDateIndex(scan: IdScan | undefined): scan is MoveScan {
    const isOfFew = scan instanceof MoveScan && scan.isOrdered;
    return isOfFew && this.#searched.column === "timestamp";
  }

  /** The rows in the order of the list: the rows of a scan or, without a scan, all rows. */
  #inOrder(scan: IdScan | undefined, options: DateScanOptions): Generator<Candidate> {
    const compare = compareSortKeys(options.order);
    const streams = [this.#undated(scan, options), this.#dated(scan, options)];
    return mergeStreams(
      streams.map((items) => ({ items })),
      // Among equal keys, a candidate without a row comes first, so that nothing with the same key follows a row.
      (a, b) => compare(a.key, b.key) || rank(a) - rank(b),
    );
  }

  /** The rows without a date of their own. */
  *#undated(scan: IdScan | undefined, options: DateScanOptions): Generator<Candidate> {
    const { order, batch } = options;
    const range = intersection(this.#searched.plan.range, this.#undatedRange(options));
    if (scan === undefined) {
      yield* this.#walkUndated({ range, order, batch });
      return;
    }
    for (const row of rowsOfScan(this.#sources.rows, scan, { range, order, batch })) {
      const isUndated = !row.isDated(this.#searched.column);
      yield { key: this.#undatedKey(row), ...(isUndated ? { row } : {}) };
    }
  }

  /**
   * Yields the rows without a date of their own, and skips the others, a window of ids at a time. Before each window it
   * yields a key without a row, so that the merge can continue with dated rows before that key.
   */
  *#walkUndated({ range, order, batch }: ScanOptions): Generator<Candidate> {
    const { rows } = this.#sources;
    const sizer = new BatchSizer(batch);
    let [rest, width] = [range, WINDOW_MIN];
    for (;;) {
      const next = isEmpty(rest) ? undefined : rows.firstIn(rest, order);
      if (next === undefined) return;
      yield { key: this.#undatedKey(next) };
      const limit = sizer.size;
      const window = windowOf(rest, order, { from: next.id, width: Math.max(width, 2 * limit) });
      const read = rows.inRange(window, { order, limit, undated: this.#searched.column });
      for (const row of read) yield { key: this.#undatedKey(row), row };
      sizer.note(read);
      const last = read.length < limit ? undefined : read.at(-1);
      const reached = order === "asc" ? window.to : window.from;
      rest = behind(rest, order, last?.id ?? reached);
      if (last === undefined) width = Math.min(width * 4, WINDOW_MAX);
    }
  }

  /** The rows with a date of their own. */
  *#dated(scan: IdScan | undefined, options: DateScanOptions): Generator<Candidate> {
    const { column } = this.#searched;
    const rows = this.#hasDateIndex(scan)
      ? this.#datedMovesOf(scan, options)
      : this.#walkDated(options);
    for (const row of rows) yield { key: row.sortKeyBy(column), row };
  }

  *#datedMovesOf(
    { knownAccounts = [] }: MoveScan,
    options: DateScanOptions,
  ): Generator<TransactionRow> {
    const sizer = new BatchSizer(options.batch);
    for (const group of groupsOf(
      datedMovesOf(this.#sources.sql, knownAccounts, options),
      () => sizer.size,
    )) {
      const read = this.#sources.rows.findAll(group.map(({ id }) => id));
      yield* read;
      sizer.note(read);
    }
  }

  *#walkDated(options: DateScanOptions): Generator<TransactionRow> {
    const { column } = this.#searched;
    const sizer = new BatchSizer(options.batch);
    for (let { from } = options; ;) {
      const batch = sizer.size;
      const read = this.#sources.rows.inIndex(column, { ...options, from, batch });
      yield* read;
      const last = read.at(-1);
      if (last === undefined || read.length < batch) return;
      from = nextSortKey(options.order, last.sortKeyBy(column));
      sizer.note(read);
    }
  }

  /** Sorts all rows of a scan: first it yields the nearest rows, then all others. */
  *#sorted(scan: IdScan, options: DateScanOptions): Generator<Candidate> {
    const nearest = this.#nearest(scan, { ...options, batch: KEYS_FIRST });
    yield* this.#rowsOfKeys(nearest, options);
    const last = nearest.at(-1);
    if (last === undefined || nearest.length < KEYS_FIRST) return;
    const from = nextSortKey(options.order, last);
    const others = this.#nearest(scan, { ...options, from, batch: Number.MAX_SAFE_INTEGER });
    yield* this.#rowsOfKeys(others, options);
  }

  *#rowsOfKeys(keys: readonly SortKey[], { batch }: DateScanOptions): Generator<Candidate> {
    const sizer = new BatchSizer(batch);
    for (const group of groupsOf(keys.values(), () => sizer.size)) {
      const read = this.#sources.rows.findAll(group.map(({ id }) => id));
      for (const row of read) yield { key: row.sortKeyBy(this.#searched.column), row };
      sizer.note(read);
    }
  }

  #nearest(scan: IdScan, options: DateScanOptions): SortKey[] {
    const { column, plan } = this.#searched;
    const compare = compareSortKeys(options.order);
    const cut = (keys: readonly SortKey[]): SortKey[] =>
      distinctKeys(keys.toSorted(compare)).slice(0, options.batch);
    let nearest: SortKey[] = [];
    for (const ids of groupsOf(scan.iterateUnordered(plan.range), () => PAGE_IDS)) {
      nearest.push(...this.#sources.rows.nearestOf([...new Set(ids)], column, options));
      if (nearest.length > 2 * options.batch) nearest = cut(nearest);
    }
    return cut(nearest);
  }

  /** The sort key of a row without a date of its own. Transactions that were not reverted come before all reverted ones. */
  #undatedKey({ id, inserted }: { id: number; inserted: bigint }): SortKey {
    return { value: this.#searched.column === "reverted_at" ? MICROS_MIN : inserted, id };
  }

  /** The ids of the rows without a date of their own whose keys are in a range. */
  #undatedRange({ from, until, order }: DateScanOptions): IdRange {
    if (this.#searched.column === "reverted_at") {
      // A condition on the date of the revert excludes transactions without a revert.
      if (!isAllDates(this.#searched.allowed)) return NO_IDS;
      if (from.value > MICROS_MIN) return order === "asc" ? NO_IDS : ALL_IDS;
      return order === "asc" ? { ...ALL_IDS, from: from.id } : { ...ALL_IDS, to: from.id };
    }
    return order === "asc"
      ? { from: this.#firstIdFrom(from), to: this.#lastIdAt(until) }
      : { from: this.#lastIdAt(until - 1n) + 1, to: this.#lastIdUpTo(from) };
  }

  /** The first id of the rows that were inserted at a key or after it. */
  #firstIdFrom({ value, id }: SortKey): number {
    const first = this.#lastIdAt(value - 1n) + 1;
    return id <= first ? first : Math.min(id, this.#lastIdAt(value) + 1);
  }

  /** The last id of the rows that were inserted at a key or before it. */
  #lastIdUpTo({ value, id }: SortKey): number {
    const last = this.#lastIdAt(value);
    return id >= last ? last : Math.max(id, this.#lastIdAt(value - 1n));
  }

  #lastIdAt(micros: bigint): number {
    if (micros < MICROS_MIN) return ALL_IDS.from - 1;
    return micros >= MICROS_MAX ? ALL_IDS.to : this.#sources.reader.lastIdAtMicros(micros);
  }
}

function* rowsOf(candidates: Iterable<Candidate>): Generator<TransactionRow> {
  for (const { row } of candidates) if (row !== undefined) yield row;
}

const rank = ({ row }: Candidate): number => (row === undefined ? 0 : 1);

/** The first key after a candidate. The row at the key of a candidate without a row is still to be read. */
const behindCandidate = (order: Order, { key, row }: Candidate): SortKey =>
  row === undefined ? key : nextSortKey(order, key);

/** Removes repeated keys. Equal keys must be next to each other. */
const distinctKeys = (keys: readonly SortKey[]): SortKey[] =>
  keys.filter(({ id }, index) => keys[index - 1]?.id !== id);

/** The part of a range that begins at an id and has `width` ids. */
const windowOf = (
  range: IdRange,
  order: Order,
  { from, width }: { from: number; width: number },
): IdRange =>
  intersection(
    range,
    order === "asc" ? { from, to: from + width - 1 } : { from: from - width + 1, to: from },
  );
