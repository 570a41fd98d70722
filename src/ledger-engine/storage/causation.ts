import type { Sql } from "#platform/sql/sql.ts";

/** The length of the chain of causes behind log entries, by the ids of the entries. Entries without a cause are left out. */
export type CausationDepths = ReadonlyMap<number, number>;

const NONE: CausationDepths = new Map();

/** The depths of the first entries of a range that have a cause, in the order of the log. */
export const readDepths = (
  sql: Sql,
  { from, to }: { readonly from: number; readonly to: number },
  limit: number,
): { log: number; depth: number }[] =>
  sql.all<{ log: number; depth: number }>(
    "SELECT log, depth FROM causation WHERE log BETWEEN ? AND ? ORDER BY log LIMIT ? + 0",
    from,
    to,
    limit,
  );

/**
 * Stores how many causes led to each entry. By this number, a client that reacts to entries by writing others notices that it reacts to
 * its own entries. The numbers are beside the log, so that hashes and exports do not contain them, and entries without a cause have no row.
 */
export class Causation {
  readonly #sql: Sql;
  /** The last entry with a cause, 0 if there is none; undefined until it is read. */
  #last: number | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Notes the depth of an entry that comes after all others. It must be called in the transaction that writes the entry. */
  note(log: number, depth: number): void {
    if (depth === 0) return;
    this.#sql.all("INSERT INTO causation (log, depth) VALUES (?, ?)", log, depth);
    this.#last = log;
  }

  depthsIn(from: number, to: number): CausationDepths {
    this.#last ??= this.#readLast();
    if (from > this.#last) return NONE;
    const rows = this.#sql.all<{ log: number; depth: number }>(
      "SELECT log, depth FROM causation WHERE log BETWEEN ? AND ?",
      from,
      to,
    );
    return new Map(rows.map(({ log, depth }) => [log, depth]));
  }

  /** Forgets the state in memory, which is wrong after a rollback. */
  reset(): void {
    this.#last = undefined;
  }

  #readLast(): number {
    const [row] = this.#sql.all<{ last: number | null }>("SELECT max(log) AS last FROM causation");
    return row?.last ?? 0;
  }
}
