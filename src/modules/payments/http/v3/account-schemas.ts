import { z } from "@hono/zod-openapi";
import type { PaymentAccount } from "#modules/payments/accounts/account.ts";
import type { Balance } from "#modules/payments/balances/balance.ts";
import { ACCOUNT_TYPES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { AccountFields } from "#modules/payments/http/account-requests.ts";
import { RequiredText } from "#modules/payments/http/fields.ts";
import { toRawView } from "#modules/payments/http/raw.ts";
import { BigInteger, MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

export const AccountRequest = AccountFields.extend({
  accountName: RequiredText,
  type: z.enum(["INTERNAL", "EXTERNAL"]),
}).openapi("PaymentAccountRequest");

const ConnectorBase = z.object({
  id: z.string(),
  reference: z.string(),
  name: z.string(),
  createdAt: TimestampOutput,
  provider: z.string(),
});

export const AccountResponse = z
  .object({
    id: z.string(),
    connectorID: z.string(),
    connector: ConnectorBase,
    provider: z.string(),
    reference: z.string(),
    createdAt: TimestampOutput,
    type: z.enum(ACCOUNT_TYPES).openapi({
      description: "Internal accounts are held at the provider, external ones are beneficiaries.",
    }),
    name: z.string().optional(),
    defaultAsset: z.string().optional(),
    psuID: z.string().optional(),
    openBankingConnectionID: z.string().optional(),
    metadata: MetadataSchema,
    raw: z.record(z.string(), z.unknown()),
  })
  .openapi("PaymentAccount");

export function toAccountView(account: PaymentAccount) {
  const { connector, reference, createdAt, type, metadata, raw } = account;
  const { id, name } = connector;
  const connectorID = encodeConnectorId(id);
  return {
    id: encodeOwnedId({ connector: id, reference }),
    connectorID,
    connector: {
      id: connectorID,
      reference: id.reference,
      name,
      createdAt: formatTimestamp(connector.createdAt),
      provider: id.provider,
    },
    provider: id.provider,
    reference,
    createdAt: formatTimestamp(createdAt),
    type,
    ...given({
      name: account.name,
      defaultAsset: account.defaultAsset,
      psuID: account.psuId,
      openBankingConnectionID: account.connectionId,
    }),
    metadata,
    raw: toRawView(raw),
  };
}

export const BalanceResponse = z
  .object({
    accountID: z.string(),
    createdAt: TimestampOutput,
    lastUpdatedAt: TimestampOutput,
    asset: z.string(),
    balance: BigInteger,
    psuID: z.string().optional(),
    openBankingConnectionID: z.string().optional(),
  })
  .openapi("PaymentAccountBalance");

export const toBalanceView = (balance: Balance) => ({
  accountID: encodeOwnedId(balance.account),
  createdAt: formatTimestamp(balance.createdAt),
  lastUpdatedAt: formatTimestamp(balance.lastUpdatedAt),
  asset: balance.asset,
  balance: balance.amount,
  ...given({ psuID: balance.psuId, openBankingConnectionID: balance.connectionId }),
});
