import {
  ALL,
  filtersBy,
  filtersByAmount,
  filtersByMetadata,
  metadataColumnsAt,
  type NamedFilter,
  type PaymentRead,
  readsOf,
} from "#bench/payments/reads.ts";
import { COUNT, createdAt, isOldest, isRare, type ListWorld } from "#bench/payments/world.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { accountHash } from "#modules/payments/core/signature.ts";

/** Orders and conversions. */
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

/** What both have. */
const tradeAt = (world: ListWorld, place: number) => ({
  connector_key: world.connectorAt(place).key,
  reference: `trade_${place}`,
  created_at: createdAt(place),
  updated_at: createdAt(place),
  source_asset: isRare(place) ? "DOGE/8" : isOldest(place) ? "GBP/2" : "EUR/2",
  destination_asset: isRare(place) ? "XRP/6" : place % 2 === 0 ? "BTC/8" : "ETH/18",
  fee: `${place % 100_000}`,
  fee_asset: "EUR/2",
  source_reference: `acct_${place % 20_000}`,
  destination_reference: `acct_${place % 77}`,
  ...metadataColumnsAt(place),
});

function fillOrders(world: ListWorld): void {
  world.insert("payment_orders", COUNT, (place) => ({
    ...tradeAt(world, place),
    client_order_id: `client_${place}`,
    direction: place % 2 === 0 ? "BUY" : "SELL",
    type: isRare(place) ? "PEG" : place % 3 === 0 ? "MARKET" : "LIMIT",
    status: isRare(place) ? "FAILED" : place % 20 === 0 ? "CANCELLED" : "FILLED",
    base_quantity_ordered: `${place % 100_000}`,
    base_quantity_filled: `${place % 100_000}`,
    limit_price: place % 3 === 0 ? null : `${place % 100_000}`,
    time_in_force: isRare(place) ? "FILL_OR_KILL" : "GOOD_UNTIL_CANCELLED",
    quote_amount: `${place}`,
    quote_asset: "EUR/2",
    average_fill_price: `${place}`,
    price_asset: "EUR/2",
  }));
}

function fillConversions(world: ListWorld): void {
  world.insert("payment_conversions", COUNT, (place) => ({
    ...tradeAt(world, place),
    source_amount: `${place % 100_000}`,
    destination_amount: place % 10 === 0 ? null : `${place % 100_000}`,
    source_hash: accountHash(`acct_${place % 20_000}`),
    destination_hash: accountHash(`acct_${place % 77}`),
    status: isRare(place) ? "FAILED" : "COMPLETED",
    raw: `{"id":"trade_${place}","rate":"1.${place}"}`,
  }));
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
