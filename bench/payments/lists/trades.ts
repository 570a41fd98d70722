import { fillBloomBlocks } from "#bench/payments/bloom-blocks.ts";
import {
  ALL,
  filtersBy,
  filtersByAmount,
  filtersByMetadata,
  metadataAt,
  metadataColumnsAt,
  type NamedFilter,
  type PaymentRead,
  readsOf,
} from "#bench/payments/reads.ts";
import { COUNT, createdAt, isOldest, isRare, type ListWorld } from "#bench/payments/world.ts";
import { CONVERSION_LAYOUT, ORDER_LAYOUT } from "#modules/payments/core/bloom/trade-layouts.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { accountHash } from "#modules/payments/core/text-hash.ts";

/** Reads of orders and of conversions. */
export function tradeReads(world: ListWorld): PaymentRead[] {
  fillOrders(world);
  fillConversions(world);
  return [
    ...readsOf(world, {
      name: "orders",
      paths: ["/api/payments/v3/orders"],
      filters: [...commonFilters(world), ...ORDER_FILTERS],
      cursor: { list: "orders" },
    }),
    ...readsOf(world, {
      name: "conversions",
      paths: ["/api/payments/v3/conversions"],
      filters: [...commonFilters(world), ...conversionFilters(world)],
      cursor: { list: "conversions" },
    }),
  ];
}

const assetsAt = (place: number) => ({
  source_asset: isRare(place) ? "DOGE/8" : isOldest(place) ? "GBP/2" : "EUR/2",
  destination_asset: isRare(place) ? "XRP/6" : place % 2 === 0 ? "BTC/8" : "ETH/18",
});

/** The common columns of an order and a conversion. */
const tradeAt = (world: ListWorld, place: number) => ({
  connector_key: world.connectorAt(place).key,
  reference: `trade_${place}`,
  created_at: createdAt(place),
  updated_at: createdAt(place),
  ...assetsAt(place),
  fee: `${amountAt(place)}`,
  fee_asset: "EUR/2",
  source_reference: sourceAt(place),
  destination_reference: destinationAt(place),
  ...metadataColumnsAt(place),
});

const amountAt = (place: number) => BigInt(place % 100_000);
const sourceAt = (place: number) => `acct_${place % 20_000}`;
const destinationAt = (place: number) => `acct_${place % 77}`;

/** Rows that are stored together, whose bits are combined in their segments. */
const GROUP_SIZE = 16;

const orderAt = (place: number) => ({
  direction: place % 2 === 0 ? "BUY" : "SELL",
  type: isRare(place) ? "PEG" : place % 3 === 0 ? "MARKET" : "LIMIT",
  status: isRare(place) ? "FAILED" : place % 20 === 0 ? "CANCELLED" : "FILLED",
  time_in_force: isRare(place) ? "FILL_OR_KILL" : "GOOD_UNTIL_CANCELLED",
});

const limitAt = (place: number) => (place % 3 === 0 ? null : amountAt(place));

function fillOrders(world: ListWorld): void {
  world.insert("payment_orders", COUNT, (place) => ({
    ...tradeAt(world, place),
    ...orderAt(place),
    client_order_id: `client_${place}`,
    base_quantity_ordered: `${amountAt(place)}`,
    base_quantity_filled: `${amountAt(place)}`,
    limit_price: limitAt(place)?.toString() ?? null,
    quote_amount: `${place}`,
    quote_asset: "EUR/2",
    average_fill_price: `${place}`,
    price_asset: "EUR/2",
  }));
  fillBloomBlocks(world, {
    table: "payment_order_segments",
    layout: ORDER_LAYOUT,
    groupSize: GROUP_SIZE,
    termsAt: (place) =>
      ORDER_LAYOUT.termsOf({
        texts: {
          ...assetsAt(place),
          ...orderAt(place),
          connector_id: world.connectorAt(place).id.reference,
        },
        amounts: {
          base_quantity_ordered: amountAt(place),
          base_quantity_filled: amountAt(place),
          limit_price: limitAt(place),
          fee: amountAt(place),
        },
        metadata: metadataAt(place),
      }),
  });
}

const conversionStatusAt = (place: number) => (isRare(place) ? "FAILED" : "COMPLETED");
const receivedAt = (place: number) => (place % 10 === 0 ? null : amountAt(place));

