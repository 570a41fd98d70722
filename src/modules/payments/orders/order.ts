import type { ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import type { OrderAdjustmentId, OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

export interface TradeOrder extends Omit<
  ProviderOrder,
  "reference" | "sourceReference" | "destinationReference" | "raw"
> {
  readonly key: number;
  readonly id: OwnedId;
  readonly sourceAccount?: OwnedId;
  readonly destinationAccount?: OwnedId;
}

export interface OrderAdjustment extends OrderAdjustmentId {
  readonly createdAt: Timestamp;
  readonly status: ProviderOrder["status"];
  readonly metadata: Readonly<Record<string, string>>;
  /** The provider's data, as JSON. */
  readonly raw: string;
}

/** An order with its adjustments, oldest first. */
export interface OrderWithAdjustments extends TradeOrder {
  readonly adjustments: readonly OrderAdjustment[];
}
