import {
  compareKeys,
  type Page,
  type PageKey,
  type PageQuery,
  pageOf,
  type Scan,
  scanOf,
} from "../../../platform/pagination.ts";
import { fromMicros, toMicros, type Timestamp } from "../../../platform/time.ts";
import { countWithin, metadataBytes, PAGE_BYTES_MAX } from "../core/limits.ts";
import type { AccountVolumes, Posting, Transaction, Volumes } from "../core/types.ts";
import { type Names, readNames } from "./names.ts";
import { decodeTransaction, type StoredPosting, type TransactionPayload } from "./payload.ts";
import { fromStored, type Sql, type SqlValue, type StoredAmount } from "./sql.ts";
import { chunksOf, parseMetadata } from "./write-batch.ts";

/** What a reader wants besides the transactions or accounts. */
export interface VolumeExpansion {
  readonly volumes: boolean;
  readonly effectiveVolumes: boolean;
}

/** A transaction row with the log row that holds its immutable part. */
export interface StoredTransaction {
  readonly id: number;
  readonly insertedAt: Timestamp;
  readonly payload: TransactionPayload;
  readonly metadata: Transaction["metadata"] | undefined;
  readonly updatedAt: Timestamp;
  readonly revertedAt: Timestamp | undefined;
}

type TransactionSqlRow = {
  id: number;
  date: number;
  payload: string;
  metadata: string | null;
  updated: number | null;
  reverted: number | null;
};

const SELECT_TRANSACTION = `SELECT tx.id, log.date, log.payload, tx.metadata, tx.updated_at AS updated,
  tx.reverted_at AS reverted FROM tx JOIN log ON log.id = tx.log`;

