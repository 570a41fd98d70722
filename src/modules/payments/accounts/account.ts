import type { paymentAccounts } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorDirectory, ConnectorEntry } from "#modules/payments/installs/directory.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface PaymentAccount {
  /** The key of its row, which orders accounts of the same time. */
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
  /** The provider's or client's data, as JSON. */
  readonly raw: string;
}

/** Turns rows into accounts. Rows of a connector that has been uninstalled are left out, as they are deleted soon. */
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
