import { type FilteredResource, parseLedgerFilter } from "#ledger-engine";
import { unknownAccount, unknownTransaction } from "#modules/ledger/object-calls.ts";
import type { LedgerService } from "#modules/ledger/service/service.ts";
import { type Page, pageOf } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";

/** The reads of a ledger that this version of the API makes. */
export type LedgerReader = Pick<
  LedgerService,
  | "aggregateBalances"
  | "countAccounts"
  | "countLedger"
  | "countTransactions"
  | "getAccount"
  | "getTransaction"
  | "listAccounts"
  | "listLogs"
  | "listMigrations"
  | "listTransactions"
>;

/**
 * Answers reads as a ledger does that was just created, and refuses the same filters. Nothing is stored for it, so that it has no
 * migrations.
 */
export const EMPTY_LEDGER: LedgerReader = {
  countLedger: async () => ({ transactions: 0, accounts: 0 }),
  listMigrations: async () => [],
  getTransaction: async (_ledger, id) => {
    throw unknownTransaction(id);
  },
  getAccount: async (_ledger, address) => {
    throw unknownAccount(address);
  },
  listTransactions: async (_ledger, query) => emptyPage("transactions", query),
  listAccounts: async (_ledger, query) => emptyPage("accounts", query),
  listLogs: async (_ledger, query) => emptyPage("logs", query),
  countTransactions: async (_ledger, query) => countNone("transactions", query),
  countAccounts: async (_ledger, query) => countNone("accounts", query),
  aggregateBalances: async (_ledger, { where }) => {
    parseLedgerFilter("balances", where);
    return [];
  },
};

function emptyPage(resource: FilteredResource, query: PageQuery): Page<never> {
  parseLedgerFilter(resource, query.where);
  return pageOf(query, [], { keyOf: (row: never) => row });
}

function countNone(resource: FilteredResource, { where }: { where?: string | undefined }): number {
  parseLedgerFilter(resource, where);
  return 0;
}
