import { describe, expect, test } from "vitest";
import type { FetchRequest } from "#modules/payments/connectors/contract.ts";
import { stripeKind } from "#modules/payments/connectors/stripe/index.ts";
import { toPayment, TRANSACTIONS } from "#modules/payments/connectors/stripe/payments.ts";
import {
  CARD_SCHEMES,
  DISPUTE_STATUSES,
  PAYOUT_STATUSES,
} from "#modules/payments/connectors/stripe/sources.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
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

/** Reads a list of an account as the polling engine does. */
const readFor = <Item>(
  fetch:
    | ((
        request: FetchRequest,
      ) => Promise<{ items: readonly Item[]; state: unknown; hasMore: boolean }>)
    | undefined,
  {
    account = STRIPE_ROOT,
    ...options
  }: { account?: string; state?: unknown; pageSize?: number } = {},
) =>
  fetchAll(
    async (request) => (await fetch?.({ ...request, parent: accountOf(account) })) ?? nothing,
    options,
  );

const nothing = { items: [], state: undefined, hasMore: false };

const intent = { id: "pi_1", object: "payment_intent", metadata: { cart: "7" } };
const charge = made.cardCharge("ch_1", "txn_charge", { payment_intent: intent });
const refund = made.refund("re_1", null, {
  charge,
  metadata: { why: "damaged" },
  payment_intent: intent,
});
const payout = made.payout("po_1", "txn_payout", { metadata: { run: "3" } });
const transfer = made.transfer("tr_1", "txn_transfer", { metadata: { to: "seller" } });
const reversal = { id: "trr_1", object: "transfer_reversal", amount: 400, transfer };
const dispute = made.dispute("dp_1", "", { charge, payment_intent: intent });

const transaction = (type: string, source: unknown, more: object = {}) =>
  made.transaction("txn_1", { type, source, created: 1_770_000_000, amount: -400, ...more });

const PAID = { order: "42", cart: "7" };
const REFUNDED = { why: "damaged", cart: "7" };

