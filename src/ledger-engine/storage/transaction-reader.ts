import { parseMetadata } from "./account-rows.ts";
import { BoundedMap } from "./bounded-map.ts";
import { lastTransactionAt } from "./ids-by-date.ts";
import type { Names, StoredNames } from "./names/names.ts";
import { decodeTransaction, type StoredPosting, type TransactionPayload } from "./payload.ts";
import type { VolumeExpansion } from "#ledger-engine/rules/reads.ts";
import type { AccountVolumes, Posting, Transaction, Volumes } from "#ledger-engine/rules/types.ts";
import { chunksOf, fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/** The row of a transaction, which is also its log entry. */
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

/** Most dates whose last ids are kept. */
const DATES_CACHED_MAX = 64;

const SELECT_TRANSACTION = `SELECT id, date, payload, metadata, updated_at AS updated, reverted_at AS reverted FROM tx`;

/** Reads transactions by their ids, with their names and volumes. */
export class TransactionReader {
  readonly #sql: Sql;
  readonly #names: StoredNames;
  /** The last id at each date. All pages of a list ask for the same dates. */
  readonly #lastIds = new BoundedMap<bigint, number>(DATES_CACHED_MAX);

  constructor(sql: Sql, names: StoredNames) {
    this.#sql = sql;
    this.#names = names;
  }

  find(id: number): StoredTransaction | undefined {
    const [row] = this.#sql.all<TransactionSqlRow>(`${SELECT_TRANSACTION} WHERE id = ?`, id);
    return row === undefined ? undefined : toStoredTransaction(row);
  }

  findAll(ids: readonly number[]): StoredTransaction[] {
    if (ids.length === 0) return [];
    return this.#sql
      .all<TransactionSqlRow>(
        `${SELECT_TRANSACTION} WHERE id IN (SELECT value FROM json_each(?))`,
        `[${ids.join(",")}]`,
      )
      .map(toStoredTransaction);
  }

  /** Turns stored transactions into transactions with names and, if `expansion` asks for them, volumes. */
  expand(stored: readonly StoredTransaction[], expansion: VolumeExpansion): Transaction[] {
    const names = this.namesOf(stored.map(({ payload }) => payload));
    const volumes =
      expansion.volumes || expansion.effectiveVolumes ? this.readVolumes(stored, names) : undefined;
    return stored.map((row) => {
      const transaction = toTransaction(row, names);
      const found = volumes?.get(row.id);
      if (expansion.volumes && found !== undefined) transaction.volumes = found.volumes;
      if (expansion.effectiveVolumes && found !== undefined) {
        transaction.effectiveVolumes = found.effective;
      }
      return transaction;
    });
  }

  namesOf(payloads: readonly TransactionPayload[]): Names {
    const accounts: number[] = [];
    const assets: number[] = [];
    for (const { postings } of payloads) {
      for (const { source, destination, asset } of postings) {
        accounts.push(source, destination);
        assets.push(asset);
      }
    }
    return this.#names.prefetch({ accounts, assets });
  }

  /**
   * The volumes after each transaction, in order of first appearance: the volumes at commit, and the present effective
   * volumes.
   */
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
      const pair = { account: names.account(row.account), asset: names.asset(row.asset) };
      volumes.push({ ...pair, ...toVolumes(row.input, row.output) });
      effective.push({
        ...pair,
        input: fromStored(row.input) + fromStored(row.effective_delta_input ?? 0),
        output: fromStored(row.output) + fromStored(row.effective_delta_output ?? 0),
      });
    }
    return found;
  }

  /**
   * The largest id of a transaction whose log date is not after `date`; -1 if there is none. Log dates never decrease.
   */
  lastIdAt(date: Timestamp): number {
    return this.lastIdAtMicros(toMicros(date));
  }

  /** `lastIdAt` for a date in microseconds since 1970, which need not be a valid `Timestamp`. */
  lastIdAtMicros(micros: bigint): number {
    const known = this.#lastIds.get(micros);
    if (known !== undefined) return known;
    const { id, isFinal } = lastTransactionAt(this.#sql, micros);
    if (isFinal) this.#lastIds.set(micros, id);
    this.#lastIds.trim();
    return id;
  }

  /** Forgets all dates, because transactions may have been rolled back. */
  reset(): void {
    this.#lastIds.clear();
  }
}

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
  effective_delta_input: StoredAmount | null;
  effective_delta_output: StoredAmount | null;
};

// CROSS JOIN keeps the order of the keys, and makes each a look-up in the primary key.
const SELECT_MOVES = `SELECT move.account, move.asset, move.tx, input, output, effective_delta_input, effective_delta_output
  FROM json_each(?) AS wanted CROSS JOIN move
    ON move.account = wanted.value ->> 0 AND move.asset = wanted.value ->> 1 AND move.tx = wanted.value ->> 2`;

/** A transaction that the caller of `toTransaction` completes. */
export type WritableTransaction = { -readonly [K in keyof Transaction]: Transaction[K] };

/** The present state of a transaction, without volumes. */
export function toTransaction(row: StoredTransaction, names: Names): WritableTransaction {
  const { payload, revertedAt } = row;
  const { reference, template } = payload;
  const transaction: WritableTransaction = {
    id: row.id,
    postings: payload.postings.map((posting) => toPosting(posting, names)),
    metadata: row.metadata ?? payload.metadata ?? {},
    timestamp: payload.timestamp ?? row.insertedAt,
    insertedAt: row.insertedAt,
    updatedAt: row.updatedAt,
  };
  if (reference !== undefined) transaction.reference = reference;
  if (template !== undefined) transaction.template = template;
  if (revertedAt !== undefined) transaction.revertedAt = revertedAt;
  return transaction;
}

export const toPosting = (posting: StoredPosting, names: Names): Posting => ({
  source: names.account(posting.source),
  destination: names.account(posting.destination),
  amount: posting.amount,
  asset: names.asset(posting.asset),
});

function toStoredTransaction(row: TransactionSqlRow): StoredTransaction {
  const insertedAt = fromMicros(row.date);
  return {
    id: row.id,
    insertedAt,
    payload: decodeTransaction(row.payload),
    metadata: row.metadata === null ? undefined : parseMetadata(row.metadata),
    updatedAt: row.updated === null ? insertedAt : fromMicros(row.updated),
    revertedAt: row.reverted === null ? undefined : fromMicros(row.reverted),
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
