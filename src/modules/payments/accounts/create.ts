import type { PaymentAccount } from "./account.ts";
import { getAccount } from "./get.ts";
import { prepareNewAccounts } from "./ingestion.ts";
import { type ObjectMetadata, toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { requirePast } from "#modules/payments/common/not-future.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { requireCreation } from "#modules/payments/installs/capabilities.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { Timestamp } from "#platform/time.ts";

export interface NewAccount {
  readonly connector: ConnectorId;
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly type: AccountType;
  readonly name?: string;
  readonly defaultAsset?: string;
  readonly metadata: ObjectMetadata;
  /** JSON of the request. */
  readonly raw: string;
}

/**
 * Stores an account of a client and returns it. A stored account with the same reference stays as it is and is returned.
 * Throws `CONNECTOR_CAPABILITY_NOT_SUPPORTED`, and `VALIDATION` if the connector is not installed.
 */
export async function createAccount(
  context: ServiceContext,
  { connector: id, type, ...account }: NewAccount,
): Promise<PaymentAccount> {
  requireCreation(id, {
    capability: "ALLOW_FORMANCE_ACCOUNT_CREATION",
    name: "CreateFormanceAccount",
  });
  requirePast(context, "createdAt", account.createdAt);
  toMetadataColumn(account.metadata);
  await storePage(
    context,
    async () => {
      const connector = await requireConnector(context, id);
      return prepareNewAccounts(context, { connector, type, accounts: [account] });
    },
    new AuditedChange(context, {
      action: "payments.account.create",
      object: `connectors/${id.reference}/accounts/${account.reference}`,
    }),
  );
  return getAccount(context, { connector: id, reference: account.reference });
}