describe("a balance transaction of Stripe", () => {
  test.each([
    ["charge", charge, "PAY-IN", "SUCCEEDED", undefined, 2500n, "CARD_VISA", PAID],
    ["refund", refund, "PAY-IN", "REFUNDED", "txn_charge", 500n, "CARD_VISA", REFUNDED],
    [
      "refund_failure",
      refund,
      "PAY-IN",
      "REFUNDED_FAILURE",
      "txn_charge",
      500n,
      "CARD_VISA",
      REFUNDED,
    ],
    ["payment", charge, "PAY-IN", "SUCCEEDED", undefined, 2500n, "OTHER", PAID],
    ["payment_refund", refund, "PAY-IN", "REFUNDED", "txn_charge", 500n, "OTHER", PAID],
    [
      "payment_failure_refund",
      refund,
      "PAY-IN",
      "REFUNDED_FAILURE",
      "txn_charge",
      500n,
      "OTHER",
      PAID,
    ],
    ["payment_failure_refund", null, "PAY-IN", "REFUNDED_FAILURE", undefined, 400n, "OTHER", {}],
    ["payout", payout, "PAYOUT", "SUCCEEDED", undefined, 700n, "SEPA_CREDIT", { run: "3" }],
    ["payout_failure", payout, "PAYOUT", "FAILED", "txn_payout", 700n, "SEPA_CREDIT", { run: "3" }],
    [
      "payout_cancel",
      payout,
      "PAYOUT",
      "CANCELLED",
      "txn_payout",
      700n,
      "SEPA_CREDIT",
      { run: "3" },
    ],
    ["transfer", transfer, "TRANSFER", "SUCCEEDED", undefined, 900n, "OTHER", { to: "seller" }],
    [
      "transfer_refund",
      reversal,
      "TRANSFER",
      "REFUNDED",
      "txn_transfer",
      400n,
      "OTHER",
      { to: "seller" },
    ],
    [
      "transfer_failure",
      transfer,
      "TRANSFER",
      "FAILED",
      "txn_transfer",
      400n,
      "OTHER",
      { to: "seller" },
    ],
    [
      "transfer_cancel",
      transfer,
      "TRANSFER",
      "CANCELLED",
      "txn_transfer",
      400n,
      "OTHER",
      { to: "seller" },
    ],
    ["adjustment", dispute, "PAY-IN", "DISPUTE", "txn_charge", 2500n, "CARD_VISA", PAID],
  ])("a balance transaction of Stripe of the type %s is a payment", (...row) => {
    const [type, source, paymentType, status, parent, amount, scheme, metadata] = row;
    const payment = toPayment(transaction(type, source), "acct_own");
    expect(payment).toMatchObject({
      reference: "txn_1",
      type: paymentType,
      status,
      amount,
      asset: "EUR/2",
      scheme,
      metadata,
    });
    expect(payment?.metadata).toEqual(metadata);
    expect(payment?.parentReference).toBe(parent);
    expect([payment?.sourceReference, payment?.destinationReference]).toEqual(ENDS[paymentType]);
    expect(payment?.createdAt.slice(0, 19)).toBe("2026-02-02T02:40:00");
  });

  const ENDS: Record<string, (string | undefined)[]> = {
    "PAY-IN": [undefined, "acct_own"],
    PAYOUT: ["acct_own", undefined],
    TRANSFER: ["acct_own", "acct_1"],
  };

  test("the table of balance transactions of Stripe has a row for each type", () => {
    expect(Object.keys(TRANSACTIONS)).toHaveLength(14);
  });

  test.each([
    ["adjustment", charge],
    ["adjustment", null],
    ["charge", null],
    ["refund", null],
    ["payout", null],
    ["stripe_fee", charge],
    ["toString", charge],
  ])(
    "a balance transaction of Stripe of the type %s is left out without its source",
    (type, source) => {
      expect(toPayment(transaction(type, source), "acct_own")).toBeUndefined();
    },
  );

  test.each(["refund", "dispute"])(
    "a balance transaction of Stripe of a %s that comes without its charge is asked for again",
    (kind) => {
      const source = { ...(kind === "refund" ? refund : dispute), charge: "ch_1" };
      const type = kind === "refund" ? "refund" : "adjustment";
      expect(() => toPayment(transaction(type, source), "acct_own")).toThrow(
        "comes without its charge",
      );
    },
  );

  test("a balance transaction of Stripe of a refund that no charge has brought is a payment of its own", () => {
    const payment = toPayment(transaction("refund", { ...refund, charge: null }), "acct_own");
    expect(payment).toMatchObject({ status: "REFUNDED", scheme: "UNKNOWN" });
    expect(payment?.parentReference).toBeUndefined();
  });

  test.each([
    ["canceled", "CANCELLED"],
    ["failed", "FAILED"],
    ["in_transit", "PENDING"],
    ["pending", "PENDING"],
    ["paid", "SUCCEEDED"],
    ["lately_invented", "OTHER"],
    ["constructor", "OTHER"],
  ])(
    "a balance transaction of Stripe of a payout with the status %s has the status %s",
    (status, expected) => {
      expect(Object.keys(PAYOUT_STATUSES)).toHaveLength(5);
      const payment = toPayment(transaction("payout", { ...payout, status }), "acct_own");
      expect(payment?.status).toBe(expected);
    },
  );

  test.each([
    ["bank_account", "ba_1", "SEPA_CREDIT"],
    ["card", { id: "card_1", brand: "mastercard" }, "CARD_MASTERCARD"],
    ["card", "card_1", "UNKNOWN"],
    ["lately_invented", "ba_1", "UNKNOWN"],
  ])(
    "a balance transaction of Stripe of a payout to a %s has a scheme",
    (type, destination, scheme) => {
      const value = transaction("payout", { ...payout, type, destination });
      expect(toPayment(value, "acct_own")?.scheme).toBe(scheme);
    },
  );

  test.each([
    ["won", "SUCCEEDED"],
    ["lost", "FAILED"],
    ["needs_response", "DISPUTE"],
    ["under_review", "DISPUTE"],
    ["constructor", "DISPUTE"],
  ])(
    "a balance transaction of Stripe of a dispute that is %s has the status %s",
    (status, expected) => {
      expect(Object.keys(DISPUTE_STATUSES)).toHaveLength(2);
      const payment = toPayment(transaction("adjustment", { ...dispute, status }), "acct_own");
      expect(payment?.status).toBe(expected);
    },
  );

  test.each([
    ["visa", "CARD_VISA"],
    ["mastercard", "CARD_MASTERCARD"],
    ["amex", "CARD_AMEX"],
    ["diners", "CARD_DINERS"],
    ["discover", "CARD_DISCOVER"],
    ["jcb", "CARD_JCB"],
    ["unionpay", "CARD_UNION_PAY"],
    ["lately_invented", "UNKNOWN"],
    ["toString", "UNKNOWN"],
    [undefined, "UNKNOWN"],
  ])("a balance transaction of Stripe of a charge by %s has the scheme %s", (brand, scheme) => {
    expect(Object.keys(CARD_SCHEMES)).toHaveLength(7);
    const value = { ...charge, payment_method_details: { card: { brand } } };
    expect(toPayment(transaction("charge", value), "acct_own")?.scheme).toBe(scheme);
  });

  test.each([
    ["jpy", 1000, 1000n, "JPY"],
    ["kwd", 1000, 1000n, "KWD/3"],
    // The provider counts decimals of these currencies otherwise than ISO 4217.
    ["isk", 1000, 10n, "ISK"],
    ["ugx", 1000, 10n, "UGX"],
    ["mga", 10, 1000n, "MGA/2"],
  ])(
    "a balance transaction of Stripe of %s %i has the amount %i %s",
    (...[currency, amount, expected, asset]) => {
      const value = transaction("charge", { ...charge, currency, amount });
      expect(toPayment(value, "acct_own")).toMatchObject({ amount: expected, asset });
    },
  );

  test("a balance transaction of Stripe keeps no secret of its source", () => {
    const secret = { ...intent, client_secret: "pi_1_secret_abc" };
    const transferred = { ach_credit_transfer: { account_number: "test_52796e3294dc" } };
    const source = { ...charge, payment_intent: secret, payment_method_details: transferred };
    const raw = toPayment(transaction("charge", source), "acct_own")?.raw ?? "";
    expect(raw).toContain('"id":"ch_1"');
    expect(raw).not.toContain("pi_1_secret_abc");
    expect(raw).not.toContain("test_52796e3294dc");
  });

  test("balance transactions of Stripe put the states of a payout in order, in any order of arrival", () => {
    const timeOf = (status: string) =>
      toPayment(transaction("payout", { ...payout, status }), "acct_own")?.createdAt ?? "";
    expect(timeOf("pending") < timeOf("paid")).toBe(true);
    expect(timeOf("paid") < timeOf("failed")).toBe(true);
  });
});

