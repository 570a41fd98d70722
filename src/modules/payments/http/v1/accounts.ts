import { z } from "@hono/zod-openapi";
import type { PaymentAccount } from "#modules/payments/accounts/account.ts";
import { createAccount } from "#modules/payments/accounts/create.ts";
import { getAccount } from "#modules/payments/accounts/get.ts";
import { listAccounts } from "#modules/payments/accounts/list.ts";
import type { Balance } from "#modules/payments/balances/balance.ts";
import { listBalances } from "#modules/payments/balances/list.ts";
import { ACCOUNT_TYPES } from "#modules/payments/core/enums.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { toLegacyProvider } from "#modules/payments/core/providers.ts";
import { AccountFields, toNewAccount } from "#modules/payments/http/account-requests.ts";
import { BalanceListQuery, toBalanceQuery } from "#modules/payments/http/balance-lists.ts";
import { OptionalText } from "#modules/payments/http/fields.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { AccountIdInput, ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { toRawView } from "#modules/payments/http/raw.ts";
import {
  BigInteger,
  deploymentOf,
  MetadataSchema,
  ok,
  operations,
  registration,
  TimestampOutput,
} from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const accounts = operations({ path: "/accounts", tags: ["Payments API v1"], scope: "payments" });

const AccountV1Request = AccountFields.extend({
  accountName: OptionalText,
  type: z.enum(ACCOUNT_TYPES),
}).openapi("PaymentAccountV1Request");

const AccountV1Response = z
  .object({
    id: z.string(),
    reference: z.string(),
    createdAt: TimestampOutput,
    connectorID: z.string(),
    provider: z.string(),
    defaultCurrency: z.string().openapi({ description: "The same as `defaultAsset`." }),
    defaultAsset: z.string().openapi({ description: "Empty for none." }),
    accountName: z.string().openapi({ description: "Empty for none." }),
    type: z.enum(ACCOUNT_TYPES),
    metadata: MetadataSchema,
    raw: z.record(z.string(), z.unknown()),
  })
  .openapi("PaymentAccountV1");

const BalanceV1Response = z
  .object({
    accountId: z.string(),
    createdAt: TimestampOutput,
    lastUpdatedAt: TimestampOutput,
    currency: z.string().openapi({ description: "The same as `asset`." }),
    asset: z.string(),
    balance: BigInteger,
  })
  .openapi("PaymentAccountBalanceV1");

function toAccountV1View(account: PaymentAccount) {
  const { connector, reference, createdAt, type, metadata, raw } = account;
  const { name = "", defaultAsset = "" } = account;
  return {
    id: encodeOwnedId({ connector: connector.id, reference }),
    reference,
    createdAt: formatTimestamp(createdAt),
    connectorID: encodeConnectorId(connector.id),
    provider: toLegacyProvider(connector.id.provider),
    defaultCurrency: defaultAsset,
    defaultAsset,
    accountName: name,
    type,
    metadata,
    raw: toRawView(raw),
  };
}

const toBalanceV1View = ({ account, createdAt, lastUpdatedAt, asset, amount }: Balance) => ({
  accountId: encodeOwnedId(account),
  createdAt: formatTimestamp(createdAt),
  lastUpdatedAt: formatTimestamp(lastUpdatedAt),
  currency: asset,
  asset,
  balance: amount,
});

export const registerAccountsV1 = registration(
  accounts.post("", {
    operationId: "createAccount",
    summary: "Create an account",
    body: AccountV1Request,
    answer: ok.data("The account", AccountV1Response, toAccountV1View),
    handle: ({ body, context }) => createAccount(context, toNewAccount(body)),
  }),
  accounts.get("", {
    operationId: "listAccountsPayments",
    summary: "List accounts",
    ...LIST,
    answer: ok.page("A page of accounts", AccountV1Response, toAccountV1View),
    handle: listing("accounts", listAccounts),
  }),
  accounts.get("/{accountId}", {
    operationId: "getAccountPayments",
    summary: "Read an account",
    params: z.object({ accountId: ownedIdParam("account") }),
    answer: ok.data("The account", AccountV1Response, toAccountV1View),
    errors: [404],
    handle: ({ params, context }) => getAccount(context, params.accountId),
  }),
  accounts.get("/{accountId}/balances", {
    operationId: "getAccountBalances",
    summary: "List the balances of an account over time",
    params: z.object({ accountId: AccountIdInput }),
    query: BalanceListQuery,
    answer: ok.page("A page of balances", BalanceV1Response, toBalanceV1View),
    handle: ({ params, query, context, c }) => {
      const { settings } = deploymentOf(c);
      const wanted = toBalanceQuery(query, { settings, now: context.clock() });
      return listBalances(context, params.accountId, wanted);
    },
  }),
);
