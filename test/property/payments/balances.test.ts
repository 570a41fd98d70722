import * as fc from "fast-check";
import { expect, test } from "vitest";
import { listBalances } from "#modules/payments/balances/list.ts";
import type { ListOptions } from "#platform/paging/query.ts";
import { at, balance } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

/** Lists of balances with a filter, which the open balances may answer alone, show the matches of the whole list. */

const ASSETS = ["EUR/2", "USD/2", "JPY"] as const;
const SECONDS_MAX = 20;

const reported = fc.record({
  account: fc.constantFrom("a", "b"),
  asset: fc.constantFrom(...ASSETS.slice(0, 2)),
  amount: fc.bigInt({ min: 0n, max: 2n }),
  seconds: fc.nat(SECONDS_MAX),
});

const bound = fc.option(fc.nat(SECONDS_MAX + 2), { nil: undefined });
const narrowing = fc.record({
  account: fc.constantFrom("a", "b", "none"),
  asset: fc.constantFrom(undefined, ...ASSETS),
  from: bound,
  to: bound,
});

const list = async (world: IngestWorld, reference: string, options: ListOptions) => {
  const account = { connector: world.connector.id, reference };
  const { data } = await listBalances(world.context, account, {
    kind: "column",
    column: "created_at",
    order: "desc",
    pageSize: 1000,
    reverse: false,
    options,
  });
  return data;
};

test("balances of an asset and of a time are those of the whole list", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reported, { maxLength: 30 }),
      fc.array(narrowing, { minLength: 1, maxLength: 20 }),
      async (reports, narrowings) => {
        const world = new IngestWorld();
        const balances = reports
          .toSorted((a, b) => a.seconds - b.seconds)
          .map(({ account, asset, amount, seconds }) => ({
            ...balance(amount, seconds, asset),
            accountReference: account,
          }));
        await world.store(await world.prepareBalances(balances));
        for (const { account, asset, from, to } of narrowings) {
          const found = await list(world, account, {
            asset: asset ?? "",
            from: from === undefined ? "" : at(from),
            to: to === undefined ? "" : at(to),
          });
          const all = await list(world, account, {});
          const fitting = all.filter(
            (it) =>
              (asset === undefined || it.asset === asset) &&
              (from === undefined || it.lastUpdatedAt >= at(from)) &&
              (to === undefined || it.createdAt <= at(to)),
          );
          expect(found).toEqual(fitting);
        }
      },
    ),
    { numRuns: 20 },
  );
});
