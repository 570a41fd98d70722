import type {
  ProviderConversion,
  ProviderOrder,
} from "#modules/payments/connectors/provider-orders.ts";
import { at } from "#test/support/payments/provider-objects.ts";

export const order = (fields: Partial<ProviderOrder> = {}): ProviderOrder => ({
  reference: "order-1",
  createdAt: at(0),
  updatedAt: at(0),
  direction: "BUY",
  sourceAsset: "EUR/2",
  destinationAsset: "BTC/8",
  type: "LIMIT",
  status: "OPEN",
  baseQuantityOrdered: 10n ** 20n,
  timeInForce: "GOOD_UNTIL_CANCELLED",
  metadata: {},
  raw: `{"status":"${fields.status ?? "OPEN"}"}`,
  ...fields,
});

export const conversion = (fields: Partial<ProviderConversion> = {}): ProviderConversion => ({
  reference: "conv-1",
  createdAt: at(0),
  updatedAt: at(0),
  sourceAsset: "EUR/2",
  destinationAsset: "BTC/8",
  sourceAmount: 10n ** 20n,
  status: "PENDING",
  metadata: {},
  raw: "{}",
  ...fields,
});
