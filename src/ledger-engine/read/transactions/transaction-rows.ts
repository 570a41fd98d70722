import { type IdRange, type IndexRange, nearestIn } from "#ledger-engine/read/scan/id-scan.ts";
import type { DateScanOptions, SortKey } from "#ledger-engine/read/scan/sort-key.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";
import { parseMetadata } from "#ledger-engine/storage/account-rows.ts";
import { decodeTransaction, type TransactionPayload } from "#ledger-engine/storage/payload.ts";
import type { StoredTransaction } from "#ledger-engine/storage/transaction-reader.ts";
import { parseColumns } from "#platform/json.ts";
import type { Order } from "#platform/paging/query.ts";
import { first, type Sql, type SqlValue } from "#platform/sql/sql.ts";
import { fromMicros, MICROS_MAX, MICROS_MIN, type Timestamp, toMicros } from "#platform/time.ts";

/** Columns of dates that most transactions lack. A partial index by date and id contains the others. */
export type TransactionDateColumn = (typeof TRANSACTION_DATE_COLUMNS)[number];
export const TRANSACTION_DATE_COLUMNS = ["timestamp", "updated_at", "reverted_at"] as const;

/** A stored transaction, decoded on demand. Dates are microseconds since 1970. */
export class TransactionRow {
  readonly id: number;
  /** The metadata as of the point in time; undefined if the present metadata counts. */
  pastMetadata: Metadata | undefined;
  readonly #row: TransactionSqlRow;
  readonly #revertedUntil: bigint;
  #payload: TransactionPayload | undefined;
  #metadata: Metadata | undefined;

  constructor(row: TransactionSqlRow, revertedUntil: bigint) {
    this.id = row.id;
    this.#row = row;
    this.#revertedUntil = revertedUntil;
  }

  get reference(): string | undefined {
    return this.#row.reference ?? undefined;
  }

  get inserted(): bigint {
    return BigInt(this.#row.date);
  }

  get timestamp(): bigint {
    return BigInt(this.#row.timestamp ?? this.#row.date);
  }

  get updated(): bigint {
    return BigInt(this.#row.updated ?? this.#row.date);
  }

  /** The date of the revert; undefined without a revert up to the point in time. */
  get reverted(): bigint | undefined {
    const { reverted } = this.#row;
    return reverted === null || reverted > this.#revertedUntil ? undefined : BigInt(reverted);
  }

  /** Whether the index of a column contains the transaction. */
  isDated(column: TransactionDateColumn): boolean {
    switch (column) {
      case "timestamp":
        return this.#row.timestamp !== null;
      case "updated_at":
        return this.#row.updated !== null;
      case "reverted_at":
        return this.reverted !== undefined;
    }
  }

  /** The sort key in a list. Transactions that were not reverted come before all reverted ones. */
  sortKeyBy(column: TransactionDateColumn): SortKey {
    switch (column) {
      case "timestamp":
        return { value: this.timestamp, id: this.id };
      case "updated_at":
        return { value: this.updated, id: this.id };
      case "reverted_at":
        return { value: this.reverted ?? MICROS_MIN, id: this.id };
    }
  }

  get payload(): TransactionPayload {
    this.#payload ??= decodeTransaction(this.#row.payload);
    return this.#payload;
  }

  /** Whether the metadata has changed since the log entry. */
  get hasNewMetadata(): boolean {
    return this.#row.metadata !== null;
  }

  get metadata(): Metadata {
    if (this.pastMetadata !== undefined) return this.pastMetadata;
    const { metadata } = this.#row;
    this.#metadata ??= metadata === null ? (this.payload.metadata ?? {}) : parseMetadata(metadata);
    return this.#metadata;
  }

  /** The approximate size in memory, in bytes. */
  get bytes(): number {
    return this.#row.payload.length + (this.#row.metadata?.length ?? 0);
  }

  toStored(): StoredTransaction {
    const { reverted } = this;
    const { date, updated } = this.#row;
    const insertedAt = fromMicros(date);
    return {
      id: this.id,
      insertedAt,
      payload: this.payload,
      metadata: this.metadata,
      updatedAt: updated === null ? insertedAt : fromMicros(updated),
      revertedAt: reverted === undefined ? undefined : fromMicros(reverted),
    };
  }
}

/** Reads the rows of transactions, of the present or of a point in time. */
export class TransactionRows {
  readonly #sql: Sql;
  readonly #revertedUntil: bigint;

  constructor(sql: Sql, pit: Timestamp | undefined) {
    this.#sql = sql;
    this.#revertedUntil = pit === undefined ? MICROS_MAX : toMicros(pit);
  }

  /** The rows with these ids, in the order of the ids as given. */
  findAll(ids: readonly number[]): TransactionRow[] {
    const [id] = ids;
    if (id !== undefined && ids.length === 1) {
      return this.#read(`${COLUMNS} FROM tx WHERE tx.id = ?`, 1, id);
    }
    return this.#read(
      `${COLUMNS} FROM json_each(?) AS wanted CROSS JOIN tx ON tx.id = wanted.value`,
      ids.length,
      `[${ids.join(",")}]`,
    );
  }

  /** The rows of the first ids of an index within a range. */
  nearestIn(
    index: IndexRange,
    wanted: { range: IdRange; order: Order; limit: number },
  ): TransactionRow[] {
    const { select, bindings } = nearestIn(index, wanted);
    return this.#read(
      `${COLUMNS} FROM (${select}) AS wanted CROSS JOIN tx ON tx.id = wanted.id`,
      wanted.limit,
      ...bindings,
    );
  }

  /** The first rows of a range: all rows, or only rows without a date of their own in a column. */
  inRange(
    { from, to }: IdRange,
    {
      order,
      limit,
      undated,
    }: { order: Order; limit: number; undated?: TransactionDateColumn | undefined },
  ): TransactionRow[] {
    const condition = undated === undefined ? "" : `AND ${UNDATED[undated]}`;
    return this.#read(
      `${COLUMNS} FROM tx WHERE tx.id >= ?1 AND tx.id <= ?2 ${condition} ORDER BY tx.id ${order} LIMIT ?3 + 0`,
      Math.min(limit, to - from + 1),
      from,
      to,
      limit,
      ...this.#maskOf(undated),
    );
  }

