import { describe, expect, test } from "vitest";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import { stripeKind } from "#modules/payments/connectors/stripe/index.ts";
import { EVENTS } from "#modules/payments/connectors/stripe/webhooks.ts";
import { present } from "#platform/assert.ts";
import { parseTimestamp } from "#platform/time.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { FakeStripe, STRIPE_KEY, STRIPE_ROOT } from "#test/support/psp/stripe/index.ts";
import * as made from "#test/support/psp/stripe/objects.ts";
import { accountOf } from "#test/support/psp/suite.ts";

const open = () =>
  openBench<FakeStripe>({
    kind: stripeKind,
    psp: () => new FakeStripe(),
    config: { apiKey: STRIPE_KEY },
    lists: [],
    errors: [],
    unknownValues: [],
  });

const movement = (more: Partial<Movement> = {}): Movement => ({
  type: "TRANSFER",
  reference: "order-1",
  createdAt: NOW,
  description: "march",
  source: { reference: STRIPE_ROOT, metadata: {} },
  destination: { reference: "acct_9", metadata: {} },
  amount: 1000n,
  asset: "EUR/2",
  metadata: { order: "1" },
  ...more,
});

/** A time before all objects of the fake, and days before the test's present. */
const LONG_AGO = present(parseTimestamp("2026-02-02T02:00:00Z"), "the time is valid");

