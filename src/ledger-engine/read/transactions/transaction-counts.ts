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

/** What one part of a count may take. */
export interface CountLimits {
  /** Rows that are tried. */
  readonly rows: number;
  /** Index entries that are counted. */
  readonly entries: number;
  /** Ids that are passed over, where there are more entries. */
  readonly ids: number;
}

const LIMITS: CountLimits = { rows: 50_000, entries: 50_000, ids: 250_000 };
/** Rows that are tried together. */
const GROUP_ROWS = 1000;
/** Paths that take longer to begin, in rows, are left for a walk. */
const COST_MAX = 4000;

/** Counts transactions, in parts of bounded work. */
export class TransactionCounts {
  readonly #context: ReadContext;
  readonly #limits: CountLimits;
  /** What the last part was about: it knows the addresses that it has met. */
  #last: { readonly name: string; readonly query: TransactionQuery } | undefined;

  constructor(context: ReadContext, limits = LIMITS) {
    this.#context = context;
    this.#limits = limits;
  }

  /** A part goes on where the one before ended; what comes after the first one is not counted. */
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

  /** Where all that a path leads to match; undefined where no index tells how many. */
  #countIds(found: IdScan | undefined, range: IdRange): CountPart | undefined {
    const { entries, ids } = this.#limits;
    const scan = found ?? scanOfIds(this.#context.sql, range);
    const isShort = scan.count(range, entries + 1) <= entries;
    const part = isShort ? range : intersection(range, { ...range, to: range.from + ids - 1 });
    const count = scan.size(part);
    return count === undefined ? undefined : toPart(count, { ...range, from: part.to + 1 });
  }

  /** Tries the rows of a path, or all where there is none, or where following it takes longer. */
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
