import { fillPayments } from "./payments.ts";
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
import { accountHash } from "#modules/payments/core/text-hash.ts";
import { adjustmentKey } from "#modules/payments/initiations/adjustment-keys.ts";
import { at } from "#test/support/payments/provider-objects.ts";

/**
 * Reads of initiations; of the adjustments of an initiation that was retried very often; and of the payments of initiations with all, few
 * and thousands of payments.
 */
export function initiationReads(world: ListWorld): PaymentRead[] {
  fillInitiations(world);
  fillPayments(world);
  fillRelations(world);
  const pathOf = (place: number): string =>
    `/api/payments/v3/payment-initiations/${encodeOwnedId(idAt(world, place))}`;
  return [
    ...readsOf(world, {
      name: "initiations",
      paths: ["/api/payments/v3/payment-initiations", "/api/payments/transfer-initiations"],
      filters: initiationFilters(world),
      cursor: { list: "payment-initiations" },
    }),
    ...readsOf(world, {
      name: "adjustments of an initiation",
      paths: [`${pathOf(0)}/adjustments`],
      filters: [
        ALL,
        ...filtersBy("status", { many: "PROCESSING", few: "REJECTED", none: "REVERSED" }),
        ...filtersByMetadata(),
      ],
      cursor: {
        list: "payment-initiation-adjustments",
        column: "key",
        middle: { value: BigInt(adjustmentKey(1, COUNT / 2)) },
      },
    }),
    ...readsOf(world, {
      name: "payments of an initiation",
      paths: [`${pathOf(0)}/payments`],
      filters: [ALL],
      cursor: { list: "payment-initiation-payments" },
    }),
    ...readsOf(world, {
      name: "payments of initiations with few",
      paths: [`${pathOf(1)}/payments`],
      filters: [{ name: "all", hits: "few" }],
      cursor: { list: "payment-initiation-payments" },
    }),
    ...readsOf(world, {
      name: "payments of initiations with thousands",
      paths: [`${pathOf(2)}/payments`],
      filters: [ALL],
      cursor: { list: "payment-initiation-payments" },
    }),
  ];
}

const idAt = (world: ListWorld, place: number) => ({
  connector: world.connectorAt(place).id,
  reference: `po_${place}`,
});

function fillInitiations(world: ListWorld): void {
  world.insert("payment_initiations", COUNT, (place) => {
    return {
      connector_key: world.connectorAt(place).key,
      reference: `po_${place}`,
      created_at: createdAt(place),
      description: `Invoice ${place}`,
      type: place % 3 === 0 ? "TRANSFER" : "PAYOUT",
      amount: `${place % 100_000}`,
      asset: isRare(place) ? "JPY" : isOldest(place) ? "GBP/2" : "EUR/2",
      source: `acct_${place % 20_000}`,
      destination: `acct_${place % 77}`,
      source_hash: accountHash(`acct_${place % 20_000}`),
      destination_hash: accountHash(`acct_${place % 77}`),
      ...metadataColumnsAt(place),
      creator_issuer: "florin",
      creator_subject: "client",
      status: isRare(place) ? "REJECTED" : place % 20 === 0 ? "FAILED" : "PROCESSED",
      adjusted_at: createdAt(place),
      adjustments: 3,
      attempts: 1,
      was_processed: 1,
      reversed: "0",
      reserved: "0",
    };
  });
}

/** Fills the relations of initiations: the first has all adjustments and as many payments. */
function fillRelations(world: ListWorld): void {
  world.insert("payment_initiation_adjustments", COUNT, (place) => ({
    key: adjustmentKey(1, place),
    initiation_key: 1,
    created_at: at(place),
    status: isRare(place) ? "REJECTED" : place % 2 === 0 ? "PROCESSING" : "FAILED",
    amount: "100",
    ...metadataColumnsAt(place),
  }));
  const relate = (initiation: number, count: number, paymentAt: (place: number) => number) =>
    world.insert("payment_initiation_payments", count, (place) => ({
      initiation_key: initiation,
      payment_key: paymentAt(place),
      created_at: createdAt(place),
      heard_of: 1,
      has_news: 0,
    }));
  relate(1, COUNT, (place) => place + 1);
  relate(2, 3, (place) => (place + 1) * 60_000);
  relate(3, 5000, (place) => (place + 1) * 40);
}

function initiationFilters({ connector, other, connectors }: ListWorld): NamedFilter[] {
  const connectorId = (place: number) => encodeConnectorId((connectors[place] ?? other).id);
  const own = (reference: string) => encodeOwnedId({ connector: connector.id, reference });
  return [
    ALL,
    ...filtersBy("id", { few: own("po_0"), none: own("none") }),
    ...filtersBy("reference", { few: "po_777", none: "none" }),
    ...filtersBy("connector_id", {
      many: connectorId(0),
      few: connectorId(1),
      none: connectorId(2),
    }),
    ...filtersBy("type", { many: "PAYOUT" }),
    ...filtersBy("asset", { many: "EUR/2", few: "JPY", none: "CHF/2" }),
    { name: "asset of the oldest", hits: "many", where: { $match: { asset: "GBP/2" } } },
    ...filtersBy("source_account_id", { few: own("acct_777"), none: own("none") }),
    ...filtersBy("destination_account_id", { many: own("acct_7"), none: own("none") }),
    ...filtersBy("status", { many: "PROCESSED", few: "REJECTED", none: "REVERSED" }),
    ...filtersByAmount("amount"),
    { name: "amount of few", hits: "few", where: { $match: { amount: 77_777 } } },
    ...filtersByMetadata(),
    {
      name: "both of two keys",
      hits: "none",
      where: { $and: [{ $match: { type: "TRANSFER" } }, { $gt: { amount: 1_000_000 } }] },
    },
    {
      name: "many of one key and none of another",
      hits: "none",
      where: { $and: [{ $match: { status: "PROCESSED" } }, { $gt: { amount: 1_000_000 } }] },
    },
    {
      name: "one of two keys",
      hits: "few",
      where: { $or: [{ $match: { status: "REJECTED" } }, { $match: { asset: "JPY" } }] },
    },
    {
      name: "one of two values",
      hits: "few",
      where: { $in: { status: ["REJECTED", "REVERSED"] } },
    },
    {
      name: "one of two values that most have",
      hits: "many",
      where: { $in: { status: ["PROCESSED", "FAILED"] } },
    },
    {
      name: "a negation of most",
      hits: "few",
      where: { $not: { $in: { status: ["PROCESSED", "FAILED"] } } },
    },
  ];
}
