import { groupsOfStages, rowsById, type RowStages } from "./row-streams.ts";
import { TransactionCounts } from "./transaction-counts.ts";
import { TransactionQuery } from "./transaction-query.ts";
import { TRANSACTION_DATE_COLUMNS, type TransactionRow } from "./transaction-rows.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { ALL_IDS, type IdRange } from "#ledger-engine/read/scan/id-scan.ts";
import { nextSortKey } from "#ledger-engine/read/scan/sort-key.ts";
import {
  countWithin,
  metadataBytes,
  PAGE_BYTES_MAX,
  ROWS_TRIED_MAX,
} from "#ledger-engine/rules/limits.ts";
import type {
  CountPart,
  CountQuery,
  SingleRead,
  VolumeExpansion,
} from "#ledger-engine/rules/reads.ts";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import type { StoredTransaction } from "#ledger-engine/storage/transaction-reader.ts";
import { type Page, pageOf, type Scan, scanOf } from "#platform/paging/pagination.ts";
import { type PageKey, type PageQuery } from "#platform/paging/query.ts";

/** Reads one transaction, a page of the transactions that match a filter, or their number. */
export class TransactionLists {
  readonly #context: ReadContext;
  readonly #counts: TransactionCounts;

  constructor(context: ReadContext) {
    this.#context = context;
    this.#counts = new TransactionCounts(context);
  }

  find(id: number, { pit, ...expansion }: SingleRead): Transaction | undefined {
    if (pit === undefined) {
      const stored = this.#context.transactions.find(id);
      return stored && this.#expand([stored], expansion)[0];
    }
    const query = new TransactionQuery(this.#context, { pit });
    const found = query.filter.matching(
      query.rows.inRange({ from: id, to: id }, { order: "asc", limit: 1 }),
    );
    return this.#show(query, found, expansion)[0];
  }

  /**
   * A page sorted by id or by date; the id breaks ties. Throws `VALIDATION` for a filter that transactions don't
   * support.
   */
  list(query: PageQuery, expansion: VolumeExpansion): Page<Transaction> {
    const wanted = new TransactionQuery(this.#context, query);
    const scan = scanOf(query);
    const { rows, last, bytes } = matching(
      wanted,
      candidates(wanted, query.column, scan),
      scan.limit,
    );
    const page = pageOf(query, rows, {
      keyOf: (row) => keyOf(query.column, row),
      keptMax:
        bytes > PAGE_BYTES_MAX ? countWithin(rows, PAGE_BYTES_MAX, answerBytes) : rows.length,
      readTo: last === undefined ? undefined : keyOf(query.column, last),
    });
    return { ...page, data: this.#show(wanted, page.data, expansion) };
  }

  /**
   * Counts transactions in parts. `after` comes from the part before. Throws `VALIDATION` for a filter that transactions
   * don't support.
   */
  count(query: CountQuery, after?: string): CountPart {
    return this.#counts.count(query, after);
  }

  #show(
    { filter }: TransactionQuery,
    rows: readonly TransactionRow[],
    expansion: VolumeExpansion,
  ): Transaction[] {
    filter.applyHistory(rows);
    return this.#expand(
      rows.map((row) => row.toStored()),
      expansion,
    );
  }

  #expand(
    stored: readonly StoredTransaction[],
    { volumes, effectiveVolumes }: VolumeExpansion,
  ): Transaction[] {
    const { features, transactions } = this.#context;
    // Ledgers without these features keep no effective volumes.
    const isKept =
      features.MOVES_HISTORY === "ON" &&
      features.MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES === "SYNC";
    return transactions.expand(stored, {
      volumes,
      effectiveVolumes: effectiveVolumes && isKept,
    });
  }
}

/** The rows that may match, in the order of the list, from the beginning of the page on. */
function candidates(
  query: TransactionQuery,
  column: string,
  { order, bound, limit: batch }: Scan,
): RowStages {
  const dates = TRANSACTION_DATE_COLUMNS.find((name) => name === column);
  const start = bound === undefined ? undefined : startOf(column, order, bound);
  const options = { order, batch, isRest: query.isRest };
  if (dates !== undefined) return query.searchBy(dates).rows(start, options);
  if (column !== "id" && column !== "inserted_at") {
    throw new Error(`transactions are not sorted by ${column}`);
  }
  // Dates of insertion never decrease with the ids, so that the orders by id and by date of insertion are equal.
  const range = start === undefined ? ALL_IDS : rangeFrom(order, start.id);
  return rowsById(query.rows, query.plan(), { ...options, range });
}

const rangeFrom = (order: Scan["order"], id: number): IdRange =>
  order === "asc" ? { ...ALL_IDS, from: id } : { ...ALL_IDS, to: id };

/** The sort key at which a page starts. */
function startOf(
  column: string,
  order: Scan["order"],
  { key, inclusive }: { key: PageKey; inclusive: boolean },
) {
  const value = BigInt(key.value);
  const id = toId(column === "id" ? value : (key.tie ?? 0n));
  return inclusive ? { value, id } : nextSortKey(order, { value, id });
}

/** An integer of a cursor as an id. A forged cursor may contain any integer. */
const toId = (id: bigint): number => (id < 0n ? -1 : id > ALL_IDS.to ? ALL_IDS.to : Number(id));

/**
 * The first rows that match: at most `limit`, and at most one row more than an answer may hold in bytes. After
 * `ROWS_TRIED_MAX` rows it stops and gives the last row that it tried, so that the ledger can do other work in between.
 */
function matching(
  { filter, weight }: TransactionQuery,
  candidates: RowStages,
  limit: number,
): Matching {
  const rows: TransactionRow[] = [];
  let bytes = 0;
  let triedMax = ROWS_TRIED_MAX / weight;
  for (const group of groupsOfStages(candidates, limit)) {
    for (const row of filter.matching(group)) {
      rows.push(row);
      bytes += answerBytes(row);
      if (rows.length === limit || (bytes > PAGE_BYTES_MAX && rows.length > 1)) {
        return { rows, bytes };
      }
    }
    triedMax -= group.length;
    if (triedMax <= 0) return { rows, bytes, last: group.at(-1) };
  }
  return { rows, bytes };
}

interface Matching {
  readonly rows: readonly TransactionRow[];
  /** The approximate size of the rows in an answer, in bytes. */
  readonly bytes: number;
  readonly last?: TransactionRow | undefined;
}

/** The approximate size of a posting in an answer with all volumes, in bytes. */
const POSTING_BYTES = 800;

const answerBytes = ({ payload, metadata }: TransactionRow): number =>
  payload.postings.length * POSTING_BYTES + metadataBytes(metadata);

function keyOf(column: string, row: TransactionRow): PageKey {
  const tie = BigInt(row.id);
  switch (column) {
    case "inserted_at":
      return { value: row.inserted, tie };
    case "timestamp":
    case "updated_at":
    case "reverted_at":
      return { value: row.sortKeyBy(column).value, tie };
    default:
      return { value: tie };
  }
}
