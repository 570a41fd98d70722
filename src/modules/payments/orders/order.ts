import type { ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import type { OrderAdjustmentId, OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

/** An order at a provider as it is shown. */
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
  /** JSON. */
  readonly raw: string;
}

/** With its states, oldest first. */
export interface OrderWithAdjustments extends TradeOrder {
  readonly adjustments: readonly OrderAdjustment[];
}
