import { beforeEach, expect, test, vi } from "vitest";
import { listBalances } from "#modules/payments/balances/list.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { uninstallConnector } from "#modules/payments/lifecycle/remove.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { registerListeners } from "#platform/events/listeners.ts";
import { fromMillis, type Timestamp } from "#platform/time.ts";
import { genericAccount, usePollingBench } from "#test/support/payments/polling-bench.ts";
import { queryOf } from "#test/support/payments/worlds/plan-world.ts";

/** Numbers of accounts: few, and more than the 128 confirmations that may wait at a schedule. */
const FEW = 9;
const MANY = 140;
const bench = usePollingBench();

/** Whether a listener wants events of a type. At first, no type is wanted. */
const wants = vi.fn<(name: string) => boolean>();
registerListeners([{ open: async () => undefined, wants: async ({ name }) => wants(name) }]);

/** The provider's balances other than 5, and its time in seconds. */
let amounts: Record<string, number>;
let seconds: number;
let id: ConnectorId;

const START_MS = Date.parse("2026-02-01T00:00:00Z");
const at = (second: number): Timestamp => fromMillis(START_MS + second * 1000);

const WATCHED = ["payment_balances", "payment_balance_confirmations", "outbox"] as const;

beforeEach(() => {
  wants.mockReset().mockReturnValue(false);
  [amounts, seconds] = [{}, 0];
});

/** Installs a provider with `accounts` accounts, and polls it for the first time. */
async function install(accounts: number): Promise<void> {
  const ids = Array.from({ length: accounts }, (_, place) => `acc-${place}`);
  bench.answer = ({ pathname, searchParams }) => {
    if (pathname === "/accounts") {
      return Response.json(
        ids
          .slice(
            (Number(searchParams.get("page")) - 1) * 100,
            Number(searchParams.get("page")) * 100,
          )
          .map(genericAccount),
      );
    }
    const of = /^\/accounts\/(.*)\/balances$/.exec(pathname)?.[1];
    return Response.json(
      of === undefined
        ? []
        : {
            id: of,
            accountID: of,
            at: new Date(START_MS + seconds * 1000).toISOString(),
            balances: [{ currency: "EUR/2", amount: String(amounts[of] ?? 5) }],
          },
    );
  };
  id = await bench.world.install("generic");
  await bench.world.settle(id);
  bench.world.d1.exec("CREATE TABLE written (name TEXT, row INTEGER)");
  for (const name of WATCHED) {
    for (const change of ["INSERT", "UPDATE", "DELETE"]) {
      bench.world.d1.exec(
        `CREATE TRIGGER ${name}_${change} AFTER ${change} ON ${name}
         BEGIN INSERT INTO written VALUES ('${name}', 0); END`,
      );
    }
  }
}

/** Polls once more, at a time of the provider. Returns the number of written rows of each table. */
async function poll(second: number): Promise<Record<(typeof WATCHED)[number], number>> {
  seconds = second;
  bench.world.d1.rows("DELETE FROM written");
  await bench.nextPeriod(id);
  const written = (name: string) => bench.world.count("written", `name = '${name}'`);
  return Object.fromEntries(WATCHED.map((name) => [name, written(name)])) as Record<
    (typeof WATCHED)[number],
    number
  >; // an entry for each of `WATCHED`
}

async function intervals(reference: string, options: Record<string, string> = {}) {
  const query = { ...queryOf(undefined), options: { asset: "", from: "", to: "", ...options } };
  const page = await listBalances(bench.world.context, { connector: id, reference }, query);
  return page.data.map(({ amount, createdAt, lastUpdatedAt }) => [
    Number(amount),
    createdAt,
    lastUpdatedAt,
  ]);
}

/** The sum over all accounts, as a pool shows it. */
async function sumAt(moment: Timestamp): Promise<number | undefined> {
  const poolId = "11111111-0000-4000-8000-000000000001";
  bench.world.d1.rows(
    `INSERT OR IGNORE INTO payment_pools (id, name, type, created_at, change_id) VALUES (?, '', 'STATIC', '', '')`,
    poolId,
  );
  bench.world.d1.rows(
    `INSERT OR IGNORE INTO payment_pool_accounts (pool_key, connector_key, account_reference)
     SELECT p.key, a.connector_key, a.reference FROM payment_pools p, payment_accounts a`,
  );
  const [sum] = await poolBalances(bench.world.context, { poolId, at: moment });
  return sum === undefined ? undefined : Number(sum.amount);
}

