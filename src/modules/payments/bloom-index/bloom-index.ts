import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { blockCondition } from "./block-condition.ts";
import { type BloomTable, wordColumns } from "./table.ts";
import type { BloomLayout } from "#modules/payments/core/bloom/bloom-layout.ts";
import type { Database } from "#platform/db/database.ts";
import { columnValues, jsonRows } from "#platform/db/json-rows.ts";
import type { RowScan } from "#platform/db/list.ts";
import { parseFilterText } from "#platform/filter/filter.ts";
import { stringifyJson } from "#platform/json.ts";

/** Above this number of rows in the blocks that a filter finds, a scan in the order of the list fills a page sooner. */
const CANDIDATE_ROWS_MAX = 16_384;

/**
 * Inserted rows whose terms are added together, at most. A group on the border of two blocks adds the terms of all its rows to both: each
 * block contains some terms of its neighbours, and the statement stays small.
 */
const GROUP_ROWS = 16;

/**
 * An index of a table in blocks of rows whose keys follow each other. Each block has one row, which holds a Bloom filter (Bloom, "Space/time
 * trade-offs in hash coding with allowable errors", 1970) of the terms of its rows, such as `status=FAILED`. In PostgreSQL this is a BRIN
 * index with a Bloom operator class, and in ClickHouse a data skipping index of type `bloom_filter`.
 *
 *     payment_payments                  payment_segments      w0 w1 w2     w3 … w39
 *     key 64 ┐                          segment               exact bits   Bloom filter
 *         …  ├─ block 2 = key / 32 ───▶    2                  0…010…01     01101…1000   bits of the terms
 *     key 95 ┘                                                                          of all 32 rows
 *
 *     filter {"$match": {"psu_id": "ada"}} ─▶ term `psu_id=ada` ─▶ three bits, as masks of words
 *         SELECT segment … WHERE (w7 & mask) = mask AND …     reads all blocks: one row for 32 payments
 *          ├─ no block: the page is empty
 *          ├─ at most 512 blocks: the list tests their 16,384 rows with its filter
 *          └─ more blocks: the list scans its own index in its order until the page is full
 *
 *     table                        rows of              words  rows a block  layout, in core/bloom/
 *     payment_segments             payment_payments        40            32  payment-layout.ts
 *     payment_account_segments     payment_accounts        24            16  account-layout.ts
 *     payment_order_segments       payment_orders          40            32  trade-layouts.ts
 *     payment_conversion_segments  payment_conversions     40            32  trade-layouts.ts
 *
 * A block has no false negatives, and false positives with a probability of (1 − e^(−kn/m))^k, with n terms in m bits and k bits a term. A
 * payment with two accounts, a user and two entries of metadata has about five terms that its neighbours do not have. A block of payments
 * that were stored one by one has n = 160, m = 1924, k = 3 and 1.1 % false positives. A block of payments that came in pages of a hundred
 * also has terms of its neighbours: n = 240 and 3.1 %. A term of a key of low cardinality (k = 8) is a false positive in 0.01 % of blocks.
 * `test/unit/payments/bloom/bloom-index.test.ts` measures the rates.
 *
 * Would ordinary indexes do? D1 bills each row that a write adds to an index ($1 a million rows written, $0.001 a million rows read). With an
 * index for each of the eleven keys of payments, D1 would bill 19 rows for a new payment in place of 9.1, and 18 rows for a change in place
 * of 8.1; each entry of metadata would take one row more. The share of a payment in its block is 0.1 rows if it comes in a page of a hundred,
 * and 1 row if it comes alone. A filtered page of half a million payments reads some 15,600 blocks and as many rows of false positives, for
 * $0.00003, so that ordinary indexes would pay only with several hundred thousand filtered pages for each million of payments: blocks are
 * right. Their limit is size: from 530,000 payments on (16,384 / 3.1 %), false positives alone are more than 512 blocks, and filters by an
 * account, a user, an amount or an entry of metadata scan the list's index; a table that grows far beyond should get ordinary indexes of
 * `source_hash` and `destination_hash`, for two rows a payment.
 *
 * Rows must be inserted in the order of their keys, and a batch that inserts rows must fail if one of them is stored already: `addInserted`
 * counts their keys back from the last key of the table.
 */
export class BloomIndex {
  readonly #table: BloomTable;
  /** The integer key of the indexed rows. */
  readonly #key: SQLiteColumn;
  readonly #layout: BloomLayout;
  /** A literal: D1 binds numbers as floating-point numbers, and SQLite would not divide by them without a remainder. */
  readonly #rowsPerBlock: SQL;

  constructor({
    table,
    key,
    layout,
  }: {
    readonly table: BloomTable;
    readonly key: SQLiteColumn;
    readonly layout: BloomLayout;
  }) {
    this.#table = table;
    this.#key = key;
    this.#layout = layout;
    this.#rowsPerBlock = sql.raw(`${layout.rowsPerBlock}`);
  }