  /** The rows with a date of their own in a column, in the order of its index. */
  inIndex(
    column: TransactionDateColumn,
    { from, until, order, batch }: DateScanOptions,
  ): TransactionRow[] {
    const [on, to] = order === "asc" ? [">=", "<="] : ["<=", ">="];
    return this.#read(
      `${COLUMNS} FROM tx INDEXED BY ${INDEXES[column]} WHERE tx.${column} IS NOT NULL
        AND (tx.${column}, tx.id) ${on} (CAST(? AS INTEGER), ?) AND tx.${column} ${to} CAST(? AS INTEGER)
        ORDER BY tx.${column} ${order}, tx.id ${order} LIMIT ? + 0`,
      batch,
      from.value.toString(),
      from.id,
      until.toString(),
      batch,
    );
  }

  /** The first sort keys of some ids, in a list that is sorted by a column. */
  nearestOf(
    ids: readonly number[],
    column: TransactionDateColumn,
    options: DateScanOptions,
  ): SortKey[] {
    const { from, until, order, batch } = options;
    const [on, to] = order === "asc" ? [">=", "<="] : ["<=", ">="];
    const key = SORT_KEYS[column];
    return this.#sql
      .all<{ id: number; value: string }>(
        `SELECT tx.id, CAST(${key} AS TEXT) AS value
          FROM json_each(?1) AS wanted CROSS JOIN tx ON tx.id = wanted.value
          WHERE (${key}, tx.id) ${on} (CAST(?2 AS INTEGER), ?3) AND ${key} ${to} CAST(?4 AS INTEGER)
          ORDER BY ${key} ${order}, tx.id ${order} LIMIT ?5 + 0`,
        `[${ids.join(",")}]`,
        from.value.toString(),
        from.id,
        until.toString(),
        batch,
        ...(column === "reverted_at" ? [this.#revertedUntil.toString()] : []),
      )
      .map(({ id, value }) => ({ id, value: BigInt(value) }));
  }

  /** The first transaction of a range, and its date of insertion. */
  firstIn({ from, to }: IdRange, order: Order): { id: number; inserted: bigint } | undefined {
    const [row] = this.#sql.all<{ id: number; date: number }>(
      `SELECT id, date FROM tx WHERE id >= ? AND id <= ? ORDER BY id ${order} LIMIT 1`,
      from,
      to,
    );
    return row === undefined ? undefined : { id: row.id, inserted: BigInt(row.date) };
  }

  #maskOf(column: TransactionDateColumn | undefined): SqlValue[] {
    return column === "reverted_at" ? [this.#revertedUntil.toString()] : [];
  }

  /** The rows of a statement, at most `most`. */
  #read(select: string, most: number, ...bindings: readonly SqlValue[]): TransactionRow[] {
    const isPacked = most >= PACKED_MIN && most <= PACKED_MAX;
    const packed = isPacked ? this.#readPacked(select, bindings) : undefined;
    const rows = packed ?? this.#sql.all<TransactionSqlRow>(select, ...bindings);
    return rows.map((row) => new TransactionRow(row, this.#revertedUntil));
  }

  /**
   * The rows of a statement, read as one text, because handing over each column of each row takes longer than finding the rows.
   * Undefined if one of the rows is long.
   */
  #readPacked(select: string, bindings: readonly SqlValue[]): TransactionSqlRow[] | undefined {
    const { rows } = first(
      this.#sql.all<{ rows: string }>(`${PACK} FROM (${select})`, ...bindings),
    );
    const found: TransactionSqlRow[] = [];
    for (const packed of parseColumns(rows) as PackedRow[]) {
      const [id, date, payload, timestamp, reference, metadata, updated, reverted] = packed;
      if (payload === 0) return undefined;
      found.push({ id, date, payload, timestamp, reference, metadata, updated, reverted });
    }
    return found;
  }
}

