import { afterAll, beforeAll, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { fromMillis } from "#platform/time.ts";
import {
  expectBalance,
  expectBooked,
  expectChange,
  expectEvents,
  expectRemoval,
  payOut,
  StartedConnector,
} from "#test/support/payments/started/connector.ts";
import { StartedPayments } from "#test/support/payments/started/server.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { deliver } from "#test/support/psp/psp-server.ts";
import { FakeStripe, STRIPE_KEY, STRIPE_ROOT } from "#test/support/psp/stripe/index.ts";

const stripe = new FakeStripe();
let started: StartedPayments;

beforeAll(async () => {
  started = await StartedPayments.start("stripe", stripe, "https://api.stripe.com");
});
afterAll(() => started.close());

/** A notification of the provider now, and the URL that it is sent to. */
function toSend(urlPath: string, event: Parameters<FakeStripe["notify"]>[1]) {
  const sent = stripe.notify(urlPath, event, fromMillis(Date.now()));
  const endpoint = stripe.endpoints.find(({ url }) => String(url).endsWith(urlPath));
  return { sent, url: String(endpoint?.["url"]) };
}

test("a seller is paid out by Stripe, and what becomes of it reaches events and books", async () => {
  const seller = stripe.addAccount();
  const bank = stripe.addBankAccount(seller);
  stripe.booksOf(seller).available.push({ amount: 90_000, currency: "eur" });
  const paid = stripe.addCharge();
  const charge = String(stripe.get(paid)["source"]);
  const connector = await StartedConnector.install(started, {
    connector: "stripe",
    v3ConnectorConfig: { provider: "Stripe", name: "stripe", apiKey: STRIPE_KEY },
  });

  // Accounts and payments appear.
  await eventually(async () => {
    const [accounts, payments] = [await connector.accounts(), await connector.payments()];
    expect([accounts.length, payments.length, stripe.endpoints.length]).toEqual([3, 1, 2]);
  });
  expect(await connector.account(STRIPE_ROOT)).toMatchObject({
    type: "INTERNAL",
    defaultAsset: "EUR/2",
  });
  expect(await connector.account(bank)).toMatchObject({ type: "EXTERNAL", defaultAsset: "EUR/2" });
  expect(await connector.payment(paid)).toMatchObject({ type: "PAY-IN", status: "SUCCEEDED" });
  await expectBalance(connector, { reference: seller, balance: 90_000n, asset: "EUR/2" });

  // A webhook changes a payment; forged, replayed and lost ones do not.
  stripe.addRefund(charge, 500);
  const refunded = toSend("/root", { type: "charge.refunded", object: stripe.get(charge) });
  const { headers, body } = refunded.sent;
  await expectChange(connector, refunded, {
    forged: { headers, body: body.replace(charge, "ch_0") },
    changed: async () => {
      const payment = await connector.payment(paid);
      expect(payment).toMatchObject({ status: "REFUNDED", amount: 2000n });
      expect(payment.adjustments).toHaveLength(2);
    },
  });

  // A payout is approved, and made at the provider.
  const { payouts } = stripe.booksOf(seller);
  const order = { reference: "seller-march", amount: 7000n, source: seller, destination: bank };
  const { paymentInitiationID, reference } = await payOut(connector, order);
  expect(payouts).toHaveLength(1);
  const made = present(payouts[0], "it was made");
  expect(made).toMatchObject({ amount: 7000, currency: "eur", destination: bank });
  expect(made).toMatchObject({ balance_transaction: reference });

  // The provider reports success later.
  stripe.change(made.id, { status: "paid" });
  const arrival = { type: "payout.paid", object: stripe.get(made.id), account: seller };
  const later = toSend("/connect", arrival);
  expect(await deliver(later.url, later.sent)).toBe(200);
  await eventually(async () =>
    expect(await connector.statusOf(paymentInitiationID)).toBe("PROCESSED"),
  );

  // Events are delivered, and the charge, its refund and the payout are booked.
  await expectEvents(connector, ["saved_account", "saved_balance", "saved_payment"]);
  await expectBooked(connector, {
    [STRIPE_ROOT]: { "EUR/2": 2000 },
    [seller]: { "EUR/2": -7000 },
    world: { "EUR/2": 5000 },
  });
  await expectRemoval(connector, toSend("/connect", arrival));
});
