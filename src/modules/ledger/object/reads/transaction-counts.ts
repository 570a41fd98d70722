import type { CountPart, CountQuery } from "../../core/reads.ts";
import { ALL_IDS, behind, type IdPath, intersection, shortest, type Span } from "./id-paths.ts";
import type { ReadContext } from "./ledger-reads.ts";
import { groupsOf } from "./pace.ts";
import { followRows, walkRows } from "./row-streams.ts";
import { idsIn } from "./transaction-plan.ts";
import { TransactionQuery } from "./transaction-query.ts";
import type { TransactionRow } from "./transaction-rows.ts";

/** Rows that are tried in one part of a count. */
const ROWS_MAX = 50_000;
const GROUP_ROWS = 1000;
/** Index entries that are counted in one part, and ids that are passed over where there are more. */
const ENTRIES_MAX = 50_000;
const IDS_MAX = 250_000;
/** Paths that take longer to begin, in rows, are left for a walk. */
const EFFORT_MAX = 4000;

/** Counts transactions, in parts of bounded work. */
export class TransactionCounts {
  readonly #context: ReadContext;
  /** What the last part was about: it knows the addresses that it has met. */
  #last: { readonly name: string; readonly query: TransactionQuery } | undefined;

  constructor(context: ReadContext) {
    this.#context = context;
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
    const part = counted ?? countRows(query, path, span);
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

  /** Where all that a path leads to match; undefined where they are not counted so. */
  #countIds(found: IdPath | undefined, span: Span): CountPart | undefined {
    const path = found ?? idsIn(this.#context.sql, span);
    const isShort = path.count(span, ENTRIES_MAX + 1) <= ENTRIES_MAX;
    const part = isShort ? span : intersection(span, { ...span, to: span.from + IDS_MAX - 1 });
    const count = path.size(part);
    return count === undefined ? undefined : toPart(count, { ...span, from: part.to + 1 });
  }
}

/** Tries the rows of a path, or all where there is none, or where following it takes longer. */
function countRows(
  { rows, filter }: TransactionQuery,
  path: IdPath | undefined,
  span: Span,
): CountPart {
  const reading = { span, order: "asc", batch: ROWS_MAX } as const;
  const isFollowed = path !== undefined && path.effort() <= EFFORT_MAX;
  const found = isFollowed ? followRows(rows, path, reading) : walkRows(rows, reading);
  let [count, tried] = [0, 0];
  let last: TransactionRow | undefined;
  for (const group of groupsOf(found, () => GROUP_ROWS)) {
    count += filter.matching(group).length;
    tried += group.length;
    last = group.at(-1);
    if (last !== undefined && tried >= ROWS_MAX) return toPart(count, behind(span, "asc", last.id));
  }
  return { count };
}

const toPart = (count: number, rest: Span): CountPart =>
  rest.from > rest.to ? { count } : { count, after: `${rest.from}-${rest.to}` };

function parseSpan(text: string): Span {
  const [from = 0, to = -1] = text.split("-").map(Number);
  return { from, to };
}
