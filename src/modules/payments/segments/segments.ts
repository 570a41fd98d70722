import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { hasAll } from "./needs-sql.ts";
import { type SegmentTable, wordNames } from "./table.ts";
import type { SegmentTerms } from "#modules/payments/core/terms/segment-terms.ts";
import type { Database } from "#platform/db/database.ts";
import { columnValues, jsonRows } from "#platform/db/json-rows.ts";
import type { RowScan } from "#platform/db/list.ts";
import { parseFilterText } from "#platform/filter/filter.ts";
import { stringifyJson } from "#platform/json.ts";

/** Beyond so many rows, those that fit a filter are many, and a page of them is found soon in the order of the list. */
const ROWS_MAX = 16_384;

/** So many rows that are inserted together have their bits added together at most: a segment gets few that it does not need. */
const GROUP_SIZE = 16;

/**
 * Which segments of a table have rows with some terms; see `core/terms/segment-terms.ts`. Rows of a segment have integer keys that follow
 * each other. Rows must be inserted in the order of their keys, and a batch that inserts some must fail where one of them is there.
 */
export class Segments {
  readonly terms: SegmentTerms;
  readonly #table: SegmentTable;
  /** That of the rows. */
  readonly #key: SQLiteColumn;
  /** A number that is bound would be divided as a fraction. */
  readonly #size: SQL;

  constructor({
    table,
    key,
    terms,
  }: {
    readonly table: SegmentTable;
    readonly key: SQLiteColumn;
    readonly terms: SegmentTerms;
  }) {
    this.#table = table;
    this.#key = key;
    this.terms = terms;
    this.#size = sql.raw(`${terms.size}`);
  }

  /**
   * The statement that goes right after the one that has inserted rows, whose keys are the last ones. Rows that stand together have
   * their bits added together, so that a segment gets some of its neighbours, too, unless the first row has the key that is expected.
   */
  addInserted(
    db: Database,
    rows: readonly (readonly string[])[],
    { firstKey = 0 }: { readonly firstKey?: number } = {},
  ) {
    const { size } = this.terms;
    const groups: Record<string, unknown>[] = [];
    for (let first = 0; first < rows.length;) {
      const group = rows.slice(
        first,
        first + Math.min(GROUP_SIZE, size - ((firstKey + first) % size)),
      );
      groups.push({ first, last: first + group.length - 1, ...this.#wordsOf(group.flat()) });
      first += group.length;
    }
    const { source, items } = jsonRows(groups);
    const before = sql.raw(`${rows.length - 1}`);
    // As an expression, it is found at the end of the table; as a table of its own, SQLite would read all rows for it.
    const last = sql`(SELECT max(${this.#key}) FROM ${this.#key.table})`;
    return this.#addBits(
      db,
      sql`
        SELECT ${columnValues(this.#table, {
          ...items,
          segment: sql`(${last} - ${before} + CASE e.edge WHEN 0 THEN ${items.first} ELSE ${items.last} END) / ${this.#size}`,
        })}
        FROM ${source}, (SELECT 0 AS edge UNION ALL SELECT 1) AS e WHERE true`,
    );
  }

  /** The statement that adds what rows that are stored have become. */
  addTo(
    db: Database,
    changes: readonly { readonly key: number; readonly terms: readonly string[] }[],
  ) {
    const segments = Map.groupBy(changes, ({ key }) => Math.floor(key / this.terms.size));
    const { source, items } = jsonRows(
      [...segments].map(([segment, of]) => ({
        segment,
        ...this.#wordsOf(of.flatMap(({ terms }) => terms)),
      })),
    );
    return this.#addBits(
      db,
      sql`SELECT ${columnValues(this.#table, items)} FROM ${source} WHERE true`,
    );
  }

  /** The numbers that hold the bits of terms, by their columns. */
  #wordsOf(terms: readonly string[]): Record<string, bigint> {
    const names = wordNames(this.terms.words);
    return Object.fromEntries(this.terms.wordsOf(terms).map((word, at) => [names[at] ?? "", word]));
  }

  /** Where all bits are there, no row is written. */
  #addBits(db: Database, rows: SQL) {
    const names = wordNames(this.terms.words);
    const differs = names.map((name) => `(${name} | excluded.${name}) <> ${name}`).join(" OR ");
    return db
      .insert(this.#table)
      .select(rows)
      .onConflictDoUpdate({
        target: this.#table.segment,
        set: Object.fromEntries(names.map((name) => [name, sql.raw(`${name} | excluded.${name}`)])),
        setWhere: sql.raw(differs),
      });
  }

  /** The statement that forgets the segments of rows that were deleted, where no other row is left in them. */
  removeEmpty(db: Database, keys: readonly number[]) {
    return db.delete(this.#table).where(sql`
      segment IN (SELECT value / ${this.#size} FROM json_each(${stringifyJson(keys)}))
      AND NOT EXISTS (
        SELECT 1 FROM ${this.#key.table}
        WHERE ${this.#key} BETWEEN segment * ${this.#size} AND segment * ${this.#size} + ${this.#size} - 1)`);
  }

  /**
   * The scan of a list, by no more than the segments that may have rows which fit its filter; as it is where these are many, and
   * undefined where there is none.
   */
  async narrow(
    db: Database,
    where: string | undefined,
    scan: RowScan,
  ): Promise<RowScan | undefined> {
    const segments = await this.candidates(db, where);
    if (segments?.length === 0) return undefined;
    return segments === undefined ? scan : { ...scan, where: this.isIn(segments, scan.where) };
  }

  /** The segments that may have rows which fit a filter; undefined where these are many. */
  async candidates(db: Database, where: string | undefined): Promise<number[] | undefined> {
    const condition = this.#conditionOf(where);
    if (condition === undefined) return undefined;
    const max = Math.floor(ROWS_MAX / this.terms.size);
    const found = await this.#read(db, condition, max + 1);
    return found.length > max ? undefined : found;
  }

  /** The same, however many there are, in their order. */
  allCandidates(db: Database, where: string | undefined): Promise<number[]> {
    return this.#read(db, this.#conditionOf(where) ?? "TRUE", -1);
  }

  #conditionOf(where: string | undefined): string | undefined {
    const filter = where === undefined ? undefined : parseFilterText(where);
    const needs = filter === undefined ? undefined : this.terms.needsOf(filter);
    return needs === undefined ? undefined : hasAll(this.terms, needs);
  }

  async #read(db: Database, condition: string, limit: number): Promise<number[]> {
    const found = await db.values<[number]>(sql`
      SELECT segment FROM ${this.#table} WHERE ${sql.raw(condition)} ORDER BY segment LIMIT ${limit}`);
    return found.map(([segment]) => segment);
  }

  /** The rows of some segments as a source of a statement, in the order of their keys if the segments are in theirs. */
  rowsIn(segments: readonly number[]): SQL {
    return sql`json_each(${stringifyJson(segments)}) AS s CROSS JOIN ${this.#key.table} NOT INDEXED
      ON ${this.#key} BETWEEN s.value * ${this.#size} AND s.value * ${this.#size} + ${this.#size} - 1`;
  }

  /** Whether a row is one of those in some segments that fit a condition. Only these are sorted. */
  isIn(segments: readonly number[], condition: SQL | undefined): SQL {
    return sql`${this.#key} IN (
      SELECT ${this.#key} FROM ${this.rowsIn(segments)} WHERE ${condition ?? sql`TRUE`})`;
  }
}
