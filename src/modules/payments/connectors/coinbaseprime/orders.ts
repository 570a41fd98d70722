import { z } from "zod";
import {
  fractionOf,
  minorUnits,
  OptionalDecimal,
  type PrimeAssets,
  withDecimals,
} from "./assets.ts";
import type { Progressing } from "./lists.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import type { OrderStatus, OrderType, TimeInForce } from "#modules/payments/core/enums.ts";
import { stringifyJson } from "#platform/json.ts";

export const TYPES: Readonly<Record<string, OrderType>> = {
  MARKET: "MARKET",
  LIMIT: "LIMIT",
  TWAP: "TWAP",
  VWAP: "VWAP",
  BLOCK: "BLOCK",
  STOP_LIMIT: "STOP_LIMIT",
  RFQ: "RFQ",
  PEG: "PEG",
};

export const STATUSES: Readonly<Record<string, OrderStatus>> = {
  PENDING: "PENDING",
  OPEN: "OPEN",
  FILLED: "FILLED",
  CANCELLED: "CANCELLED",
  EXPIRED: "EXPIRED",
  FAILED: "FAILED",
};

const TIMES: Readonly<Record<string, TimeInForce>> = {
  GOOD_UNTIL_CANCELLED: "GOOD_UNTIL_CANCELLED",
  GOOD_UNTIL_DATE_TIME: "GOOD_UNTIL_DATE_TIME",
  IMMEDIATE_OR_CANCEL: "IMMEDIATE_OR_CANCEL",
  FILL_OR_KILL: "FILL_OR_KILL",
};

const Order = z.object({
  id: kit.Text,
  product_id: z.string().regex(/^[^-]+-[^-]+$/),
  side: z.enum(["BUY", "SELL"]),
  client_order_id: kit.OptionalText,
  type: kit.Text,
  base_quantity: OptionalDecimal,
  quote_value: OptionalDecimal,
  limit_price: OptionalDecimal,
  stop_price: OptionalDecimal,
  expiry_time: z.union([z.literal(""), kit.Date3339]).nullish(),
  status: kit.Text,
  time_in_force: kit.OptionalText,
  created_at: kit.Date3339,
  filled_quantity: OptionalDecimal,
  filled_value: OptionalDecimal,
  average_filled_price: OptionalDecimal,
  commission: OptionalDecimal,
});
type Order = z.output<typeof Order>;

/** An order. The provider does not say when it changed: its states follow each other by what they say. */
export function toOrder(value: unknown, assets: PrimeAssets): Progressing<ProviderOrder> {
  const order = kit.parseObject(Order, value, "an order");
  const [base = "", quote = ""] = order.product_id.split("-", 2);
  const type = kit.rowOf(TYPES, order.type);
  const status = statusOf(order);
  if (type === undefined) throw new kit.InvalidObjectError(`the type ${order.type} is not known`);
  if (status === undefined)
    throw new kit.InvalidObjectError(`the status ${order.status} is not known`);
  const amounts = amountsOf(order, { assets, base, quote });
  const [sourceAsset, destinationAsset] =
    order.side === "BUY" ? [amounts.quote, amounts.base] : [amounts.base, amounts.quote];
  const item: ProviderOrder = {
    reference: order.id,
    createdAt: order.created_at,
    updatedAt: order.created_at,
    direction: order.side,
    sourceAsset,
    destinationAsset,
    type,
    status,
    timeInForce: kit.rowOf(TIMES, order.time_in_force) ?? defaultTime(type),
    ...kit.given({
      clientOrderId: order.client_order_id,
      expiresAt: order.expiry_time || undefined,
    }),
    ...amounts.values,
    metadata: { product_id: order.product_id },
    raw: stringifyJson(value),
  };
  const isOpen = status === "OPEN" || status === "PARTIALLY_FILLED" || status === "PENDING";
  return { item, createdAt: order.created_at, isOpen };
}

/** An order that is open and has been filled in part is so called. */
function statusOf({ status, filled_quantity }: Order): OrderStatus | undefined {
  const known = kit.rowOf(STATUSES, status);
  const isPartial = known === "OPEN" && /[1-9]/.test(filled_quantity ?? "");
  return isPartial ? "PARTIALLY_FILLED" : known;
}

/** What the provider leaves out: an order at the market waits for nothing. */
const defaultTime = (type: OrderType): TimeInForce =>
  type === "MARKET" ? "IMMEDIATE_OR_CANCEL" : "GOOD_UNTIL_CANCELLED";

/** Quantities are in the base asset, values and the commission in the quote asset. Prices share one number of decimals, which loses nothing. */
function amountsOf(
  order: Order,
  {
    assets,
    base,
    quote,
  }: { readonly assets: PrimeAssets; readonly base: string; readonly quote: string },
) {
  const { base_quantity, filled_quantity, filled_value, quote_value, commission } = order;
  const { limit_price, stop_price, average_filled_price } = order;
  const quantities = unitsOf(assets.decimalsOf(base), [base_quantity, filled_quantity]);
  const value = filled_value ?? quote_value;
  const quoteAmount = value === undefined ? undefined : assets.amountOf(value, quote);
  const fee = commission === undefined ? undefined : assets.amountOf(commission, quote);
  const prices = unitsOf(assets.decimalsOf(quote), [limit_price, stop_price, average_filled_price]);
  const [baseQuantityOrdered, baseQuantityFilled] = quantities.units;
  const [limitPrice, stopPrice, averageFillPrice] = prices.units;
  return {
    base: withDecimals(base, quantities.decimals),
    quote: withDecimals(quote, assets.decimalsOf(quote)),
    values: {
      // An order of a value has no quantity until it is filled.
      baseQuantityOrdered: baseQuantityOrdered ?? baseQuantityFilled ?? 0n,
      ...kit.given({ baseQuantityFilled, limitPrice, stopPrice, averageFillPrice }),
      ...(averageFillPrice === undefined
        ? {}
        : { priceAsset: withDecimals(quote, prices.decimals) }),
      ...(quoteAmount === undefined
        ? {}
        : { quoteAmount: quoteAmount.amount, quoteAsset: quoteAmount.asset }),
      ...(fee === undefined ? {} : { fee: fee.amount, feeAsset: fee.asset }),
    },
  };
}

/** Decimal numbers in units that have at least so many decimals, and all decimals of each number. */
function unitsOf(least: number, texts: readonly (string | undefined)[]) {
  const decimals = Math.max(least, ...texts.map((text) => fractionOf(text ?? "")));
  const units = texts.map((text) => (text === undefined ? undefined : minorUnits(text, decimals)));
  return { decimals, units };
}
