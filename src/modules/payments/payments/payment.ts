import { type AdjustmentRow, type PaymentRow, readMetadata } from "./draft.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorDirectory, ConnectorEntry } from "#modules/payments/installs/directory.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Payment {
  /** The key of its row, which orders payments of the same time. */
  readonly key: number;
  readonly connector: ConnectorEntry;
  readonly reference: string;
  readonly type: PaymentType;
  readonly createdAt: Timestamp;
  readonly scheme: PaymentScheme;
  readonly status: PaymentStatus;
  readonly initialAmount: bigint;
  readonly amount: bigint;
  readonly asset: string;
  readonly sourceAccountId?: string;
  readonly destinationAccountId?: string;
  readonly psuId?: string;
  readonly connectionId?: string;
  readonly metadata: ObjectMetadata;
}

/** A state of a payment. */
export interface PaymentAdjustment {
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly status: PaymentStatus;
  readonly amount?: bigint;
  readonly asset?: string;
  readonly metadata: ObjectMetadata;
  /** The provider's or client's data, as JSON. */
  readonly raw: string;
}

export interface PaymentWithAdjustments extends Payment {
  /** The adjustments, newest first. */
  readonly adjustments: readonly PaymentAdjustment[];
}

/** Turns rows into payments. Rows of a connector that has been uninstalled are left out, as they are deleted soon. */
export function toPayments(rows: readonly PaymentRow[], directory: ConnectorDirectory): Payment[] {
  return rows.flatMap((row) => {
    const connector = directory.byKey(row.connectorKey);
    if (connector === undefined) return [];
    const { key, reference, type, createdAt, scheme, status, asset, psuId, connectionId } = row;
    const idOf = (account: string | null) =>
      account === null ? undefined : directory.accountIdOf(account);
    return [
      given({
        key,
        connector,
        reference,
        type,
        createdAt,
        scheme,
        status,
        asset,
        psuId,
        connectionId,
        initialAmount: BigInt(row.initialAmount),
        amount: BigInt(row.amount),
        sourceAccountId: idOf(row.sourceAccount),
        destinationAccountId: idOf(row.destinationAccount),
        metadata: readMetadata(row.metadata),
      }),
    ];
  });
}

export const toAdjustment = (row: AdjustmentRow): PaymentAdjustment => {
  const { reference, createdAt, status, amount, asset, metadata, raw } = row;
  return given({
    reference,
    createdAt,
    status,
    amount: amount === null ? undefined : BigInt(amount),
    asset,
    metadata: readMetadata(metadata),
    raw,
  });
};
