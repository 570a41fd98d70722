import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Conversion } from "#modules/payments/conversions/conversion.ts";
import { prepareConversions } from "#modules/payments/conversions/ingestion.ts";
import { listConversions } from "#modules/payments/conversions/list.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { prepareOrders } from "#modules/payments/orders/ingestion.ts";
import { listOrders } from "#modules/payments/orders/list.ts";
import type { TradeOrder } from "#modules/payments/orders/order.ts";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { conversion, order } from "#test/support/payments/provider-orders.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

/** Lists that read only the blocks that may contain matches of a filter show the trades that lists of all rows show. */

const AMOUNTS = [0n, 7n, 99n, 10n ** 26n];

/** Members of all trades. Numbers are in a small range, so that later reports, and late ones, concern stored trades. */
const common = {
  place: fc.nat(60),
  seconds: fc.nat(20),
  tier: fc.constantFrom("1", "2"),
  sourceAsset: fc.constantFrom("EUR/2", "USD/2"),
};
const amount = fc.constantFrom(...AMOUNTS);
const reportedOrder = fc.record(
  {
    ...common,
    status: fc.constantFrom("OPEN" as const, "FILLED" as const, "FAILED" as const),
    baseQuantityFilled: amount,
    fee: amount,
    limitPrice: amount,
  },
  { requiredKeys: ["place", "seconds", "tier", "sourceAsset", "status"] },
);
const reportedConversion = fc.record(
  {
    ...common,
    sourceReference: fc.constantFrom("a", "b"),
    status: fc.constantFrom("PENDING" as const, "COMPLETED" as const, "FAILED" as const),
    destinationAmount: amount,
  },
  { requiredKeys: ["place", "seconds", "tier", "sourceAsset", "status", "sourceReference"] },
);

const pagesOf = <T>(reported: fc.Arbitrary<T>) =>
  fc.array(fc.array(reported, { minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 4 });

interface FilterCase<Item> {
  readonly filter: object;
  readonly fits: (item: Item) => boolean;
}

const queryOf = (filter?: object): PageQuery => ({
  kind: "column",
  column: "created_at",
  order: "desc",
  pageSize: 1000,
  reverse: false,
  ...(filter === undefined ? {} : { where: stringifyJson(filter) }),
});

async function assertSame<Item extends { readonly id: OwnedId }>(
  list: (query: PageQuery) => Promise<{ readonly data: readonly Item[] }>,
  cases: readonly FilterCase<Item>[],
): Promise<void> {
  const { data: all } = await list(queryOf());
  for (const { filter, fits } of cases) {
    const { data: found } = await list(queryOf(filter));
    expect([filter, found.map(({ id }) => id.reference)]).toEqual([
      filter,
      all.filter(fits).map(({ id }) => id.reference),
    ]);
  }
}

const ofBoth: readonly FilterCase<TradeOrder | Conversion>[] = [
  { filter: { $match: { status: "FAILED" } }, fits: ({ status }) => status === "FAILED" },
  { filter: { $not: { $match: { status: "FAILED" } } }, fits: ({ status }) => status !== "FAILED" },
  { filter: { $match: { source_asset: "USD/2" } }, fits: (it) => it.sourceAsset === "USD/2" },
  { filter: { $match: { destination_asset: "CHF/2" } }, fits: () => false },
  { filter: { $match: { "metadata[tier]": "2" } }, fits: (it) => it.metadata["tier"] === "2" },
];

test("filters of orders find the same with a Bloom index as without", async () => {
  const cases: readonly FilterCase<TradeOrder>[] = [
    ...ofBoth,
    ...AMOUNTS.flatMap((limit): FilterCase<TradeOrder>[] => [
      {
        filter: { $match: { base_quantity_filled: limit } },
        fits: (it) => it.baseQuantityFilled === limit,
      },
      { filter: { $gt: { fee: limit } }, fits: ({ fee }) => fee !== undefined && fee > limit },
      {
        filter: { $gte: { limit_price: limit } },
        fits: ({ limitPrice }) => limitPrice !== undefined && limitPrice >= limit,
      },
    ]),
    { filter: { $exists: { fee: false } }, fits: ({ fee }) => fee === undefined },
    { filter: { $in: { type: ["PEG", "VWAP"] } }, fits: () => false },
  ];
  await fc.assert(
    fc.asyncProperty(pagesOf(reportedOrder), async (pages) => {
      const world = new IngestWorld();
      for (const reports of pages) {
        const orders = reports.map(({ place, seconds, tier, ...fields }) =>
          order({
            ...fields,
            reference: `order-${place}`,
            updatedAt: at(seconds),
            metadata: { tier },
          }),
        );
        const { context, connector } = world;
        await world.store(await prepareOrders(context, { connector, orders }));
      }
      await assertSame((query) => listOrders(world.context, query), cases);
    }),
    { numRuns: 8 },
  );
});

test("filters of conversions find the same with a Bloom index as without", async () => {
  await fc.assert(
    fc.asyncProperty(pagesOf(reportedConversion), async (pages) => {
      const world = new IngestWorld();
      const { context, connector } = world;
      for (const reports of pages) {
        const conversions = reports.map(({ place, seconds, tier, ...fields }) =>
          conversion({
            ...fields,
            reference: `conv-${place}`,
            updatedAt: at(seconds),
            metadata: { tier },
          }),
        );
        await world.store(await prepareConversions(context, { connector, conversions }));
      }
      const account = encodeOwnedId({ connector: connector.id, reference: "a" });
      await assertSame(
        (query) => listConversions(context, query),
        [
          ...ofBoth,
          ...AMOUNTS.map((limit): FilterCase<Conversion> => ({
            filter: { $gt: { destination_amount: limit } },
            fits: ({ destinationAmount: it }) => it !== undefined && it > limit,
          })),
          {
            filter: { $match: { source_account_id: account } },
            fits: ({ sourceAccount }) => sourceAccount?.reference === "a",
          },
        ],
      );
    }),
    { numRuns: 8 },
  );
});