describe("the payments of an account of Stripe", () => {
  test("the payments of an account of Stripe come with the oldest first, for any page size", async () => {
    const { psp, plugin } = open();
    const added = Array.from({ length: 7 }, () => psp.addCharge());
    for (const pageSize of [1, 2, 3, 7, 10]) {
      const { items, state } = await readFor(plugin.fetchPayments, { pageSize });
      expect(items.map(({ reference }) => reference)).toEqual(added);
      expect((await readFor(plugin.fetchPayments, { state })).items).toEqual([]);
    }
  });

  test("the payments of an account of Stripe are asked for again while a payout is on its way", async () => {
    const { psp, plugin } = open();
    const paid = psp.addTransaction("payout", (id) =>
      made.payout("po_a", id, { status: "pending" }),
    );
    const first = await readFor(plugin.fetchPayments);
    expect(first.items).toMatchObject([{ reference: paid, status: "PENDING" }]);
    const still = await readFor(plugin.fetchPayments, first);
    expect(still.items).toEqual([]);
    psp.change("po_a", { status: "paid" });
    const then = await readFor(plugin.fetchPayments, still);
    expect(then.items).toMatchObject([{ reference: paid, status: "SUCCEEDED" }]);
    const before = psp.requests.length;
    expect((await readFor(plugin.fetchPayments, then)).items).toEqual([]);
    expect(psp.requests).toHaveLength(before + 1);
  });

  test("the payments of a connected account of Stripe are asked for in its name", async () => {
    const { psp, plugin } = open();
    const account = psp.addAccount();
    psp.addCharge();
    const own = psp.addCharge(account);
    const { items } = await readFor(plugin.fetchPayments, { account });
    expect(items).toMatchObject([{ reference: own, destinationReference: account }]);
    expect(psp.requests.at(-1)?.headers.get("stripe-account")).toBe(account);
  });
});

describe("the accounts of Stripe", () => {
  test("the accounts of Stripe have the members that the provider shows", async () => {
    const { psp, plugin } = open();
    const account = psp.addAccount({ default_currency: "jpy", settings: null });
    const { items } = await fetchAll(plugin.fetchAccounts);
    expect(items).toMatchObject([
      { reference: STRIPE_ROOT, name: `Shop ${STRIPE_ROOT}`, defaultAsset: "EUR/2" },
      { reference: account, defaultAsset: "JPY", metadata: { team: "north" } },
    ]);
    expect(items[0]?.createdAt).toBe("2026-02-02T02:40:00.000000Z");
    expect(items[1]).not.toHaveProperty("name");
  });

  test("the accounts of Stripe are read anew when the last known object was deleted", async () => {
    const { psp, plugin } = open();
    psp.addAccount();
    psp.addAccount();
    const { state } = await fetchAll(plugin.fetchAccounts);
    psp.accounts.shift();
    const later = psp.addAccount();
    const { items } = await fetchAll(plugin.fetchAccounts, { state });
    expect(items.map(({ reference }) => reference)).toContain(later);
  });

  test("the accounts of Stripe have bank accounts, except for the account of the key", async () => {
    const { psp, plugin } = open();
    const account = psp.addAccount();
    const bank = psp.addBankAccount(account);
    psp.addBankAccount(account, { account: null });
    const { items } = await readFor(plugin.fetchExternalAccounts, { account });
    expect(items).toMatchObject([{ reference: bank, createdAt: NOW, defaultAsset: "EUR/2" }]);
    expect((await readFor(plugin.fetchExternalAccounts)).items).toEqual([]);
  });
});
