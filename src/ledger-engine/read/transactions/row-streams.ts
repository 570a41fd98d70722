import type { Plan } from "./transaction-plan.ts";
import type { TransactionRow, TransactionRows } from "./transaction-rows.ts";
import { BatchSizer, groupsOf, Limited } from "#ledger-engine/read/scan/batch-sizer.ts";
import {
  behind,
  type IdScan,
  type IndexRange,
  intersection,
  isEmpty,
  type ScanOptions,
  shorterThan,
  shortest,
} from "#ledger-engine/read/scan/id-scan.ts";
import { RangeScan } from "#ledger-engine/read/scan/range-scan.ts";

/** The number of rows that are tried before the best of several scans is chosen. A filter that most rows pass needs no more rows. */
export const PROBE_ROWS = 64;

/** All rows of a range, in the order of ids. */
export function* walkRows(
  rows: TransactionRows,
  { range, order, batch }: ScanOptions,
): Generator<TransactionRow> {
  const sizer = new BatchSizer(batch);
  for (let rest = range; !isEmpty(rest);) {
    const limit = sizer.size;
    const read = rows.inRange(rest, { order, limit });
    yield* read;
    const last = read.at(-1);
    if (last === undefined || read.length < limit) return;
    rest = behind(rest, order, last.id);
    sizer.note(read);
  }
}

/** The rows of a scan, in the order of ids. */
export const rowsOfScan = (
  rows: TransactionRows,
  scan: IdScan,
  options: ScanOptions,
): Generator<TransactionRow> => {
  if (scan instanceof RangeScan) return rowsOfRange(rows, scan, options);
  const { orderedRange } = scan;
  return orderedRange === undefined
    ? rowsOfIds(rows, scan, options)
    : rowsOfIndex(rows, orderedRange, options);
};

function* rowsOfRange(
  rows: TransactionRows,
  scan: RangeScan,
  options: ScanOptions,
): Generator<TransactionRow> {
  const [before, after] =
    options.order === "asc" ? [scan.below, scan.above] : [scan.above, scan.below];
  yield* rowsOfIds(rows, before, options);
  yield* walkRows(rows, { ...options, range: intersection(options.range, scan.range) });
  yield* rowsOfIds(rows, after, options);
}

/** The rows of an index range. Every id of the range is that of a transaction, so that one statement reads ids and rows. */
function* rowsOfIndex(
  rows: TransactionRows,
  index: IndexRange,
  { range, order, batch }: ScanOptions,
): Generator<TransactionRow> {
  const sizer = new BatchSizer(batch);
  for (let rest = range; !isEmpty(rest);) {
    const limit = sizer.size;
    const read = rows.nearestIn(index, { range: rest, order, limit });
    yield* read;
    const last = read.at(-1);
    if (last === undefined || read.length < limit) return;
    rest = behind(rest, order, last.id);
    sizer.note(read);
  }
}

function* rowsOfIds(
  rows: TransactionRows,
  scan: IdScan,
  options: ScanOptions,
): Generator<TransactionRow> {
  const sizer = new BatchSizer(options.batch);
  for (const ids of groupsOf(scan.iterate(options), () => sizer.size)) {
    const read = rows.findAll(ids);
    yield* read;
    sizer.note(read);
  }
}

/** Rows in stages, each read in a different way. A stage begins with few rows, after the stage before is over. */
export type RowStages = Iterable<Iterable<TransactionRow>>;

/**
 * The rows that may match, in the order of ids. It reads no more rows than the caller asks for. Stages:
 *
 *     1  the first scan in order, or all rows     up to `PROBE_ROWS` rows, unless some scan is short enough to be the only stage
 *     2  all rows                                 if the best scan is not in order: as many rows as its start would cost
 *     3  the best scan                            the rest
 */
export function* rowsById(
  rows: TransactionRows,
  plan: Plan,
  options: ScanOptions,
): Generator<Iterable<TransactionRow>> {
  const { order } = options;
  const first = { ...options, range: intersection(options.range, plan.range) };
  const ordered = plan.scans.find(({ isOrdered }) => isOrdered);
  const start = ordered === undefined ? walkRows(rows, first) : rowsOfScan(rows, ordered, first);
  const isAlone = plan.scans.length === (ordered === undefined ? 0 : 1);
  const short = isAlone ? undefined : shorterThan(PROBE_ROWS, plan.scans, first.range);
  if (isAlone || short !== undefined) {
    yield short === undefined ? start : rowsOfScan(rows, short.materialized(), first);
    return;
  }
  const probe = new Limited(start, PROBE_ROWS);
  yield probe;
  const scan = shortest(plan.scans, first.range)?.materialized();
  if (probe.last === undefined || scan === undefined) return;
  let rest = { ...first, range: behind(first.range, order, probe.last.id) };
  if (!scan.isOrdered && options.isRest !== true) {
    const walk = new Limited(walkRows(rows, rest), scan.cost());
    yield walk;
    if (walk.last === undefined) return;
    rest = { ...rest, range: behind(rest.range, order, walk.last.id) };
  }
  yield rowsOfScan(rows, scan, rest);
}

/** The rows of all stages, in groups that grow. */
export function* groupsOfStages(stages: RowStages, batch: number): Generator<TransactionRow[]> {
  for (const stage of stages) {
    const sizer = new BatchSizer(batch);
    for (const group of groupsOf(stage[Symbol.iterator](), () => sizer.size)) {
      yield group;
      sizer.note(group);
    }
  }
}
