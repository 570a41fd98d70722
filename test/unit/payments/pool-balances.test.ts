import { beforeAll, expect, test } from "vitest";
import { ACCOUNT_LAYOUT } from "#modules/payments/core/bloom/account-layout.ts";
import { decodeOwnedId } from "#modules/payments/core/ids.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

/** The number of accounts, and of balances of an asset: more than are read at a time. */
const COUNT = 10_007;
const STATIC = "11111111-0000-4000-8000-000000000001";
const DYNAMIC = "11111111-0000-4000-8000-000000000002";

let world: IngestWorld;
beforeAll(() => {
  world = new IngestWorld();
  const { key } = world.connector;
  const fill = (text: string) =>
    world.d1.rows(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT - 1}) ${text}`,
    );
  // Accounts are stored in another order than that of lists, and many share a time of creation.
  fill(`INSERT INTO payment_accounts (connector_key, reference, created_at, type, default_asset, metadata, metadata_bits, raw)
    SELECT ${key}, 'acc-' || i, '${at(0)}' || (i * 7919 % 100), 'INTERNAL', iif(i % 10 = 0, 'USD/2', 'EUR/2'), '{}', 0, '{}' FROM n`);
  // The index says of every block that it may contain accounts that pass a filter.
  fill(
    `INSERT OR IGNORE INTO payment_account_segments SELECT (i + 1) / ${ACCOUNT_LAYOUT.rowsPerBlock}, ${Array(ACCOUNT_LAYOUT.wordCount).fill("-1").join()} FROM n`,
  );
  const balances = (asset: string, amount: string, open: boolean) =>
    fill(`INSERT INTO payment_balances (connector_key, account_reference, asset, amount, created_at, last_updated_at, is_open)
      SELECT ${key}, 'acc-' || i, '${asset}', ${amount}, '${open ? at(10) : at(0)}', '${open ? at(20) : at(10)}', ${open ? 1 : 0} FROM n`);
  balances("EUR/2", "i", true);
  balances("EUR/2", "1000 + i", false);
  balances("JPY", "-1", true);
  const pool = (id: string, query: object | undefined) =>
    world.d1.rows(
      "INSERT INTO payment_pools (id, name, type, query, created_at, change_id) VALUES (?, ?, ?, ?, '', '')",
      id,
      id,
      query === undefined ? "STATIC" : "DYNAMIC",
      query === undefined ? null : stringifyJson(query),
    );
  pool(STATIC, undefined);
  pool(DYNAMIC, { $match: { default_asset: "EUR/2" } });
  world.d1.rows(
    "INSERT INTO payment_pool_accounts (pool_key, connector_key, account_reference) VALUES (1, ?, 'acc-7'), (1, ?, 'acc-3')",
    key,
    key,
  );
});

const balancesOf = async (poolId: string, moment?: Timestamp) => {
  const found = await poolBalances(
    world.context,
    moment === undefined ? { poolId } : { poolId, at: moment },
  );
  return found.map(({ asset, amount, accountIds }) => ({
    asset,
    amount,
    accounts: accountIds.map((id) => decodeOwnedId(id)?.reference),
  }));
};

const PLACES = Array.from({ length: COUNT }, (_, place) => place).filter((at) => at % 10 !== 0);
const NAMES = PLACES.map((place) => `acc-${place}`);
const SUM = BigInt(PLACES.reduce((sum, place) => sum + place, 0));

test("a dynamic pool has the balances of all accounts that its filter finds, as they were stored", async () => {
  expect(await balancesOf(DYNAMIC)).toEqual([
    { asset: "EUR/2", amount: SUM, accounts: NAMES },
    { asset: "JPY", amount: -BigInt(NAMES.length), accounts: NAMES },
  ]);
  expect(await balancesOf(DYNAMIC, at(5))).toEqual([
    { asset: "EUR/2", amount: SUM + 1000n * BigInt(NAMES.length), accounts: NAMES },
  ]);
  expect(await balancesOf(DYNAMIC, at(21))).toEqual([]);
});

test("a static pool has those of its accounts", async () => {
  const accounts = ["acc-3", "acc-7"];
  expect(await balancesOf(STATIC)).toEqual([
    { asset: "EUR/2", amount: 10n, accounts },
    { asset: "JPY", amount: -2n, accounts },
  ]);
  expect(await balancesOf(STATIC, at(10))).toEqual([
    { asset: "EUR/2", amount: 10n, accounts },
    { asset: "JPY", amount: -2n, accounts },
  ]);
});

test("accounts of a dynamic pool come from the blocks that may contain some", async () => {
  const plans: string[] = [];
  world.d1.onStatement = (text, params) => {
    if (!text.includes('"payment_accounts"')) return;
    const steps = world.d1.rows(`EXPLAIN QUERY PLAN ${text}`, ...params);
    plans.push(steps.map(({ detail }) => String(detail)).join("; "));
  };
  await balancesOf(DYNAMIC);
  world.d1.onStatement = () => undefined;
  expect([plans.length, ...new Set(plans)]).toEqual([
    2,
    "SCAN s VIRTUAL TABLE INDEX 1:; SEARCH payment_accounts USING INTEGER PRIMARY KEY (rowid>? AND rowid<?); SEARCH newest USING INDEX payment_balances_open (connector_key=? AND account_reference=?)",
  ]);
});

test("accounts of blocks that contain none which pass the filter are not read", async () => {
  world.d1.exec("CREATE TABLE kept AS SELECT * FROM payment_account_segments");
  world.d1.exec("DELETE FROM payment_account_segments WHERE segment > 0");
  const found = await balancesOf(DYNAMIC);
  world.d1.exec("INSERT OR IGNORE INTO payment_account_segments SELECT * FROM kept");
  expect(found.map(({ accounts }) => accounts.length)).toEqual([13, 13]);
});
