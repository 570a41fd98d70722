import { isProviderAsset } from "#modules/payments/core/assets.ts";
import type {
  ConversionStatus,
  OrderDirection,
  OrderStatus,
  OrderType,
  TimeInForce,
} from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Orders and conversions of a provider of crypto assets. References are the provider's own ids. */

interface TradeObject {
  readonly reference: string;
  readonly createdAt: Timestamp;
  /** When the object reached the reported state. */
  readonly updatedAt: Timestamp;
  readonly sourceAsset: string;
  readonly destinationAsset: string;
  readonly fee?: bigint;
  readonly feeAsset?: string;
  readonly sourceReference?: string;
  readonly destinationReference?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The object as the provider has sent it, as JSON text. */
  readonly raw: string;
}

/** One state of an order. */
export interface ProviderOrder extends TradeObject {
  readonly clientOrderId?: string;
  readonly direction: OrderDirection;
  readonly type: OrderType;
  readonly status: OrderStatus;
  readonly baseQuantityOrdered: bigint;
  readonly baseQuantityFilled?: bigint;
  readonly limitPrice?: bigint;
  readonly stopPrice?: bigint;
  readonly timeInForce: TimeInForce;
  readonly expiresAt?: Timestamp;
  readonly quoteAmount?: bigint;
  readonly quoteAsset?: string;
  readonly averageFillPrice?: bigint;
  readonly priceAsset?: string;
}

/** One state of a conversion of one asset into another. */
export interface ProviderConversion extends TradeObject {
  readonly status: ConversionStatus;
  readonly sourceAmount: bigint;
  readonly destinationAmount?: bigint;
}

/** What is wrong with an order of a provider; undefined for a valid order. A page with an invalid order is not stored. */
export const orderProblem = (order: ProviderOrder): string | undefined =>
  tradeProblem("order", order, [order.quoteAsset, order.priceAsset]);

export const conversionProblem = (conversion: ProviderConversion): string | undefined =>
  tradeProblem("conversion", conversion, []);

function tradeProblem(
  what: string,
  { reference, sourceAsset, destinationAsset, feeAsset }: TradeObject,
  others: readonly (string | undefined)[],
): string | undefined {
  if (reference === "") return `the ${what} has no reference`;
  const bad = [sourceAsset, destinationAsset, feeAsset, ...others].find(
    (asset) => asset !== undefined && !isProviderAsset(asset),
  );
  return bad === undefined
    ? undefined
    : `the ${what} ${reference} has the asset ${bad}, which is not valid`;
}
