import { fillAccounts } from "./accounts.ts";
import { ALL, filtersBy, type PaymentRead, plainRead, readsOf } from "#bench/payments/reads.ts";
import { COUNT, createdAt, type ListWorld, uuidAt } from "#bench/payments/world.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { POOL_ACCOUNTS_MAX } from "#modules/payments/pools/pool.ts";
import { stringifyJson } from "#platform/json.ts";
import { at } from "#test/support/payments/provider-objects.ts";

/** Dynamic pools, whose accounts are found by filters. They come after the first pool, which has the most possible accounts. */
const DYNAMIC = [
  ["few accounts", { $match: { default_asset: "JPY" } }],
  ["no accounts", { $match: { default_asset: "CHF/2" } }],
  ["accounts of a user", { $match: { psu_id: "user-770" } }],
  ["accounts with metadata", { $match: { "metadata[order]": "777" } }],
  ["a hundredth of all accounts", { $match: { default_asset: "GBP/2" } }],
] as const;

/** Reads of pools, and of the balances of some pools. */
export function poolReads(world: ListWorld): PaymentRead[] {
  fillAccounts(world);
  fillPools(world);
  fillBalances(world);
  const account = (reference: string) =>
    encodeOwnedId({ connector: world.connector.id, reference });
  return [
    ...readsOf(world, {
      name: "pools",
      paths: ["/api/payments/v3/pools", "/api/payments/pools"],
      filters: [
        ALL,
        ...filtersBy("id", { few: uuidAt(77), none: "none" }),
        ...filtersBy("name", { few: "Pool 77", none: "none" }),
        { name: "a pattern of no name", hits: "none", where: { $like: { name: "%none%" } } },
        ...filtersBy("account_id", {
          many: account("acc_0"),
          few: account("acc_40"),
          none: account("none"),
        }),
      ],
      cursor: { list: "pools" },
    }),
    ...balanceReads(world),
  ];
}

function balanceReads(world: ListWorld): PaymentRead[] {
  const names = [
    `${POOL_ACCOUNTS_MAX} accounts`,
    ...DYNAMIC.map(([name]) => `a filter of ${name}`),
  ];
  return names.flatMap((name, place) =>
    ["v3/pools", "pools"].flatMap((pools) => {
      const path = `/api/payments/${pools}/${uuidAt(place)}/balances`;
      const generation = pools === "pools" ? "v1" : "v3";
      return [
        { when: "latest", url: `${path}/latest` },
        { when: "at a time", url: `${path}?at=${encodeURIComponent(at(COUNT / 2))}` },
      ].map(({ when, url }) =>
        plainRead(world, {
          list: "balances of a pool",
          name: `${generation}, ${name}, ${when}`,
          path: url,
        }),
      );
    }),
  );
}

function fillPools(world: ListWorld): void {
  world.insert("payment_pools", COUNT, (place) => {
    const filter = DYNAMIC[place - 1]?.[1];
    return {
      id: uuidAt(place),
      name: `Pool ${place}`,
      type: filter === undefined ? "STATIC" : "DYNAMIC",
      query: filter === undefined ? null : stringifyJson(filter),
      created_at: createdAt(place),
      change_id: uuidAt(place),
    };
  });
  const link = (count: number, linkAt: (place: number) => { pool: number; account: number }) =>
    world.insert("payment_pool_accounts", count, (place) => {
      const { pool, account } = linkAt(place);
      return {
        pool_key: pool + 1,
        connector_key: world.connector.key,
        account_reference: `acc_${account}`,
      };
    });
  link(POOL_ACCOUNTS_MAX, (place) => ({ pool: 0, account: place }));
  // Every tenth pool has the first account, and each pool has an account of its own.
  link(COUNT / 10, (place) => ({ pool: place * 10 + 9, account: 0 }));
  link(COUNT - 10, (place) => ({ pool: place + 10, account: place + 1 }));
}

/**
 * Fills the table of balances: an account of the largest pool has had a hundred balances in each of two assets, any other account has one.
 */
function fillBalances(world: ListWorld): void {
  const times = 100;
  world.insert("payment_balances", POOL_ACCOUNTS_MAX * 2 * times, (place) => {
    const time = place % times;
    const account = Math.floor(place / times / 2);
    return {
      connector_key: world.connector.key,
      account_reference: `acc_${account}`,
      asset: Math.floor(place / times) % 2 === 0 ? "EUR/2" : "USD/2",
      amount: `${place}`,
      created_at: at((time * COUNT) / times),
      last_updated_at: at(((time + 1) * COUNT) / times),
      is_open: time === times - 1 ? 1 : 0,
    };
  });
  world.insert("payment_balances", COUNT - POOL_ACCOUNTS_MAX, (place) => ({
    connector_key: world.connectorAt(place + POOL_ACCOUNTS_MAX).key,
    account_reference: `acc_${place + POOL_ACCOUNTS_MAX}`,
    asset: "EUR/2",
    amount: `${place}`,
    created_at: at(0),
    last_updated_at: at(COUNT),
    is_open: 1,
  }));
}