function fillConversions(world: ListWorld): void {
  world.insert("payment_conversions", COUNT, (place) => ({
    ...tradeAt(world, place),
    source_amount: `${amountAt(place)}`,
    destination_amount: receivedAt(place)?.toString() ?? null,
    source_hash: accountHash(sourceAt(place)),
    destination_hash: accountHash(destinationAt(place)),
    status: conversionStatusAt(place),
    raw: `{"id":"trade_${place}","rate":"1.${place}"}`,
  }));
  fillBloomBlocks(world, {
    table: "payment_conversion_segments",
    layout: CONVERSION_LAYOUT,
    groupSize: GROUP_SIZE,
    termsAt: (place) =>
      CONVERSION_LAYOUT.termsOf({
        texts: {
          ...assetsAt(place),
          status: conversionStatusAt(place),
          connector_id: world.connectorAt(place).id.reference,
          source_account_id: sourceAt(place),
          destination_account_id: destinationAt(place),
        },
        amounts: { source_amount: amountAt(place), destination_amount: receivedAt(place) },
        metadata: metadataAt(place),
      }),
  });
}

function commonFilters({ connector, other, connectors }: ListWorld): NamedFilter[] {
  const connectorId = (place: number) => encodeConnectorId((connectors[place] ?? other).id);
  const own = (reference: string) => encodeOwnedId({ connector: connector.id, reference });
  return [
    ALL,
    ...filtersBy("id", { few: own("trade_0"), none: own("none") }),
    ...filtersBy("reference", { few: "trade_777", none: "none" }),
    ...filtersBy("connector_id", {
      many: connectorId(0),
      few: connectorId(1),
      none: connectorId(2),
    }),
    ...filtersBy("source_asset", { many: "EUR/2", few: "DOGE/8", none: "CHF/2" }),
    {
      name: "source_asset of the oldest",
      hits: "many",
      where: { $match: { source_asset: "GBP/2" } },
    },
    ...filtersBy("destination_asset", { many: "BTC/8", few: "XRP/6", none: "CHF/2" }),
    ...filtersByMetadata(),
    {
      name: "both of two keys",
      hits: "none",
      where: { $and: [{ $match: { source_asset: "GBP/2" } }, { $match: { status: "FAILED" } }] },
    },
    {
      name: "one of two keys",
      hits: "few",
      where: { $or: [{ $match: { source_asset: "DOGE/8" } }, { $match: { status: "FAILED" } }] },
    },
    { name: "one of two values", hits: "few", where: { $in: { status: ["FAILED", "PENDING"] } } },
    { name: "a pattern of none", hits: "none", where: { $like: { source_asset: "%none%" } } },
  ];
}

const ORDER_FILTERS: readonly NamedFilter[] = [
  ...filtersBy("direction", { many: "BUY" }),
  ...filtersBy("type", { many: "LIMIT", few: "PEG", none: "VWAP" }),
  ...filtersBy("status", { many: "FILLED", few: "FAILED", none: "EXPIRED" }),
  ...filtersBy("time_in_force", {
    many: "GOOD_UNTIL_CANCELLED",
    few: "FILL_OR_KILL",
    none: "IMMEDIATE_OR_CANCEL",
  }),
  ...filtersByAmount("base_quantity_ordered"),
  ...filtersByAmount("base_quantity_filled"),
  { name: "nothing filled", hits: "none", where: { $exists: { base_quantity_filled: false } } },
  ...filtersByAmount("limit_price"),
  ...filtersByAmount("fee"),
];

const conversionFilters = ({ connector }: ListWorld): NamedFilter[] => {
  const own = (reference: string) => encodeOwnedId({ connector: connector.id, reference });
  return [
    ...filtersBy("status", { many: "COMPLETED", few: "FAILED", none: "PENDING" }),
    ...filtersBy("source_account_id", { few: own("acct_777"), none: own("none") }),
    ...filtersBy("destination_account_id", { many: own("acct_7"), none: own("none") }),
    ...filtersByAmount("source_amount"),
    ...filtersByAmount("destination_amount"),
    {
      name: "no destination_amount",
      hits: "many",
      where: { $exists: { destination_amount: false } },
    },
  ];
};
