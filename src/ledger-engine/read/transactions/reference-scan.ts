import { isShortGlob, likeGlob } from "#ledger-engine/read/accounts/account-sift.ts";
import {
  ALL_IDS,
  behind,
  compareIds,
  IdList,
  type IdRange,
  type IdScan,
  IndexScan,
  isEmpty,
  MATERIALIZED_MAX,
  type ScanOptions,
} from "#ledger-engine/read/scan/id-scan.ts";
import { likeMatcher, likePrefix } from "#platform/filter/like.ts";
import { textBelow } from "#platform/filter/text-ranges.ts";
import type { Order } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The number of references that are read at a time. */
const PAGE_REFERENCES = 5000;
/**
 * The number of references that are tested in the time of reading one row: outside of SQL, and in SQL (`SIFTED_PER_ROW`). At most
 * `COSTED_REFERENCES_MAX` are counted to estimate the cost.
 */
const REFERENCES_PER_ROW = 5;
const SIFTED_PER_ROW = 50;
const COSTED_REFERENCES_MAX = 20_000;
const BATCH_MAX = 50_000;

/** Matches patterns that consist of a prefix and `%`. */
const PREFIX_PATTERN = /^(?:[^%_\\]|\\.)*%$/su;

/** The transactions whose reference matches a pattern. */
export function referencesLike(sql: Sql, pattern: string): IdScan {
  const prefix = likePrefix(pattern);
  const range = { from: prefix, below: textBelow(prefix) ?? null };
  return PREFIX_PATTERN.test(pattern)
    ? new IndexScan(sql, {
        from: FROM_RANGE,
        column: "id",
        bindings: [range.from, range.below],
        isOrdered: false,
      })
    : new ReferenceScan(sql, range, pattern);
}

/**
 * Tests each reference in the range of a pattern's prefix. If SQL accepts the pattern as a `GLOB`, SQL leaves out references
 * that do not match.
 */
class ReferenceScan implements IdScan {
  readonly isOrdered = false;
  readonly #sql: Sql;
  readonly #range: ReferenceRange;
  readonly #matches: (reference: string) => boolean;
  /** The `GLOB` pattern; null if it is too long for SQL. */
  readonly #glob: string | null;

  constructor(sql: Sql, range: ReferenceRange, pattern: string) {
    this.#sql = sql;
    this.#range = range;
    this.#matches = likeMatcher(pattern);
    const glob = likeGlob(pattern);
    this.#glob = isShortGlob(glob) ? glob : null;
  }

  *iterate({ range, order, batch }: ScanOptions): Generator<number> {
    let limit = Math.max(batch, MATERIALIZED_MAX);
    for (let rest = range; !isEmpty(rest); limit = Math.min(limit * 8, BATCH_MAX)) {
      const ids = this.#nearest(rest, order, limit);
      yield* ids;
      const last = ids.at(-1);
      if (last === undefined || ids.length < limit) return;
      rest = behind(rest, order, last);
    }
  }

  *iterateUnordered(range: IdRange): Generator<number> {
    for (const { id, reference } of this.#references(range)) {
      if (this.#matches(reference)) yield id;
    }
  }

  count(_range: IdRange, max: number): number {
    const [counted] = this.#sql.all<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 ${FROM_RANGE} LIMIT ? + 0)`,
      this.#range.from,
      this.#range.below,
      max,
    );
    return counted?.count ?? 0;
  }

  size(): undefined {
    return undefined;
  }

  materialized(): IdScan {
    if (this.count(ALL_IDS, MATERIALIZED_MAX + 1) > MATERIALIZED_MAX) return this;
    return new IdList(this.#nearest(ALL_IDS, "asc", MATERIALIZED_MAX + 1));
  }

  cost(): number {
    const tried = this.#glob === null ? REFERENCES_PER_ROW : SIFTED_PER_ROW;
    return this.count(ALL_IDS, COSTED_REFERENCES_MAX) / tried;
  }

  #nearest(range: IdRange, order: Order, limit: number): number[] {
    const compare = compareIds(order);
    let found: number[] = [];
    for (const id of this.iterateUnordered(range)) {
      found.push(id);
      if (found.length >= 2 * limit) found = found.toSorted(compare).slice(0, limit);
    }
    return found.toSorted(compare).slice(0, limit);
  }

  /** The references that may match, of transactions in a range of ids. */
  *#references(range: IdRange): Generator<ReferenceSqlRow> {
    for (let { from } = this.#range; ;) {
      const rows = this.#sql.all<ReferenceSqlRow>(
        SELECT_POSSIBLE,
        from,
        this.#range.below,
        range.from,
        range.to,
        this.#glob,
        PAGE_REFERENCES,
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_REFERENCES) return;
      from = `${last.reference}\u0000`; // the first text after the last reference
    }
  }
}

interface ReferenceRange {
  readonly from: string;
  /** Null if the range has no upper end. */
  readonly below: string | null;
}

type ReferenceSqlRow = { id: number; reference: string };

/** A null upper bound becomes the empty blob, which sorts after every text. */
const FROM_RANGE =
  "FROM tx INDEXED BY tx_reference WHERE reference IS NOT NULL AND reference >= ? AND reference < coalesce(?, x'')";

const SELECT_POSSIBLE = `SELECT id, reference ${FROM_RANGE} AND id >= ? AND id <= ?
  AND coalesce(reference GLOB ?, TRUE) ORDER BY reference LIMIT ? + 0`;