  /**
   * The statement that adds the terms of inserted rows. It goes right after the statement that inserts them, when the keys of the rows
   * are the last keys of their table. If `firstKey` is the key of the first row, groups end at the borders of blocks, and no block gets
   * terms of its neighbours; with another `firstKey`, the blocks get more terms, but all that they need.
   */
  addInserted(
    db: Database,
    rows: readonly (readonly string[])[],
    { firstKey = 0 }: { readonly firstKey?: number } = {},
  ) {
    const { rowsPerBlock } = this.#layout;
    const groups: Record<string, unknown>[] = [];
    for (let first = 0; first < rows.length;) {
      const untilBorder = rowsPerBlock - ((firstKey + first) % rowsPerBlock);
      const group = rows.slice(first, first + Math.min(GROUP_ROWS, untilBorder));
      groups.push({ first, last: first + group.length - 1, ...this.#wordsOf(group.flat()) });
      first += group.length;
    }
    const { source, items } = jsonRows(groups);
    const before = sql.raw(`${rows.length - 1}`);
    // As an expression, the last key is found at the end of the table; as a table in FROM, SQLite would read all rows for it.
    const last = sql`(SELECT max(${this.#key}) FROM ${this.#key.table})`;
    const edge = sql`CASE e.edge WHEN 0 THEN ${items.first} ELSE ${items.last} END`;
    return this.#addWords(
      db,
      sql`
        SELECT ${columnValues(this.#table, {
          ...items,
          segment: sql`(${last} - ${before} + ${edge}) / ${this.#rowsPerBlock}`,
        })}
        FROM ${source}, (SELECT 0 AS edge UNION ALL SELECT 1) AS e WHERE true`,
    );
  }

  /** The statement that adds terms that stored rows have got by a change. Terms that they have lost stay until their block is deleted. */
  addChanged(
    db: Database,
    changes: readonly { readonly key: number; readonly terms: readonly string[] }[],
  ) {
    const blocks = Map.groupBy(changes, ({ key }) => Math.floor(key / this.#layout.rowsPerBlock));
    const { source, items } = jsonRows(
      [...blocks].map(([segment, changed]) => ({
        segment,
        ...this.#wordsOf(changed.flatMap(({ terms }) => terms)),
      })),
    );
    return this.#addWords(
      db,
      sql`SELECT ${columnValues(this.#table, items)} FROM ${source} WHERE true`,
    );
  }

  #wordsOf(terms: readonly string[]): Record<string, bigint> {
    const columns = wordColumns(this.#layout.wordCount);
    const words = this.#layout.buildWords(terms);
    return Object.fromEntries(columns.map((column, at) => [column, words[at] ?? 0n]));
  }

  /** Adds bits to blocks. A block that has all of them already is not written, and not billed. */
  #addWords(db: Database, rows: SQL) {
    const columns = wordColumns(this.#layout.wordCount);
    const differs = columns.map((name) => `(${name} | excluded.${name}) <> ${name}`).join(" OR ");
    return db
      .insert(this.#table)
      .select(rows)
      .onConflictDoUpdate({
        target: this.#table.segment,
        set: Object.fromEntries(
          columns.map((name) => [name, sql.raw(`${name} | excluded.${name}`)]),
        ),
        setWhere: sql.raw(differs),
      });
  }

  /** The statement that deletes the blocks of deleted rows, unless other rows are left in them. */
  removeEmpty(db: Database, keys: readonly number[]) {
    const size = this.#rowsPerBlock;
    return db.delete(this.#table).where(sql`
      segment IN (SELECT value / ${size} FROM json_each(${stringifyJson(keys)}))
      AND NOT EXISTS (
        SELECT 1 FROM ${this.#key.table}
        WHERE ${this.#key} BETWEEN segment * ${size} AND segment * ${size} + ${size} - 1)`);
  }

  /**
   * The scan of a list, limited to blocks that may contain rows which pass its filter. The scan stays as it is if there are many such
   * blocks, and is undefined if there is none.
   */
  async narrow(
    db: Database,
    where: string | undefined,
    scan: RowScan,
  ): Promise<RowScan | undefined> {
    const blocks = await this.candidateBlocks(db, where);
    if (blocks?.length === 0) return undefined;
    return blocks === undefined ? scan : { ...scan, where: this.isInBlocks(blocks, scan.where) };
  }

  /** The blocks that may contain rows which pass a filter; undefined if there are many. */
  async candidateBlocks(db: Database, where: string | undefined): Promise<number[] | undefined> {
    const condition = this.#conditionOf(where);
    if (condition === undefined) return undefined;
    const max = Math.floor(CANDIDATE_ROWS_MAX / this.#layout.rowsPerBlock);
    const found = await this.#read(db, condition, max + 1);
    return found.length > max ? undefined : found;
  }

  /** All blocks that may contain rows which pass a filter, in their order. */
  allCandidateBlocks(db: Database, where: string | undefined): Promise<number[]> {
    return this.#read(db, this.#conditionOf(where) ?? "TRUE", -1);
  }

  #conditionOf(where: string | undefined): string | undefined {
    const filter = where === undefined ? undefined : parseFilterText(where);
    const query = filter === undefined ? undefined : this.#layout.termQueryOf(filter);
    return query === undefined ? undefined : blockCondition(this.#layout, query);
  }

  async #read(db: Database, condition: string, limit: number): Promise<number[]> {
    const found = await db.all<{ segment: number }>(sql`
      SELECT segment FROM ${this.#table} WHERE ${sql.raw(condition)} ORDER BY segment LIMIT ${limit}`);
    return found.map(({ segment }) => segment);
  }

  /** The rows of some blocks as a source of a statement. If the blocks are in their order, the rows are in the order of their keys. */
  rowsInBlocks(blocks: readonly number[]): SQL {
    const size = this.#rowsPerBlock;
    return sql`json_each(${stringifyJson(blocks)}) AS s CROSS JOIN ${this.#key.table} NOT INDEXED
      ON ${this.#key} BETWEEN s.value * ${size} AND s.value * ${size} + ${size} - 1`;
  }

  /** The condition that a row is in one of some blocks and passes another condition. A list sorts only the rows that are found so. */
  isInBlocks(blocks: readonly number[], condition: SQL | undefined): SQL {
    return sql`${this.#key} IN (
      SELECT ${this.#key} FROM ${this.rowsInBlocks(blocks)} WHERE ${condition ?? sql`TRUE`})`;
  }
}