test("a poll that finds all balances unchanged writes none of them and no event, and reads show when it was", async () => {
  await install(MANY);
  expect(await intervals("acc-0")).toEqual([[5, at(0), at(0)]]);
  const written = await poll(60);
  // The first 129 confirmations do not wait, so their balances are confirmed in a few rows.
  expect(written).toEqual({ payment_balances: 0, payment_balance_confirmations: 3, outbox: 0 });
  for (const account of ["acc-0", "acc-127", "acc-139"]) {
    expect(await intervals(account)).toEqual([[5, at(0), at(60)]]);
    expect(await intervals(account, { from: at(60) })).toHaveLength(1);
    expect(await intervals(account, { from: at(61) })).toEqual([]);
  }
  await poll(120);
  for (const account of ["acc-0", "acc-127", "acc-139"]) {
    expect(await intervals(account)).toEqual([[5, at(0), at(120)]]);
  }
  expect(bench.schedule("FETCH_ACCOUNTS")).toMatchObject({ last_items: 0 });
  // Balances and their confirmations are removed with the connector.
  await uninstallConnector(bench.world.context, id);
  await bench.world.settle(id);
  expect(bench.world.count("payment_balances")).toBe(0);
  expect(bench.world.count("payment_balance_confirmations")).toBe(0);
});

test("a pool has what its accounts held between two confirmations, and nothing after the last one", async () => {
  await install(FEW);
  await poll(60);
  await poll(120);
  expect(await sumAt(at(-1))).toBeUndefined();
  for (const second of [0, 30, 60, 90, 120]) expect(await sumAt(at(second))).toBe(5 * FEW);
  expect(await sumAt(at(121))).toBeUndefined();
});

test("a balance that changes, and then returns, has an interval for each amount; no other one is written", async () => {
  await install(FEW);
  await poll(60);
  amounts = { "acc-7": 8 };
  // Two rows of balances are written, the open one and the new one, and in any case an event.
  expect(await poll(120)).toMatchObject({ payment_balances: 2, outbox: 1 });
  expect(bench.schedule("FETCH_ACCOUNTS")).toMatchObject({ last_items: 1 });
  expect(await poll(180)).toMatchObject({ payment_balances: 0, outbox: 0 });
  amounts = {};
  expect(await poll(240)).toMatchObject({ payment_balances: 2, outbox: 1 });
  await poll(300);
  expect(await intervals("acc-7")).toEqual([
    [5, at(240), at(300)],
    [8, at(120), at(240)],
    [5, at(0), at(120)],
  ]);
  expect(await intervals("acc-8")).toEqual([[5, at(0), at(300)]]);
  for (const [second, amount] of [
    [60, 5],
    [120, 8],
    [200, 8],
    [300, 5],
  ] as const) {
    expect(await sumAt(at(second))).toBe(5 * (FEW - 1) + amount);
  }
});

test("a report that is older than the last confirmation is ignored", async () => {
  await install(FEW);
  await poll(60);
  amounts = { "acc-7": 8 };
  expect(await poll(30)).toMatchObject({ payment_balances: 0, outbox: 0 });
  expect(await intervals("acc-7")).toEqual([[5, at(0), at(60)]]);
});

test("confirmations have events where anybody takes them", async () => {
  await install(FEW);
  wants.mockImplementation((name) => name === "payments.saved_balance");
  expect(await poll(60)).toMatchObject({ payment_balances: 0, outbox: FEW });
  const [event] = bench.world.d1.rows("SELECT event FROM outbox ORDER BY sequence DESC LIMIT 1");
  expect(JSON.parse(String(event?.["event"]))).toMatchObject({
    type: "SAVED_BALANCE",
    payload: { lastUpdatedAt: "2026-02-01T00:01:00Z", createdAt: "2026-02-01T00:00:00Z" },
  });
});
