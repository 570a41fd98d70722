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

/** The transactions that a filter and a point in time leave. */
export class TransactionQuery {
  readonly #context: ReadContext;
  readonly #pit: Timestamp | undefined;
  readonly #condition: LedgerFilter | undefined;
  readonly #accountSets = new Map<AddressTest, AccountSet>();
  readonly rows: TransactionRows;
  readonly filter: TransactionFilter;
  /** Whether the query continues where many rows were tried. */
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

  /** How many times as much work as an ordinary filter this one takes for a row. */
  get weight(): number {
    return weightOf(this.#condition);
  }

  /** Where the transactions are that may match. */
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

  /** The accounts of a test, which the filter and the plan both ask for. */
  #accountsOf(test: AddressTest): AccountSet {
    const known = this.#accountSets.get(test);
    if (known !== undefined) return known;
    const accounts = new AccountSet(this.#context.sql, test);
    this.#accountSets.set(test, accounts);
    return accounts;
  }

  /** Where no history is kept, past metadata is that of now. */
  get #isMetadataPast(): boolean {
    return this.#pit !== undefined && keepsHistory(this.#context.features, "TRANSACTION");
  }
}

interface QueryInput {
  /** A filter as JSON text. */
  readonly where?: string | undefined;
  readonly pit?: Timestamp | undefined;
  /** How many rows of a page are left, where this query continues it. */
  readonly wanted?: number;
}

/** At a point in time, only those transactions exist that are dated then or earlier. */
function upTo(
  pit: Timestamp | undefined,
  filter: LedgerFilter | undefined,
): LedgerFilter | undefined {
  if (pit === undefined) return filter;
  const dated = { kind: "date", key: "timestamp", operator: "$lte", value: pit } as const;
  return filter === undefined ? dated : { kind: "all", filters: [dated, filter] };
}
