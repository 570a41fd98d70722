import { followRows, walkRows } from "./row-streams.ts";
import { idsIn } from "./transaction-plan.ts";
import { TransactionQuery } from "./transaction-query.ts";
import { groupsOf } from "#ledger-engine/read/scan/batch-sizer.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import {
  ALL_IDS,
  behind,
  type IdPath,
  intersection,
  shortest,
  type Span,
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
const EFFORT_MAX = 4000;

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
    const rest = after === undefined ? this.#allIds(query) : parseSpan(after);
    const span = intersection(rest, plan.span);
    const path = shortest(plan.paths, span)?.settled();
    const counted = plan.isExact ? this.#countIds(path, span) : undefined;
    const part = counted ?? this.#countRows(query, path, span);
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

  #allIds({ rows }: TransactionQuery): Span {
    return { ...ALL_IDS, to: rows.firstIn(ALL_IDS, "desc")?.id ?? -1 };
  }

  /** Where all that a path leads to match; undefined where no index tells how many. */
  #countIds(found: IdPath | undefined, span: Span): CountPart | undefined {
    const { entries, ids } = this.#limits;
    const path = found ?? idsIn(this.#context.sql, span);
    const isShort = path.count(span, entries + 1) <= entries;
    const part = isShort ? span : intersection(span, { ...span, to: span.from + ids - 1 });
    const count = path.size(part);
    return count === undefined ? undefined : toPart(count, { ...span, from: part.to + 1 });
  }

  /** Tries the rows of a path, or all where there is none, or where following it takes longer. */
  #countRows(
    { rows, filter, weight }: TransactionQuery,
    path: IdPath | undefined,
    span: Span,
  ): CountPart {
    const most = Math.ceil(this.#limits.rows / weight);
    const reading = { span, order: "asc", batch: most } as const;
    const isFollowed = path !== undefined && path.effort() <= EFFORT_MAX;
    const found = isFollowed ? followRows(rows, path, reading) : walkRows(rows, reading);
    let [count, tried] = [0, 0];
    for (const group of groupsOf(found, () => Math.min(GROUP_ROWS, most - tried))) {
      count += filter.matching(group).length;
      tried += group.length;
      const last = group.at(-1);
      if (last !== undefined && tried >= most) return toPart(count, behind(span, "asc", last.id));
    }
    return { count };
  }
}

const toPart = (count: number, rest: Span): CountPart =>
  rest.from > rest.to ? { count } : { count, after: `${rest.from}-${rest.to}` };

function parseSpan(text: string): Span {
  const [from = 0, to = -1] = text.split("-").map(Number);
  return { from, to };
}