/**
 * The fewest and the most rows that come as one text, and the most bytes of the payload and metadata of each. Handing over fewer
 * rows takes no longer, and SQL handles texts of up to 2 MB.
 */
const PACKED_MIN = 3;
const PACKED_MAX = 64;
const PACKED_BYTES_MAX = 4000;

const PACK = `SELECT json_group_array(json_array(id, date,
  iif(octet_length(payload) + ifnull(octet_length(metadata), 0) > ${PACKED_BYTES_MAX}, 0, payload), timestamp, reference,
  iif(octet_length(metadata) > ${PACKED_BYTES_MAX}, 0, metadata), updated, reverted)) AS rows`;

type PackedRow = readonly [
  id: number,
  date: number,
  /** 0 if the row is long. */
  payload: string | 0,
  timestamp: string | null,
  reference: string | null,
  metadata: string | null,
  updated: number | null,
  reverted: number | null,
];

type TransactionSqlRow = {
  id: number;
  /** The date of the log entry. */
  date: number;
  payload: string;
  /** The effective date as text, because clients may give any date, and dates after 2255 exceed 2^53. */
  timestamp: string | null;
  reference: string | null;
  metadata: string | null;
  updated: number | null;
  reverted: number | null;
};

const COLUMNS = `SELECT tx.id, tx.date, tx.payload, CAST(tx.timestamp AS TEXT) AS timestamp, tx.reference, tx.metadata,
  tx.updated_at AS updated, tx.reverted_at AS reverted`;

const INDEXES: Readonly<Record<TransactionDateColumn, string>> = {
  timestamp: "tx_dated",
  updated_at: "tx_updated",
  reverted_at: "tx_reverted",
};

const UNDATED: Readonly<Record<TransactionDateColumn, string>> = {
  timestamp: "tx.timestamp IS NULL",
  updated_at: "tx.updated_at IS NULL",
  reverted_at: "(tx.reverted_at IS NULL OR tx.reverted_at > CAST(?4 AS INTEGER))",
};

/** The expression by which a list is sorted. */
const SORT_KEYS: Readonly<Record<TransactionDateColumn, string>> = {
  timestamp: "coalesce(tx.timestamp, tx.date)",
  updated_at: "coalesce(tx.updated_at, tx.date)",
  reverted_at: `iif(tx.reverted_at <= CAST(?6 AS INTEGER), tx.reverted_at, ${MICROS_MIN})`,
};
