import { datesAllowed } from "./date-ranges.ts";
import { DateSearch } from "./date-search.ts";
import { TransactionFilter } from "./transaction-filter.ts";
import { type Plan, TransactionPlanner } from "./transaction-plan.ts";
import { type TransactionDateColumn, TransactionRows } from "./transaction-rows.ts";
import { AccountSet, type AddressTest } from "#ledger-engine/read/accounts/account-sets.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import {
  type LedgerFilter,
  parseLedgerFilter,
  weightOf,
} from "#ledger-engine/rules/filters/filters.ts";
import { keepsHistory } from "#ledger-engine/storage/metadata-index.ts";
import { MICROS_MAX, type Timestamp, toMicros } from "#platform/time.ts";

/** A query for the transactions that match a filter at a point in time. */
export class TransactionQuery {
  readonly #context: ReadContext;
  readonly #pit: Timestamp | undefined;
  readonly #condition: LedgerFilter | undefined;
  readonly #accountSets = new Map<AddressTest, AccountSet>();
  readonly rows: TransactionRows;
  readonly filter: TransactionFilter;
  /** Whether the query continues a page after many rows were tried. */
  readonly isRest: boolean;

  /** Throws `VALIDATION` for a filter that transactions don't support. */
  constructor(context: ReadContext, { where, pit, wanted }: QueryInput) {
    const { sql, names, history } = context;
    this.#context = context;
    this.#pit = pit;
    this.isRest = wanted !== undefined;
    this.#condition = upTo(pit, parseLedgerFilter("transactions", where));
    this.rows = new TransactionRows(sql, pit);
    const metadataAt = this.#isMetadataPast ? pit : undefined;
    const accountsOf = (test: AddressTest) => this.#accountsOf(test);
    const sources = { names, history, metadataAt, accountsOf };
    this.filter = new TransactionFilter(this.#condition, sources);
  }

  /** The work of the filter for a row, as a multiple of the work of an ordinary filter. */
  get weight(): number {
    return weightOf(this.#condition);
  }

  /** The access paths to the transactions that may match. */
  plan(sortedBy?: TransactionDateColumn): Plan {
    const { sql, transactions: reader, sizes } = this.#context;
    return new TransactionPlanner({
      sql,
      reader,
      assets: sizes.assetCount,
      accountsOf: (test) => this.#accountsOf(test),
      sortedBy,
      isMetadataPast: this.#isMetadataPast,
      hidesReverts: this.#pit !== undefined,
    }).plan(this.#condition);
  }

  searchBy(column: TransactionDateColumn): DateSearch {
    const { sql, transactions: reader } = this.#context;
    const hasEnd = column === "reverted_at" && this.#pit !== undefined;
    return new DateSearch(
      { sql, reader, rows: this.rows },
      {
        column,
        plan: this.plan(column),
        allowed: datesAllowed(this.#condition, column),
        until: hasEnd ? toMicros(this.#pit) : MICROS_MAX,
      },
    );
  }

  /** The accounts of a test. They are kept, because both filter and plan ask for them. */
  #accountsOf(test: AddressTest): AccountSet {
    const known = this.#accountSets.get(test);
    if (known !== undefined) return known;
    const accounts = new AccountSet(this.#context.sql, test);
    this.#accountSets.set(test, accounts);
    return accounts;
  }

  /** Whether past metadata counts. Without a history of metadata, present metadata counts at any point in time. */
  get #isMetadataPast(): boolean {
    return this.#pit !== undefined && keepsHistory(this.#context.features, "TRANSACTION");
  }
}

interface QueryInput {
  /** A filter as JSON text. */
  readonly where?: string | undefined;
  readonly pit?: Timestamp | undefined;
  /** The number of rows that are left of a page, if the query continues one. */
  readonly wanted?: number;
}

/** Adds the condition that transactions are dated up to a point in time. */
function upTo(
  pit: Timestamp | undefined,
  filter: LedgerFilter | undefined,
): LedgerFilter | undefined {
  if (pit === undefined) return filter;
  const dated = { kind: "date", key: "timestamp", operator: "$lte", value: pit } as const;
  return filter === undefined ? dated : { kind: "all", filters: [dated, filter] };
}
