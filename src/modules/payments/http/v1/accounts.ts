import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import {
  BigInteger,
  cursorOf,
  dataOf,
  MetadataSchema,
  TimestampOutput,
  toCursorView,
} from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import { formatTimestamp } from "#platform/time.ts";

const TAGS = ["Payments API v1"];

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

export function registerAccountsV1(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/accounts",
      operationId: "createAccount",
      summary: "Create an account",
      tags: TAGS,
      scope: "payments:write",
      body: AccountV1Request,
      responses: { 200: json("The account", dataOf(AccountV1Response)) },
    },
    async ({ body, c }) => {
      const account = await createAccount(c.var.context, toNewAccount(body));
      return { status: 200, body: { data: toAccountV1View(account) } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/accounts",
      operationId: "listAccountsPayments",
      summary: "List accounts",
      tags: TAGS,
      responses: { 200: json("A page of accounts", cursorOf(AccountV1Response)) },
    },
    listing("accounts", listAccounts, toAccountV1View),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/accounts/{accountId}",
      operationId: "getAccountPayments",
      summary: "Read an account",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ accountId: ownedIdParam("account") }),
      responses: { 200: json("The account", dataOf(AccountV1Response)), ...errors(404) },
    },
    async ({ params, c }) => {
      const account = await getAccount(c.var.context, params.accountId);
      return { status: 200, body: { data: toAccountV1View(account) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/accounts/{accountId}/balances",
      operationId: "getAccountBalances",
      summary: "List the balances of an account over time",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ accountId: AccountIdInput }),
      query: BalanceListQuery,
      responses: { 200: json("A page of balances", cursorOf(BalanceV1Response)) },
    },
    async ({ params, query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const wanted = toBalanceQuery(query, { settings, now: context.clock() });
      const page = await listBalances(context, params.accountId, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toBalanceV1View)) };
    },
  );
}

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
