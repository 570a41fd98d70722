import { parseAccount, toAccountView, toExpansion } from "#ledger-engine";
import { counted } from "#modules/ledger/http/answers.ts";
import { toSingleRead } from "#modules/ledger/http/requests.ts";
import { accountFilter } from "#modules/ledger/http/v1/filters.ts";
import { withLedgerOrEmpty } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { toAccountPage, VOLUMES_IMPLIED } from "#modules/ledger/http/v1/requests.ts";
import {
  AccountFilterQuery,
  AccountListQuery,
  AccountV1Response,
} from "#modules/ledger/http/v1/schemas.ts";
import { toAccountV1View, toUnusedAccountView } from "#modules/ledger/http/v1/views.ts";
import {
  AccountResponse,
  AddressParams,
  LedgerParams,
  SingleQuery,
} from "#modules/ledger/wire/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const accounts = operations({
  path: "/{ledger}/accounts",
  tags: ["Ledger API v1"],
  scope: "ledger",
  params: LedgerParams,
});

/** Returns undefined instead of throwing `NOT_FOUND`. */
function whereNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.kind === "NOT_FOUND") return undefined;
  throw error;
}

export const registerAccounts = registration(
  accounts.get("", {
    operationId: "listAccountsLedger",
    summary: "List accounts by address",
    query: AccountListQuery,
    answer: ok.page("A page of accounts", AccountResponse),
    errors: [404],
    handle: async ({ params: { ledger }, query, c }) => {
      const wanted = toAccountPage({ ledger, query, settings: deploymentOf(c).settings });
      const expand = toExpansion(wanted.expand);
      const page = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.listAccounts(ledger, wanted, expand),
      );
      return mapPage(page, (account) => toAccountView(account, expand));
    },
  }),
  accounts.head("", {
    operationId: "countAccounts",
    summary: "Count accounts",
    query: AccountFilterQuery,
    answer: counted(204),
    errors: [404],
    handle: ({ params: { ledger }, query, c }) => {
      const wanted = { where: accountFilter(query), pit: query.pit };
      return withLedgerOrEmpty(c, ledger, (reader) => reader.countAccounts(ledger, wanted));
    },
  }),
  accounts.get("/{address}", {
    operationId: "getAccountLedger",
    summary: "Read an account with its volumes and balances",
    description: "An account without any transaction is shown as well, without dates.",
    params: AddressParams,
    query: SingleQuery,
    answer: ok.data("The account", AccountV1Response),
    errors: [404],
    handle: async ({ params: { ledger, address }, query, c }) => {
      const read = { ...toSingleRead(query), ...VOLUMES_IMPLIED };
      const account = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.getAccount(ledger, address, read).catch(whereNotFound),
      );
      return account === undefined
        ? toUnusedAccountView(parseAccount(address, "account"))
        : toAccountV1View(account, read);
    },
  }),
);
