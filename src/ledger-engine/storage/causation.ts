import type { Sql } from "#platform/sql/sql.ts";

/** How many causes, one after the other, led to entries of the log, by the ids of the entries. Entries that nothing led to are left out. */
export type CausationDepths = ReadonlyMap<number, number>;

const NONE: CausationDepths = new Map();

/**
 * How many causes led to each entry: whoever reacts to entries by writing others can tell by it that it reacts to itself. It is kept
 * beside the log, so that neither hashes nor exports know it, and costs nothing for entries that nothing led to.
 */
export class Causation {
  readonly #sql: Sql;
  /** The last entry that something led to, 0 where there is none; undefined until it is read. */
  #last: number | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Notes what led to an entry, which comes after all others, in the transaction that writes the entry. */
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

  /** Forgets what is in memory, which a rollback has made untrue. */
  reset(): void {
    this.#last = undefined;
  }

  #readLast(): number {
    const [row] = this.#sql.all<{ last: number | null }>("SELECT max(log) AS last FROM causation");
    return row?.last ?? 0;
  }
}
