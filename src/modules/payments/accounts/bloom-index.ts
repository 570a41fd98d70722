import { paymentAccountSegments, paymentAccounts } from "./tables.ts";
import { BloomIndex } from "#modules/payments/bloom-index/bloom-index.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { ACCOUNT_LAYOUT } from "#modules/payments/core/bloom/account-layout.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";

export const ACCOUNT_BLOOM_INDEX = new BloomIndex({
  table: paymentAccountSegments,
  key: paymentAccounts.key,
  layout: ACCOUNT_LAYOUT,
});

export const termsOfAccount = (
  { id }: InstalledConnector,
  type: AccountType,
  account: ProviderAccount,
): string[] =>
  ACCOUNT_LAYOUT.termsOf({
    texts: {
      type,
      name: account.name,
      default_asset: account.defaultAsset,
      psu_id: account.psuId,
      open_banking_connection_id: account.connectionId,
      connector_id: id.reference,
    },
    metadata: account.metadata,
  });
