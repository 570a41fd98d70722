import { fillBloomBlocks } from "#bench/payments/bloom-blocks.ts";
import {
  ALL,
  filtersBy,
  filtersByAmount,
  filtersByMetadata,
  metadataAt,
  type NamedFilter,
  type PaymentRead,
  readsOf,
} from "#bench/payments/reads.ts";
import { COUNT, createdAt, isOldest, isRare, type ListWorld } from "#bench/payments/world.ts";
import { toAccountKey } from "#modules/payments/core/account-keys.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import { PAYMENT_LAYOUT } from "#modules/payments/core/bloom/payment-layout.ts";
import { encodeConnectorId, encodeOwnedId, encodePaymentId } from "#modules/payments/core/ids.ts";
import { accountHash } from "#modules/payments/core/text-hash.ts";

export function paymentReads(world: ListWorld): PaymentRead[] {
  fillPayments(world);
  return readsOf(world, {
    name: "payments",
    paths: ["/api/payments/v3/payments", "/api/payments/payments"],
    filters: paymentFilters(world),
    cursor: { list: "payments" },
  });
}

/** Payments that have succeeded, most of them, each with its adjustment, and their blocks. */
export function fillPayments(world: ListWorld): void {
  world.insert("payment_payments", COUNT, (place) => {
    const payment = paymentAt(place);
    const { key } = world.connectorAt(place);
    return {
      connector_key: key,
      reference: `pay_${place}`,
      type: payment.type,
      created_at: createdAt(place),
      scheme: payment.scheme,
      status: payment.status,
      asset: payment.asset,
      initial_amount: `${payment.amount}`,
      amount: `${payment.amount}`,
      source_account: toAccountKey(key, payment.source),
      destination_account: toAccountKey(key, payment.destination),
      source_hash: accountHash(payment.source),
      destination_hash: accountHash(payment.destination),
      psu_id: payment.psuId,
      connection_id: payment.connectionId,
      metadata: JSON.stringify(payment.metadata),
      metadata_bits: metadataBloom(payment.metadata),
    };
  });
  fillAdjustments(world);
  fillBloomBlocks(world, {
    table: "payment_segments",
    layout: PAYMENT_LAYOUT,
    groupSize: 16,
    termsAt: (place) => termsAt(world, place),
  });
}

function fillAdjustments(world: ListWorld): void {
  world.insert("payment_adjustments", COUNT, (place) => {
    const { amount, asset, status } = paymentAt(place);
    return {
      payment_key: place + 1,
      ordinal: 0,
      reference: `pay_${place}`,
      created_at: createdAt(place),
      status,
      amount: `${amount}`,
      asset,
      metadata: "{}",
      raw: `{"id":"pay_${place}","amount":${amount}}`,
    };
  });
}

function termsAt(world: ListWorld, place: number): string[] {
  const { amount, source, destination, metadata, psuId, connectionId, ...texts } = paymentAt(place);
  return PAYMENT_LAYOUT.termsOf({
    texts: {
      ...texts,
      psu_id: psuId,
      open_banking_connection_id: connectionId,
      connector_id: world.connectorAt(place).id.reference,
      source_account_id: source,
      destination_account_id: destination,
    },
    amounts: { amount, initial_amount: amount },
    metadata,
  });
}

const SCHEMES = ["CARD_VISA", "CARD_MASTERCARD", "SEPA_DEBIT", "SEPA_CREDIT"] as const;

function paymentAt(place: number) {
  const rare = isRare(place);
  return {
    type: rare ? "OTHER" : place % 3 === 0 ? "PAYOUT" : "PAY-IN",
    status: rare ? "DISPUTE" : place % 20 === 0 ? "FAILED" : "SUCCEEDED",
    scheme: rare ? "DOKU" : (SCHEMES[place % SCHEMES.length] ?? "SEPA"),
    asset: rare ? "JPY" : isOldest(place) ? "GBP/2" : place % 4 === 0 ? "USD/2" : "EUR/2",
    amount: BigInt(place % 100_000),
    source: `acct_${place % 20_000}`,
    destination: `acct_${place % 77}`,
    psuId: place % 10 === 0 ? `user-${place % 40_000}` : null,
    connectionId: place % 10 === 0 ? `connection-${place % 40_000}` : null,
    metadata: metadataAt(place),
  };
}

function paymentFilters({ connector, other, connectors }: ListWorld): NamedFilter[] {
  const connectorId = (place: number) => encodeConnectorId((connectors[place] ?? other).id);
  const account = (reference: string) => encodeOwnedId({ connector: connector.id, reference });
  const payment = (reference: string) =>
    encodePaymentId({ connector: connector.id, reference, type: "PAY-IN" });
  return [
    ALL,
    ...filtersBy("id", { few: payment("pay_1"), none: payment("none") }),
    ...filtersBy("reference", { few: "pay_777", none: "none" }),
    ...filtersBy("connector_id", {
      many: connectorId(0),
      few: connectorId(1),
      none: connectorId(2),
    }),
    ...filtersBy("type", { many: "PAYOUT", few: "OTHER", none: "TRANSFER" }),
    ...filtersBy("asset", { many: "EUR/2", few: "JPY", none: "CHF/2" }),
    { name: "asset of the oldest", hits: "many", where: { $match: { asset: "GBP/2" } } },
    ...filtersBy("scheme", { many: "CARD_VISA", few: "DOKU", none: "A2A" }),
    ...filtersBy("status", { many: "SUCCEEDED", few: "DISPUTE", none: "EXPIRED" }),
    ...filtersBy("source_account_id", { few: account("acct_777"), none: account("none") }),
    ...filtersBy("destination_account_id", { many: account("acct_7"), none: account("none") }),
    ...filtersBy("psu_id", { few: "user-770", none: "none" }),
    ...filtersBy("open_banking_connection_id", { few: "connection-770", none: "none" }),
    ...filtersByAmount("amount"),
    { name: "amount of few", hits: "few", where: { $match: { amount: 77_777 } } },
    ...filtersByAmount("initial_amount"),
    ...filtersByMetadata(),
    {
      name: "both of two keys",
      hits: "none",
      where: { $and: [{ $match: { status: "FAILED" } }, { $gt: { amount: 99_990 } }] },
    },
    {
      name: "one of two keys",
      hits: "few",
      where: { $or: [{ $match: { status: "DISPUTE" } }, { $match: { asset: "JPY" } }] },
    },
    {
      name: "one of two values",
      hits: "few",
      where: { $in: { type: ["OTHER", "TRANSFER"] } },
    },
    {
      name: "a negation of most",
      hits: "few",
      where: { $not: { $in: { type: ["PAYOUT", "PAY-IN"] } } },
    },
    { name: "a pattern of none", hits: "none", where: { $like: { asset: "%X%" } } },
  ];
}
