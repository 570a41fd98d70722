import { fillBloomBlocks } from "#bench/payments/bloom-blocks.ts";
import {
  ALL,
  filtersBy,
  filtersByMetadata,
  metadataAt,
  metadataColumnsAt,
  type NamedFilter,
  type PaymentRead,
  readsOf,
} from "#bench/payments/reads.ts";
import { COUNT, createdAt, isOldest, isRare, type ListWorld } from "#bench/payments/world.ts";
import { ACCOUNT_LAYOUT } from "#modules/payments/core/bloom/account-layout.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { at } from "#test/support/payments/provider-objects.ts";

/** Reads of accounts, and of the balances of one account over time. */
export function accountReads(world: ListWorld): PaymentRead[] {
  fillAccounts(world);
  fillBalances(world);
  const account = encodeOwnedId({ connector: world.connector.id, reference: "acc_0" });
  return [
    ...readsOf(world, {
      name: "accounts",
      paths: ["/api/payments/v3/accounts", "/api/payments/accounts"],
      filters: accountFilters(world),
      cursor: { list: "accounts" },
    }),
    ...readsOf(world, {
      name: "balances of an account",
      paths: [
        `/api/payments/v3/accounts/${account}/balances`,
        `/api/payments/accounts/${account}/balances`,
      ],
      filters: BALANCE_FILTERS,
      cursor: { list: "balances" },
    }),
  ];
}

/** Accounts of all kinds, a tenth of them with users, and their blocks. */
export function fillAccounts(world: ListWorld): void {
  world.insert("payment_accounts", COUNT, (place) => ({
    connector_key: world.connectorAt(place).key,
    reference: `acc_${place}`,
    created_at: createdAt(place),
    ...accountAt(place),
    ...metadataColumnsAt(place),
    raw: `{"id":"acc_${place}","bank":"Bank of ${place % 100}"}`,
  }));
  fillBloomBlocks(world, {
    table: "payment_account_segments",
    layout: ACCOUNT_LAYOUT,
    groupSize: 1,
    termsAt: (place) => termsAt(world, place),
  });
}

const accountAt = (place: number) => ({
  type: isRare(place) ? "UNKNOWN" : place % 3 === 0 ? "EXTERNAL" : "INTERNAL",
  name: isRare(place) ? "The only one" : `Account ${place % 50_000}`,
  default_asset: isRare(place) ? "JPY" : isOldest(place) ? "GBP/2" : "EUR/2",
  psu_id: place % 10 === 0 ? `user-${place % 40_000}` : null,
  connection_id: place % 10 === 0 ? `connection-${place % 40_000}` : null,
});

function termsAt(world: ListWorld, place: number): string[] {
  const { connection_id, ...texts } = accountAt(place);
  return ACCOUNT_LAYOUT.termsOf({
    texts: {
      ...texts,
      open_banking_connection_id: connection_id,
      connector_id: world.connectorAt(place).id.reference,
    },
    metadata: metadataAt(place),
  });
}

function accountFilters({ connector, other, connectors }: ListWorld): NamedFilter[] {
  const connectorId = (place: number) => encodeConnectorId((connectors[place] ?? other).id);
  return [
    ALL,
    ...filtersBy("id", {
      few: encodeOwnedId({ connector: connector.id, reference: "acc_0" }),
      none: encodeOwnedId({ connector: connector.id, reference: "none" }),
    }),
    ...filtersBy("reference", { few: "acc_777", none: "none" }),
    ...filtersBy("connector_id", {
      many: connectorId(0),
      few: connectorId(1),
      none: connectorId(2),
    }),
    ...filtersBy("type", { many: "EXTERNAL", few: "UNKNOWN", none: "OTHER" }),
    ...filtersBy("default_asset", { many: "EUR/2", few: "JPY", none: "CHF/2" }),
    {
      name: "default_asset of the oldest",
      hits: "many",
      where: { $match: { default_asset: "GBP/2" } },
    },
    ...filtersBy("name", { few: "The only one", none: "none" }),
    { name: "name from a text on", hits: "few", where: { $gt: { name: "B" } } },
    ...filtersBy("psu_id", { few: "user-770", none: "none" }),
    ...filtersBy("open_banking_connection_id", { few: "connection-770", none: "none" }),
    ...filtersByMetadata(),
    {
      name: "both of two keys",
      hits: "none",
      where: { $and: [{ $match: { type: "UNKNOWN" } }, { $match: { default_asset: "EUR/2" } }] },
    },
    {
      name: "one of two keys",
      hits: "few",
      where: { $or: [{ $match: { type: "UNKNOWN" } }, { $match: { default_asset: "JPY" } }] },
    },
    {
      name: "one of two values",
      hits: "few",
      where: { $in: { type: ["UNKNOWN", "OTHER"] } },
    },
    {
      name: "a negation of most",
      hits: "few",
      where: { $not: { $in: { type: ["EXTERNAL", "INTERNAL"] } } },
    },
  ];
}

/** The place of the last balance in the asset that few have. */
const LAST_RARE = Array.from({ length: COUNT }, (_, place) => place).findLast(isRare);

/** Fills the table of balances: all are of one account, each of a second. The last balance of each asset is open. */
function fillBalances(world: ListWorld): void {
  world.insert("payment_balances", COUNT, (place) => ({
    connector_key: world.connector.key,
    account_reference: "acc_0",
    asset: assetAt(place),
    amount: `${place}`,
    created_at: at(place),
    last_updated_at: at(place + 2),
    is_open: place >= COUNT - 2 || place === LAST_RARE ? 1 : 0,
  }));
}

const assetAt = (place: number): string =>
  isRare(place) ? "JPY" : place % 2 === 0 ? "EUR/2" : "USD/2";

/** The end of each list of balances; without one, a list ends at the time of its request. */
const to = at(2 * COUNT);

const BALANCE_FILTERS: readonly NamedFilter[] = [
  { name: "all", hits: "many", options: { to } },
  { name: "asset of many", hits: "many", options: { to, asset: "EUR/2" } },
  { name: "asset of few", hits: "few", options: { to, asset: "JPY" } },
  { name: "asset of none", hits: "none", options: { to, asset: "CHF/2" } },
  {
    name: "a time in the middle",
    hits: "few",
    options: { from: at(COUNT / 2), to: at(COUNT / 2 + 5) },
  },
  { name: "the first times", hits: "few", options: { to: at(5) } },
  { name: "before all", hits: "none", options: { to: fromMillis(toMillis(at(0)) - 1000) } },
  { name: "after all", hits: "none", options: { from: at(2 * COUNT), to: at(3 * COUNT) } },
  {
    name: "an asset in the middle",
    hits: "none",
    options: { asset: "CHF/2", from: at(COUNT / 4), to: at(COUNT) },
  },
];
