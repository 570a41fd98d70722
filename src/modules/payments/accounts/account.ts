import type { paymentAccounts } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorDirectory, ConnectorEntry } from "#modules/payments/installs/directory.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** An account at a provider. */
export interface PaymentAccount {
  /** Orders accounts of one time. */
  readonly key: number;
  readonly connector: ConnectorEntry;
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly type: AccountType;
  readonly name?: string;
  readonly defaultAsset?: string;
  readonly psuId?: string;
  readonly connectionId?: string;
  readonly metadata: ObjectMetadata;
  /** What was sent: JSON text. */
  readonly raw: string;
}

/** Rows as accounts, without those whose connector is gone: they are about to go, too. */
export function toAccounts(
  rows: readonly (typeof paymentAccounts.$inferSelect)[],
  directory: ConnectorDirectory,
): PaymentAccount[] {
  return rows.flatMap((row) => {
    const connector = directory.byKey(row.connectorKey);
    if (connector === undefined) return [];
    const { key, reference, createdAt, type, name, defaultAsset, psuId, connectionId, raw } = row;
    const metadata = parseJson(row.metadata) as ObjectMetadata; // only this module writes the column
    const optional = { name, defaultAsset, psuId, connectionId };
    return [given({ key, connector, reference, createdAt, type, metadata, raw, ...optional })];
  });
}
