import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { blockCondition } from "#modules/payments/bloom-index/block-condition.ts";
import { ACCOUNT_LAYOUT } from "#modules/payments/core/bloom/account-layout.ts";
import type { BloomLayout } from "#modules/payments/core/bloom/bloom-layout.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import { PAYMENT_LAYOUT } from "#modules/payments/core/bloom/payment-layout.ts";
import { CONVERSION_LAYOUT, ORDER_LAYOUT } from "#modules/payments/core/bloom/trade-layouts.ts";
import { accountHash } from "#modules/payments/core/text-hash.ts";
import { payment } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

describe("stored bits", () => {
  const ROW = {
    texts: {
      type: "PAYOUT",
      status: "FAILED",
      scheme: "SEPA",
      direction: "BUY",
      time_in_force: "FILL_OR_KILL",
      asset: "EUR/2",
      source_asset: "EUR/2",
      default_asset: "USD/2",
      connector_id: "11111111-2222-4333-8444-555555555555",
      source_account_id: "acct_1",
      psu_id: "user",
      name: "Müller",
    },
    amounts: { amount: 1234n, initial_amount: -5n, fee: 10n ** 30n, source_amount: 0n },
    metadata: { order: "42", channel: "" },
  };

  test.each<[string, BloomLayout, string]>([
    ["payments", PAYMENT_LAYOUT, "1ccd6286272c49754ba4940fe2f1f4d9"],
    ["accounts", ACCOUNT_LAYOUT, "affc758d5f65ec0ad7da7a587fe21938"],
    ["orders", ORDER_LAYOUT, "5cb29a7ec1372050b65dac68784f3501"],
    ["conversions", CONVERSION_LAYOUT, "2e566a6a505a0067a168d38a84fcce3b"],
  ])("the stored bits of terms of %s never change", (_name, layout, hash) => {
    const others = Array.from({ length: 300 }, (_, at) => `metadata=5:order${at}`);
    const bits = [...layout.termsOf(ROW), ...others].map((term) =>
      layout.buildWords([term]).join(),
    );
    const digest = createHash("sha256").update(bits.join(";")).digest("hex");
    expect(digest.slice(0, 32)).toBe(hash);
  });

  test("stored bits of metadata and accounts never change", () => {
    expect(metadataBloom(ROW.metadata)).toBe(36_318_377_672_736);
    expect(accountHash("acct_1")).toBe(1_353_287_823);
  });
});

describe("blocks of payments that were stored in pages of a hundred", () => {
  const PAYMENTS = 6400;
  const PAGE_SIZE = 100;
  const world = new IngestWorld();
  let blocks = 0;

  beforeAll(async () => {
    for (let first = 0; first < PAYMENTS; first += PAGE_SIZE) {
      const page = Array.from({ length: PAGE_SIZE }, (_, at) => paymentAt(first + at));
      await world.store(await world.preparePayments(page));
    }
    blocks = countBlocks("TRUE");
  });

  /** A payment with five terms that few other payments have: both accounts, its user, its amount, and a metadata entry. */
  const paymentAt = (place: number) =>
    payment(`pay_${place}`, {
      amount: BigInt(place),
      sourceReference: `acct_${place}`,
      destinationReference: `shop_${place % 77}`,
      psuId: `user_${place}`,
      metadata: { order: `${place}`, channel: "web" },
    });

  const countBlocks = (condition: string): number =>
    Number(
      world.d1.rows(`SELECT count(*) AS n FROM payment_segments WHERE ${condition}`)[0]?.["n"],
    );

  /** The share of blocks that a query for a term finds, if no row has the term. */
  function falsePositiveRate(termAt: (place: number) => string): number {
    const queries = 200;
    let found = 0;
    for (let place = 0; place < queries; place++) {
      const query = { kind: "anyTerm" as const, terms: [termAt(place)] };
      found += countBlocks(blockCondition(PAYMENT_LAYOUT, query) ?? "TRUE");
    }
    return found / (queries * blocks);
  }

  test("blocks of stored payments have 32 rows each", () => {
    expect(blocks).toBe(PAYMENTS / PAYMENT_LAYOUT.rowsPerBlock + 1);
  });

  test.each([
    ["an account", (place: number) => `source_account_id=absent_${place}`],
    ["an amount", (place: number) => `one_amount=${10 * PAYMENTS + place}`],
    ["an entry of metadata", (place: number) => `metadata=5:orderabsent_${place}`],
  ])(
    "blocks of stored payments seem to contain %s that no payment has in about three of a hundred cases",
    (_name, termAt) => {
      const rate = falsePositiveRate(termAt);
      expect(rate).toBeGreaterThan(0.02);
      expect(rate).toBeLessThan(0.04);
    },
  );

  test("blocks of stored payments seem to contain an asset that no payment has in one of some thousand cases", () => {
    expect(falsePositiveRate((place) => `asset=X${place}/2`)).toBeLessThan(0.0005);
  });

  test("blocks of stored payments contain no status that no payment has", () => {
    expect(falsePositiveRate(() => "status=EXPIRED")).toBe(0);
  });
});
