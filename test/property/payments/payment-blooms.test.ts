import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { addPaymentMetadata } from "#modules/payments/payments/add-metadata.ts";
import { listPayments } from "#modules/payments/payments/list.ts";
import type { Payment } from "#modules/payments/payments/payment.ts";
import { stringifyJson } from "#platform/json.ts";
import { at, payment } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

/** Lists that read only the blocks that may contain matches of a filter show the payments that lists of all rows show. */

const STATUSES = ["PENDING", "SUCCEEDED", "FAILED", "REFUNDED"] as const;
const AMOUNTS = [0n, 7n, 99n, 100n, 12_345n, 10n ** 26n];

const reported = fc.record({
  /** The payment's number, in a small range, so that later reports concern stored payments. */
  place: fc.nat(150),
  status: fc.constantFrom(...STATUSES),
  amount: fc.constantFrom(...AMOUNTS),
  asset: fc.constantFrom("EUR/2", "USD/2"),
  source: fc.constantFrom("a", "b", undefined),
  order: fc.nat(20),
});

const cases = (fits: (item: Payment) => boolean, ...filters: object[]) =>
  filters.map((filter) => ({ filter, fits }));

const CASES = (world: IngestWorld) => [
  ...STATUSES.flatMap((status) =>
    cases((it) => it.status === status, { $match: { status } }, { $and: [{ $match: { status } }] }),
  ),
  ...cases(() => false, { $match: { status: "EXPIRED" } }, { $match: { psu_id: "nobody" } }),
  ...cases(
    (it) => it.asset === "USD/2",
    { $match: { asset: "USD/2" } },
    { $not: { $match: { asset: "EUR/2" } } },
  ),
  ...AMOUNTS.flatMap((limit) => [
    ...cases((it) => it.amount === limit, { $match: { amount: limit } }),
    ...cases((it) => it.amount > limit, { $gt: { amount: limit } }),
    ...cases((it) => it.initialAmount >= limit, { $gte: { initial_amount: limit } }),
    ...cases((it) => it.amount < limit, { $lt: { amount: limit } }),
    ...cases((it) => it.initialAmount <= limit, { $lte: { initial_amount: limit } }),
  ]),
  ...cases((it) => it.amount < -5n, { $lt: { amount: -5 } }),
  ...["a", "none"].flatMap((reference) => {
    const account = encodeOwnedId({ connector: world.connector.id, reference });
    return [
      ...cases(
        (it) => it.sourceAccountId === account,
        { $match: { source_account_id: account } },
        { $in: { source_account_id: [account, "none"] } },
      ),
      ...cases((it) => it.sourceAccountId === account || it.amount > 99n, {
        $or: [{ $match: { source_account_id: account } }, { $gt: { amount: 99 } }],
      }),
      // A payment without a source account matches neither a filter by an account nor its negation.
      ...cases((it) => it.sourceAccountId !== undefined && it.sourceAccountId !== account, {
        $not: { $match: { source_account_id: account } },
      }),
      ...cases(() => false, {
        $match: { source_account_id: encodeOwnedId({ connector: world.other.id, reference }) },
      }),
    ];
  }),
  ...cases(() => true, { $match: { connector_id: encodeConnectorId(world.connector.id) } }),
  ...cases(() => false, { $match: { connector_id: encodeConnectorId(world.other.id) } }),
  ...["3", "21", "x"].flatMap((order) =>
    cases((it) => it.metadata["order"] === order, { $match: { "metadata[order]": order } }),
  ),
  ...cases((it) => it.status === "FAILED" || it.asset === "USD/2", {
    $or: [{ $match: { status: "FAILED" } }, { $match: { asset: "USD/2" } }],
  }),
  ...cases(
    (it) => it.status === "FAILED" || it.status === "REFUNDED",
    { $in: { status: ["FAILED", "REFUNDED"] } },
    { $not: { $in: { status: ["PENDING", "SUCCEEDED"] } } },
    { $not: { $not: { $in: { status: ["FAILED", "REFUNDED", "EXPIRED"] } } } },
    { $not: { $or: [{ $match: { status: "PENDING" } }, { $match: { status: "SUCCEEDED" } }] } },
  ),
  ...cases(
    () => false,
    { $in: { asset: [] } },
    { $not: { $in: { type: ["PAY-IN"] } } },
    { $and: [{ $match: { asset: "EUR/2" } }, { $in: { scheme: ["DOKU", "A2A"] } }] },
  ),
  ...cases((it) => it.amount === 7n || it.amount === 99n, { $in: { amount: [7, 99, 98] } }),
  ...cases((it) => it.amount !== 7n, { $not: { $match: { amount: 7 } } }),
  ...cases((it) => it.initialAmount === 10n ** 26n || it.metadata["order"] === "3", {
    $or: [{ $match: { initial_amount: 10n ** 26n } }, { $in: { "metadata[order]": ["3", "99"] } }],
  }),
  ...cases((it) => (it.status === "FAILED" && it.asset === "EUR/2") || it.amount === 100n, {
    $or: [
      { $and: [{ $match: { status: "FAILED" } }, { $match: { asset: "EUR/2" } }] },
      { $and: [{ $match: { amount: 100 } }, { $gte: { amount: -5 } }] },
    ],
  }),
  ...cases((it) => it.status !== "FAILED" || it.asset !== "EUR/2", {
    $not: { $and: [{ $match: { status: "FAILED" } }, { $match: { asset: "EUR/2" } }] },
  }),
];

const list = async (world: IngestWorld, where?: object) => {
  const { data } = await listPayments(world.context, {
    kind: "column",
    column: "created_at",
    order: "desc",
    pageSize: 1000,
    reverse: false,
    ...(where === undefined ? {} : { where: stringifyJson(where) }),
  });
  return data;
};

test("filters find the same payments with a Bloom index as without", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(reported, { minLength: 1, maxLength: 70 }), { minLength: 1, maxLength: 4 }),
      async (pages) => {
        const world = new IngestWorld();
        for (const [page, reports] of pages.entries()) {
          const payments = reports.map(({ place, source, order, ...fields }, within) =>
            payment(`pay-${place}-${page}-${within}`, {
              ...fields,
              parentReference: `pay-${place}`,
              createdAt: at(page * 100 + within),
              metadata: { order: `${order}` },
              ...(source === undefined ? {} : { sourceReference: source }),
            }),
          );
          await world.store(await world.preparePayments(payments));
        }
        const [first] = await list(world);
        if (first !== undefined) {
          await addPaymentMetadata(world.context, {
            id: { connector: first.connector.id, reference: first.reference, type: first.type },
            metadata: { order: "x" },
          });
        }
        const all = await list(world);
        for (const { filter, fits } of CASES(world)) {
          const found = await list(world, filter);
          expect([filter, found.map(({ reference }) => reference)]).toEqual([
            filter,
            all.filter(fits).map(({ reference }) => reference),
          ]);
        }
      },
    ),
    { numRuns: 8 },
  );
});