/** Reads transactions: one, some, or a page in the order of a sort column. */
export class TransactionReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(id: number): StoredTransaction | undefined {
    const [row] = this.#sql.all<TransactionSqlRow>(`${SELECT_TRANSACTION} WHERE tx.id = ?`, id);
    return row === undefined ? undefined : toStoredTransaction(row);
  }

  findAll(ids: readonly number[]): StoredTransaction[] {
    return this.#sql
      .all<TransactionSqlRow>(
        `${SELECT_TRANSACTION} WHERE tx.id IN (SELECT value FROM json_each(?))`,
        `[${ids.join(",")}]`,
      )
      .map(toStoredTransaction);
  }

  /** A page sorted by `id`, `inserted_at`, `timestamp` or `updated_at`; the id breaks ties. */
  list(query: PageQuery, expansion: VolumeExpansion): Page<Transaction> {
    const rows = this.#rows(query.column, scanOf(query));
    const page = pageOf(query, rows, {
      keyOf: (row) => keyOf(query.column, row),
      keptMax: countWithin(rows, PAGE_BYTES_MAX, sizeOf),
    });
    return { ...page, data: this.expand(page.data, expansion) };
  }

  /** Gives stored transactions their names and, where wanted, their volumes. */
  expand(stored: readonly StoredTransaction[], expansion: VolumeExpansion): Transaction[] {
    const names = this.namesOf(stored.map(({ payload }) => payload));
    const volumes =
      expansion.volumes || expansion.effectiveVolumes ? this.readVolumes(stored, names) : undefined;
    return stored.map((row) => {
      const found = volumes?.get(row.id);
      return {
        ...toTransaction(row, names),
        ...(expansion.volumes && found !== undefined ? { volumes: found.volumes } : {}),
        ...(expansion.effectiveVolumes && found !== undefined
          ? { effectiveVolumes: found.effective }
          : {}),
      };
    });
  }

  namesOf(payloads: readonly TransactionPayload[]): Names {
    const accounts = new Set<number>();
    const assets = new Set<number>();
    for (const { source, destination, asset } of payloads.flatMap(({ postings }) => postings)) {
      accounts.add(source).add(destination);
      assets.add(asset);
    }
    return readNames(this.#sql, accounts, assets);
  }

  /** The volumes after each transaction, in order of first appearance: at commit, and effective as of now. */
  readVolumes(
    stored: readonly { id: number; payload: TransactionPayload }[],
    names: Names,
  ): ReadonlyMap<number, TransactionVolumes> {
    const keys = new Set(stored.flatMap(({ id, payload }) => moveKeys(id, payload.postings)));
    const rows = [...chunksOf([...keys])].flatMap((chunk) =>
      this.#sql.all<MoveSqlRow>(SELECT_MOVES, `[${chunk.join(",")}]`),
    );
    const found = new Map<number, { volumes: AccountVolumes[]; effective: AccountVolumes[] }>();
    for (const { id } of stored) found.set(id, { volumes: [], effective: [] });
    for (const row of rows) {
      const { volumes, effective } = found.get(row.tx) ?? { volumes: [], effective: [] };
      const place = { account: names.account(row.account), asset: names.asset(row.asset) };
      volumes.push({ ...place, ...toVolumes(row.input, row.output) });
      effective.push({
        ...place,
        input: fromStored(row.input) + fromStored(row.shift_input ?? 0),
        output: fromStored(row.output) + fromStored(row.shift_output ?? 0),
      });
    }
    return found;
  }

  /** The largest transaction id whose log date is `date` or earlier, 0 if none: log dates never decrease. */
  lastIdAt(date: Timestamp): number {
    const wanted = toMicros(date);
    let [found, low, high] = [0, 1, this.#lastId()];
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#atOrBefore(middle);
      // Ids have gaps: nothing between the row and the middle.
      if (row === undefined || row.id < low) low = middle + 1;
      else if (BigInt(row.date) <= wanted) [found, low] = [row.id, middle + 1];
      else high = row.id - 1;
    }
    return found;
  }

  #lastId(): number {
    return this.#sql.all<{ id: number | null }>("SELECT max(id) AS id FROM tx")[0]?.id ?? 0;
  }

  #atOrBefore(id: number): { id: number; date: number } | undefined {
    return this.#sql.all<{ id: number; date: number }>(
      `SELECT tx.id, log.date FROM tx JOIN log ON log.id = tx.log
        WHERE tx.id <= ? ORDER BY tx.id DESC LIMIT 1`,
      id,
    )[0];
  }

  #rows(column: string, scan: Scan): StoredTransaction[] {
    switch (column) {
      case "id":
        return this.#byId(scan, scan.bound?.key.value);
      case "inserted_at":
        // Insertion dates never decrease with the id, so the order is that of the ids.
        return this.#byId(scan, scan.bound?.key.tie);
      case "timestamp":
      case "updated_at":
        return this.#byDate(column, scan);
      default:
        throw new Error(`transactions are not sorted by ${column}`);
    }
  }

  #byId(scan: Scan, bound: bigint | string | undefined): StoredTransaction[] {
    const where = bound === undefined ? "" : `WHERE tx.id ${operatorOf(scan)} CAST(? AS INTEGER)`;
    const bindings: SqlValue[] = bound === undefined ? [] : [bound.toString()];
    return this.#sql
      .all<TransactionSqlRow>(
        `${SELECT_TRANSACTION} ${where} ORDER BY tx.id ${scan.order} LIMIT ?`,
        ...bindings,
        scan.limit,
      )
      .map(toStoredTransaction);
  }

  /**
   * Merges two ordered streams: rows whose column is null, for which the log date stands and id order is date order, and
   * the few others, which a partial index holds.
   */
  #byDate(column: "timestamp" | "updated_at", scan: Scan): StoredTransaction[] {
    const inserted = this.#withoutDate(column, scan);
    const dated = this.#withDate(column, scan);
    const sign = scan.order === "asc" ? 1 : -1;
    return [...inserted, ...dated]
      .toSorted((a, b) => compareKeys(keyOf(column, a), keyOf(column, b)) * sign)
      .slice(0, scan.limit);
  }

  #withoutDate(column: string, scan: Scan): StoredTransaction[] {
    const bound = this.#insertedBound(scan);
    return this.#sql
      .all<TransactionSqlRow>(
        `${SELECT_TRANSACTION} WHERE tx.${column} IS NULL ${bound.where} ORDER BY tx.id ${scan.order} LIMIT ?`,
        ...bound.bindings,
        scan.limit,
      )
      .map(toStoredTransaction);
  }

  /** The bound on (date, id) together with the bound on the id that it implies, which the primary key serves. */
  #insertedBound({ bound, order, ...scan }: Scan): { where: string; bindings: SqlValue[] } {
    if (bound === undefined) return { where: "", bindings: [] };
    const micros = BigInt(bound.key.value);
    const operator = operatorOf({ bound, order, ...scan });
    const edge =
      order === "asc"
        ? this.lastIdAt(fromMicros(micros - 1n)) + 1
        : this.lastIdAt(fromMicros(micros));
    return {
      where: `AND tx.id ${order === "asc" ? ">=" : "<="} ?
        AND (log.date, tx.id) ${operator} (CAST(? AS INTEGER), CAST(? AS INTEGER))`,
      bindings: [edge, micros.toString(), (bound.key.tie ?? 0n).toString()],
    };
  }

  #withDate(column: string, scan: Scan): StoredTransaction[] {
    const { bound, order } = scan;
    const where =
      bound === undefined
        ? ""
        : `AND (tx.${column}, tx.id) ${operatorOf(scan)} (CAST(? AS INTEGER), CAST(? AS INTEGER))`;
    const bindings =
      bound === undefined ? [] : [bound.key.value.toString(), (bound.key.tie ?? 0n).toString()];
    return this.#sql
      .all<TransactionSqlRow>(
        `${SELECT_TRANSACTION} WHERE tx.${column} IS NOT NULL ${where}
          ORDER BY tx.${column} ${order}, tx.id ${order} LIMIT ?`,
        ...bindings,
        scan.limit,
      )
      .map(toStoredTransaction);
  }
}

