import { paymentAccountSegments, paymentAccounts } from "./tables.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import { ACCOUNT_TERMS } from "#modules/payments/core/terms/account-terms.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { Segments } from "#modules/payments/segments/segments.ts";

export const ACCOUNT_SEGMENTS = new Segments({
  table: paymentAccountSegments,
  key: paymentAccounts.key,
  terms: ACCOUNT_TERMS,
});

export const termsOfAccount = (
  { id }: InstalledConnector,
  type: AccountType,
  account: ProviderAccount,
): string[] =>
  ACCOUNT_TERMS.of({
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