describe("a movement at Stripe", () => {
  test("a movement at Stripe is a transfer with the provider's members", async () => {
    const { psp, plugin } = open();
    const result = await plugin.createTransfer?.(movement());
    const request = psp.requests.at(-1);
    expect(Object.fromEntries(request?.form() ?? [])).toEqual({
      amount: "1000",
      currency: "eur",
      destination: "acct_9",
      description: "march",
      "metadata[order]": "1",
      "metadata[florin_reference]": "order-1",
      "expand[]": "balance_transaction",
    });
    expect(request?.headers.get("idempotency-key")).toBe("order-1");
    expect(request?.headers.get("stripe-account")).toBeNull();
    expect(result).toMatchObject({
      payment: {
        reference: psp.booksOf().transactions[0]?.id,
        type: "TRANSFER",
        status: "SUCCEEDED",
        scheme: "OTHER",
        amount: 1000n,
        asset: "EUR/2",
        sourceReference: STRIPE_ROOT,
        destinationReference: "acct_9",
      },
    });
  });

  test("a movement at Stripe is a payout in the name of a connected account, as polling shows it", async () => {
    const { psp, plugin } = open();
    const source = { reference: psp.addAccount(), metadata: {} };
    const asked = movement({ type: "PAYOUT", source, asset: "JPY" });
    const result = await plugin.createPayout?.(asked);
    const request = psp.requests.at(-1);
    expect(request?.form().get("method")).toBe("standard");
    expect(request?.headers.get("stripe-account")).toBe(source.reference);
    const parent = accountOf(source.reference);
    const page = await plugin.fetchPayments?.({ parent, state: undefined, pageSize: 10 });
    const { raw: _made, ...payment } = present(
      result !== undefined && "payment" in result ? result.payment : undefined,
      "it is a payment",
    );
    expect(payment).toMatchObject({ status: "PENDING", scheme: "SEPA_CREDIT", asset: "JPY" });
    expect(page?.items).toMatchObject([payment]);
  });

  test.each([
    [
      "no destination",
      { destination: undefined },
      "destination account is required in transfer/payout request",
    ],
    ["an unknown asset", { asset: "BTC/8" }, "does not take the asset BTC/8"],
    ["too small a part", { asset: "MGA/2", amount: 150n }, "counts MGA with 0 decimals"],
  ])(
    "a movement at Stripe is refused before the provider is asked: %s",
    async (_, more, message) => {
      const { psp, plugin } = open();
      for (const type of ["TRANSFER", "PAYOUT"] as const) {
        const { destination, ...asked } = { ...movement({ type }), ...more };
        const whole = destination === undefined ? asked : { ...asked, destination };
        const create = type === "PAYOUT" ? plugin.createPayout : plugin.createTransfer;
        await expect(create?.(whole)).rejects.toThrow(message);
      }
      expect(psp.requests.filter(({ method }) => method === "POST")).toEqual([]);
    },
  );

  test("a movement at Stripe has a digest in place of a reference that the provider does not accept as a key", async () => {
    const { psp, plugin } = open();
    for (const reference of ["x".repeat(256), "größer"]) {
      await plugin.createTransfer?.(movement({ reference }));
      expect(psp.requests.at(-1)?.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(psp.booksOf().transfers).toHaveLength(2);
  });

  test.each(["TRANSFER", "PAYOUT"] as const)(
    "a movement at Stripe is made once, even when the provider has forgotten its key: %s",
    async (type) => {
      const { psp, plugin } = open();
      const create = type === "PAYOUT" ? plugin.createPayout : plugin.createTransfer;
      const asked = movement({ type, createdAt: LONG_AGO });
      const first = await create?.(asked);
      await create?.({ ...asked, reference: "order-2" });
      psp.forgetKeys();
      expect(await create?.(asked)).toEqual(first);
      const { transfers, payouts } = psp.booksOf();
      expect(transfers.length + payouts.length).toBe(2);
    },
  );
});

describe("a reversal of Stripe", () => {
  const reversal = (metadata: Record<string, string>, more: Partial<Movement> = {}) => ({
    reference: "reversal-1",
    createdAt: NOW,
    description: "",
    amount: 400n,
    asset: "EUR/2",
    metadata,
    movement: movement(),
    ...more,
  });

  test("a reversal of Stripe needs the id of the transfer", async () => {
    const { plugin } = open();
    await expect(plugin.reverseTransfer?.(reversal({}))).rejects.toThrow(
      "transfer id is required in metadata of transfer reversal request",
    );
    expect(plugin.reversePayout).toBeUndefined();
  });

  test("a reversal of Stripe belongs to the payment of the transfer, once", async () => {
    const { psp, plugin } = open();
    await plugin.createTransfer?.(movement());
    const [transfer] = psp.booksOf().transfers;
    const metadata = { "com.stripe.spec/transfer_id": transfer?.id ?? "" };
    const asked = reversal(metadata, { createdAt: LONG_AGO });
    const first = await plugin.reverseTransfer?.(asked);
    expect(first).toMatchObject({
      parentReference: transfer?.["balance_transaction"],
      type: "TRANSFER",
      status: "REFUNDED",
      amount: 400n,
      asset: "EUR/2",
      destinationReference: "acct_9",
    });
    psp.forgetKeys();
    expect(await plugin.reverseTransfer?.(asked)).toEqual(first);
    const parent = accountOf(STRIPE_ROOT);
    const page = await plugin.fetchPayments?.({ parent, state: undefined, pageSize: 10 });
    expect(page?.items.map(({ reference }) => reference)).toContain(first?.reference);
    expect(page?.items).toHaveLength(2);
  });
});

describe("webhooks of Stripe", () => {
  async function registered() {
    const bench = open();
    const plugin = present(bench.plugin.webhooks, "it has webhooks");
    const register = (registered: Awaited<ReturnType<typeof plugin.create>> = []) =>
      plugin.create({ baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered });
    return { ...bench, plugin, register, configs: await register() };
  }

  test("the webhooks of Stripe are two endpoints, whose secrets are kept when they are registered again", async () => {
    const { psp, register, configs } = await registered();
    expect(psp.endpoints).toMatchObject([
      { url: `${BASE_URL}/connect`, connect: true, api_version: "2024-09-30.acacia" },
      { url: `${BASE_URL}/root`, enabled_events: Object.keys(EVENTS) },
    ]);
    expect(psp.endpoints[1]).not.toHaveProperty("connect");
    expect(configs).toMatchObject([
      { urlPath: "/root", metadata: { webhook_related_account_id: STRIPE_ROOT } },
      { urlPath: "/connect", metadata: { secret: /^whsec_/ } },
    ]);
    expect(await register([...configs])).toEqual(configs);
    expect(await register()).not.toEqual(configs);
    expect(psp.endpoints).toHaveLength(2);
  });

  /** The report of an event about an object of an account. */
  async function reportOf(
    arrange: (psp: FakeStripe) => { type: string; object: unknown; account?: string },
    urlPath: "/root" | "/connect" = "/root",
  ) {
    const { psp, plugin, configs } = await registered();
    const sent = psp.notify(urlPath, arrange(psp), NOW);
    const config = present(
      configs.find((each) => each.urlPath === urlPath),
      "it is registered",
    );
    return plugin.translate(toWebhook(config, sent));
  }

  test.each([
    ["charge.succeeded", "charge", "SUCCEEDED"],
    ["payout.created", "payout", "PENDING"],
    ["payout.updated", "payout", "PENDING"],
    ["payout.paid", "payout", "SUCCEEDED"],
    ["payout.canceled", "payout", "CANCELLED"],
    ["transfer.created", "transfer", "SUCCEEDED"],
  ])("webhooks of Stripe of the type %s report the payment of a %s", async (type, kind, status) => {
    const words: Record<string, string> = {
      PENDING: "in_transit",
      SUCCEEDED: "paid",
      CANCELLED: "canceled",
    };
    const report = await reportOf((psp) => {
      const make = { charge: made.cardCharge, payout: made.payout, transfer: made.transfer }[kind];
      const more = kind === "payout" ? { status: words[status] } : {};
      const id = psp.addTransaction(kind, (txn) => present(make, "known")("src_1", txn, more));
      return { type, object: psp.get(String(psp.get(id)["source"])) };
    });
    expect(report.payments).toMatchObject([{ status }]);
  });

  test("webhooks of Stripe about a failed payout report both of its transactions", async () => {
    const report = await reportOf((psp) => {
      const paid = psp.addTransaction("payout", (txn) => made.payout("po_1", txn));
      const failed = psp.addTransaction("payout_failure", () => psp.get("po_1"));
      psp.change("po_1", { status: "failed", failure_balance_transaction: failed });
      expect(paid).not.toBe(failed);
      return { type: "payout.failed", object: psp.get("po_1") };
    });
    expect(report.payments).toMatchObject([
      { status: "FAILED" },
      { status: "FAILED", parentReference: report.payments?.[0]?.reference },
    ]);
  });

  test("webhooks of Stripe about a refund report all refunds of the charge, the oldest first", async () => {
    const report = await reportOf((psp) => {
      const charge = String(psp.get(psp.addCharge())["source"]);
      psp.addRefund(charge, 100);
      psp.addRefund(charge, 200);
      return { type: "charge.refunded", object: psp.get(charge) };
    });
    expect(report.payments).toMatchObject([
      { status: "REFUNDED", amount: 100n },
      { status: "REFUNDED", amount: 200n },
    ]);
  });

  test.each([
    ["charge.dispute.created", "needs_response", "DISPUTE"],
    ["charge.dispute.funds_withdrawn", "under_review", "DISPUTE"],
    ["charge.dispute.funds_reinstated", "won", "SUCCEEDED"],
    ["charge.dispute.closed", "lost", "FAILED"],
  ])(
    "webhooks of Stripe of the type %s report the state of the dispute",
    async (type, status, expected) => {
      const report = await reportOf((psp) => {
        psp.add(made.cardCharge("ch_1", "txn_a"));
        const id = psp.addTransaction("adjustment", () => made.dispute("dp_1", "ch_1", { status }));
        return { type, object: { ...psp.get("dp_1"), balance_transactions: [{ id }] } };
      });
      expect(report.payments).toMatchObject([{ status: expected, parentReference: "txn_a" }]);
    },
  );

  test("webhooks of Stripe about a reversed transfer report the reversal", async () => {
    const report = await reportOf((psp) => {
      psp.add(made.transfer("tr_1", "txn_a"));
      const reversal = { id: "trr_1", object: "transfer_reversal", transfer: "tr_1" };
      const id = psp.addTransaction("transfer_refund", () => reversal, { amount: 300 });
      const reversals = { data: [{ id: "trr_1", balance_transaction: id }] };
      return { type: "transfer.reversed", object: { ...psp.get("tr_1"), reversals } };
    });
    expect(report.payments).toMatchObject([{ status: "REFUNDED", amount: 300n }]);
  });

  test("webhooks of Stripe about balances report the account that they name, or the account of the key", async () => {
    const object = {
      available: [
        { amount: 5, currency: "eur" },
        { amount: -7, currency: "jpy" },
      ],
    };
    const type = "balance.available";
    const own = await reportOf(() => ({ type, object }));
    expect(own.balances).toEqual([
      { accountReference: STRIPE_ROOT, createdAt: NOW, amount: 5n, asset: "EUR/2" },
      { accountReference: STRIPE_ROOT, createdAt: NOW, amount: -7n, asset: "JPY" },
    ]);
    const connected = await reportOf(() => ({ type, object, account: "acct_7" }), "/connect");
    expect(connected.balances?.[0]?.accountReference).toBe("acct_7");
  });

  test("the tests of webhooks of Stripe have a case for each type of events", () => {
    expect(Object.keys(EVENTS)).toHaveLength(14);
  });

  test("webhooks of Stripe about a transaction that is gone report nothing", async () => {
    const object = made.cardCharge("ch_1", "txn_gone");
    expect(await reportOf(() => ({ type: "charge.succeeded", object }))).toEqual({ payments: [] });
  });
});
