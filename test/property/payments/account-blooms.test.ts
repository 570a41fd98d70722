import * as fc from "fast-check";
import { expect, test } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { listAccounts } from "#modules/payments/accounts/list.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import { decodeOwnedId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { removeOwnedRows } from "#modules/payments/lifecycle/owned-rows.ts";
import { OWNED_ROWS } from "#modules/payments/owned-rows.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { matchingAccounts } from "#modules/payments/pools/dynamic.ts";
import { stringifyJson } from "#platform/json.ts";
import { account } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

/**
 * Lists and dynamic pools read only the blocks that may contain matches of a filter. They must find the accounts that a scan of
 * all rows finds.
 */

const POOL = "11111111-0000-4000-8000-000000000001";

const reported = fc.record(
  {
    place: fc.nat(120),
    defaultAsset: fc.constantFrom("EUR/2", "USD/2"),
    name: fc.constantFrom("Main", "Other"),
    psuId: fc.constantFrom("u1", "u2"),
    connectionId: fc.constantFrom("c1"),
    metadata: fc.dictionary(fc.constantFrom("order", "tier"), fc.constantFrom("1", "2"), {
      maxKeys: 2,
    }),
  },
  { requiredKeys: ["place", "metadata"] },
);

const page = fc.record({
  isOther: fc.boolean(),
  type: fc.constantFrom<AccountType>("INTERNAL", "EXTERNAL"),
  /** Whether another page is stored after this page was prepared and before it is stored. */
  isLate: fc.boolean(),
  accounts: fc.array(reported, { minLength: 1, maxLength: 40 }),
});

interface Stored extends ProviderAccount {
  readonly type: AccountType;
  readonly isOther: boolean;
}

const cases = (fits: (item: Stored) => boolean, ...filters: object[]) =>
  filters.map((filter) => ({ filter, fits }));

const CASES = (world: IngestWorld) => [
  ...cases(
    ({ type }) => type === "EXTERNAL",
    { $match: { type: "EXTERNAL" } },
    { $not: { $in: { type: ["INTERNAL", "UNKNOWN"] } } },
  ),
  ...cases(() => false, { $match: { type: "OTHER" } }, { $match: { name: "Nobody" } }),
  ...cases(({ name }) => name === "Main", { $match: { name: "Main" } }, { $lt: { name: "N" } }),
  ...cases(({ defaultAsset }) => defaultAsset === "USD/2", { $match: { default_asset: "USD/2" } }),
  // An account without an asset matches neither a filter by an asset nor its negation.
  ...cases(({ defaultAsset }) => defaultAsset === "EUR/2", {
    $not: { $match: { default_asset: "USD/2" } },
  }),
  ...cases(({ psuId }) => psuId !== undefined, { $in: { psu_id: ["u1", "u2"] } }),
  ...cases(({ connectionId }) => connectionId === "c1", {
    $match: { open_banking_connection_id: "c1" },
  }),
  ...cases(({ isOther }) => isOther, {
    $match: { connector_id: encodeConnectorId(world.other.id) },
  }),
  ...cases(({ metadata }) => metadata["order"] === "1", { $match: { "metadata[order]": "1" } }),
  ...cases(({ metadata, psuId }) => metadata["tier"] === "2" || psuId === "u1", {
    $or: [{ $match: { "metadata[tier]": "2" } }, { $match: { psu_id: "u1" } }],
  }),
  ...cases(({ name, type }) => name === "Other" && type === "INTERNAL", {
    $and: [{ $match: { name: "Other" } }, { $match: { type: "INTERNAL" } }],
  }),
  ...cases(() => true, {}),
];

/** The accounts that a filter finds in lists, in events of pools, and in balances of pools. */
async function found(world: IngestWorld, filter: object): Promise<string[][]> {
  const where = stringifyJson(filter);
  const { data } = await listAccounts(world.context, {
    kind: "column",
    column: "created_at",
    order: "asc",
    pageSize: 1000,
    reverse: false,
    where,
  });
  world.d1.rows("UPDATE payment_pools SET query = ?", where);
  const [held] = await poolBalances(world.context, { poolId: POOL });
  const named = await matchingAccounts(world.context, where);
  return [
    data.map(({ reference }) => reference),
    named.map(({ reference }) => reference),
    (held?.accountIds ?? []).map(referenceOf),
  ];
}

const referenceOf = (id: string): string => decodeOwnedId(id)?.reference ?? "";

test("filters find the same accounts with a Bloom index as without", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 5 }), async (pages) => {
      const world = new IngestWorld();
      world.d1.rows(
        "INSERT INTO payment_pools (id, name, type, query, created_at, change_id) VALUES (?, '', 'DYNAMIC', '{}', '', '')",
        POOL,
      );
      const stored: Stored[] = [];
      for (const [at, { isOther, type, isLate, accounts }] of pages.entries()) {
        const connector = isOther ? world.other : world.connector;
        const sent = accounts.map(({ place, ...more }) => account(`acc-${at}-${place}`, more));
        const prepared = await prepareAccounts(world.context, { connector, type, accounts: sent });
        if (isLate) {
          const extra = account(`late-${at}`);
          await world.store(await world.prepareAccounts([extra]));
          stored.push({ ...extra, type: "INTERNAL", isOther: false });
        }
        await world.store(prepared);
        const first = [...Map.groupBy(sent, ({ reference }) => reference).values()];
        stored.push(
          ...first.flatMap(([it]) => (it === undefined ? [] : [{ ...it, type, isOther }])),
        );
      }
      for (const { reference, isOther } of stored) {
        world.d1.rows(
          `INSERT INTO payment_balances (connector_key, account_reference, asset, amount, created_at, last_updated_at, is_open)
           VALUES (?, ?, 'EUR/2', '1', '', '', 1)`,
          (isOther ? world.other : world.connector).key,
          reference,
        );
      }
      const check = async (known: readonly Stored[]) => {
        for (const { filter, fits } of CASES(world)) {
          const expected = known.filter(fits).map(({ reference }) => reference);
          expect([filter, ...(await found(world, filter))]).toEqual([
            filter,
            expected,
            expected,
            expected,
          ]);
        }
      };
      await check(stored);
      const removal = {
        connectorKey: world.connector.key,
        ownedRows: OWNED_ROWS,
        untilMs: Infinity,
      };
      await removeOwnedRows(world.d1.db, removal);
      await check(stored.filter(({ isOther }) => isOther));
    }),
    { numRuns: 8 },
  );
});