/** About what a posting takes in an answer with all volumes, in bytes. */
const POSTING_BYTES = 800;

const sizeOf = ({ payload, metadata }: StoredTransaction): number =>
  payload.postings.length * POSTING_BYTES + metadataBytes(metadata ?? payload.metadata ?? {});

export interface TransactionVolumes {
  readonly volumes: readonly AccountVolumes[];
  readonly effective: readonly AccountVolumes[];
}

type MoveSqlRow = {
  account: number;
  asset: number;
  tx: number;
  input: StoredAmount;
  output: StoredAmount;
  shift_input: StoredAmount | null;
  shift_output: StoredAmount | null;
};

// CROSS JOIN keeps the order of the keys and makes each a look-up in the primary key.
const SELECT_MOVES = `SELECT move.account, move.asset, move.tx, input, output, shift_input, shift_output
  FROM json_each(?) AS wanted CROSS JOIN move
    ON move.account = wanted.value ->> 0 AND move.asset = wanted.value ->> 1 AND move.tx = wanted.value ->> 2`;

/** A transaction as it is now. */
export function toTransaction(row: StoredTransaction, names: Names): Transaction {
  const { payload } = row;
  return {
    id: row.id,
    postings: payload.postings.map((posting) => toPosting(posting, names)),
    metadata: row.metadata ?? payload.metadata ?? {},
    timestamp: payload.timestamp ?? row.insertedAt,
    ...(payload.reference === undefined ? {} : { reference: payload.reference }),
    insertedAt: row.insertedAt,
    updatedAt: row.updatedAt,
    ...(row.revertedAt === undefined ? {} : { revertedAt: row.revertedAt }),
  };
}

export const toPosting = (posting: StoredPosting, names: Names): Posting => ({
  source: names.account(posting.source),
  destination: names.account(posting.destination),
  amount: posting.amount,
  asset: names.asset(posting.asset),
});

function toStoredTransaction(row: TransactionSqlRow): StoredTransaction {
  const insertedAt = fromMicros(BigInt(row.date));
  return {
    id: row.id,
    insertedAt,
    payload: decodeTransaction(row.payload),
    metadata: row.metadata === null ? undefined : parseMetadata(row.metadata),
    updatedAt: row.updated === null ? insertedAt : fromMicros(BigInt(row.updated)),
    revertedAt: row.reverted === null ? undefined : fromMicros(BigInt(row.reverted)),
  };
}

/** The keys of a transaction's moves, in order of first appearance. */
const moveKeys = (id: number, postings: readonly StoredPosting[]): string[] =>
  postings.flatMap(({ source, destination, asset }) => [
    `[${source},${asset},${id}]`,
    `[${destination},${asset},${id}]`,
  ]);

const toVolumes = (input: StoredAmount, output: StoredAmount): Volumes => ({
  input: fromStored(input),
  output: fromStored(output),
});

function keyOf(column: string, row: StoredTransaction): PageKey {
  const tie = BigInt(row.id);
  switch (column) {
    case "inserted_at":
      return { value: toMicros(row.insertedAt), tie };
    case "timestamp":
      return { value: toMicros(row.payload.timestamp ?? row.insertedAt), tie };
    case "updated_at":
      return { value: toMicros(row.updatedAt), tie };
    default:
      return { value: tie };
  }
}

function operatorOf({ order, bound }: Scan): string {
  const strict = order === "asc" ? ">" : "<";
  return bound?.inclusive === true ? `${strict}=` : strict;
}
