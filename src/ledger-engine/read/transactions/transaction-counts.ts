import { rowsOfScan, walkRows } from "./row-streams.ts";
import { scanOfIds } from "./transaction-plan.ts";
import { TransactionQuery } from "./transaction-query.ts";
import { groupsOf } from "#ledger-engine/read/scan/batch-sizer.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import {
  ALL_IDS,
  behind,
  type IdRange,
  type IdScan,
  intersection,
  shortest,
} from "#ledger-engine/read/scan/id-scan.ts";
import type { CountPart, CountQuery } from "#ledger-engine/rules/reads.ts";

/** The limits of one part of a count. */
export interface CountLimits {
  /** The most rows that are tested. */
  readonly rows: number;
  /** The most index entries that are counted. */
  readonly entries: number;
  /** The width of the range of ids that is counted if there are more entries. */
  readonly ids: number;
}

const LIMITS: CountLimits = { rows: 50_000, entries: 50_000, ids: 250_000 };
/** The number of rows that are tested together. */
const GROUP_ROWS = 1000;
/** A scan whose start costs more than this many rows is replaced by a walk through all rows. */
const COST_MAX = 4000;

/** Counts transactions, in parts of bounded work. */
export class TransactionCounts {
  readonly #context: ReadContext;
  readonly #limits: CountLimits;
  /** The query of the last part, which remembers the addresses that it has tested. */
  #last: { readonly name: string; readonly query: TransactionQuery } | undefined;

  constructor(context: ReadContext, limits = LIMITS) {
    this.#context = context;
    this.#limits = limits;
  }

  /**
   * Counts one part. `after` comes from the part before, and is absent for the first part. Transactions that are committed
   * after the first part are not counted.
   */
  count({ where, pit }: CountQuery, after?: string): CountPart {
    if (where === undefined && pit === undefined) {
      return { count: this.#context.countTransactions() };
    }
    const query = this.#queryOf({ where, pit }, after !== undefined);
    const plan = query.plan();
    const rest = after === undefined ? this.#allIds(query) : parseRange(after);
    const range = intersection(rest, plan.range);
    const scan = shortest(plan.scans, range)?.materialized();
    const counted = plan.isExact ? this.#countIds(scan, range) : undefined;
    const part = counted ?? this.#countRows(query, scan, range);
    if (part.after === undefined) this.#last = undefined;
    return part;
  }

  #queryOf({ where, pit }: CountQuery, isContinued: boolean): TransactionQuery {
    const name = `${pit ?? ""} ${where ?? ""}`;
    if (!isContinued || this.#last?.name !== name) {
      this.#last = { name, query: new TransactionQuery(this.#context, { where, pit }) };
    }
    return this.#last.query;
  }

  #allIds({ rows }: TransactionQuery): IdRange {
    return { ...ALL_IDS, to: rows.firstIn(ALL_IDS, "desc")?.id ?? -1 };
  }

  /** Counts the ids of a scan whose transactions all match; undefined if no index gives their number. */
  #countIds(found: IdScan | undefined, range: IdRange): CountPart | undefined {
    const { entries, ids } = this.#limits;
    const scan = found ?? scanOfIds(this.#context.sql, range);
    const isShort = scan.count(range, entries + 1) <= entries;
    const part = isShort ? range : intersection(range, { ...range, to: range.from + ids - 1 });
    const count = scan.size(part);
    return count === undefined ? undefined : toPart(count, { ...range, from: part.to + 1 });
  }

  /** Counts matching rows one by one: among the rows of a scan or, if there is no scan or a walk is cheaper, among all rows. */
  #countRows(
    { rows, filter, weight }: TransactionQuery,
    scan: IdScan | undefined,
    range: IdRange,
  ): CountPart {
    const most = Math.ceil(this.#limits.rows / weight);
    const options = { range, order: "asc", batch: most } as const;
    const usesScan = scan !== undefined && scan.cost() <= COST_MAX;
    const found = usesScan ? rowsOfScan(rows, scan, options) : walkRows(rows, options);
    let [count, tried] = [0, 0];
    for (const group of groupsOf(found, () => Math.min(GROUP_ROWS, most - tried))) {
      count += filter.matching(group).length;
      tried += group.length;
      const last = group.at(-1);
      if (last !== undefined && tried >= most) return toPart(count, behind(range, "asc", last.id));
    }
    return { count };
  }
}

const toPart = (count: number, rest: IdRange): CountPart =>
  rest.from > rest.to ? { count } : { count, after: `${rest.from}-${rest.to}` };

function parseRange(text: string): IdRange {
  const [from = 0, to = -1] = text.split("-").map(Number);
  return { from, to };
}
