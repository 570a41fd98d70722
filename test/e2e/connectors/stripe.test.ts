import { afterAll, beforeAll, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { fromMillis } from "#platform/time.ts";
import { StartedPayments } from "#test/support/payments/started.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { deliver } from "#test/support/psp/psp-server.ts";
import { FakeStripe, STRIPE_KEY, STRIPE_ROOT } from "#test/support/psp/stripe/index.ts";

const stripe = new FakeStripe();
let started: StartedPayments;

beforeAll(async () => {
  started = await StartedPayments.start("stripe", stripe, "https://api.stripe.com");
});
afterAll(() => started.close());

/** What the provider sends now, and the URL that it sends it to. */
function toSend(urlPath: string, event: Parameters<FakeStripe["notify"]>[1]) {
  const sent = stripe.notify(urlPath, event, fromMillis(Date.now()));
  const endpoint = stripe.endpoints.find(({ url }) => String(url).endsWith(urlPath));
  return { sent, url: String(endpoint?.["url"]) };
}

test("a seller is paid out by Stripe, and what becomes of it reaches events and books", async () => {
  const { v3 } = started.sdk.payments;
  const seller = stripe.addAccount();
  const bank = stripe.addBankAccount(seller);
  stripe.booksOf(seller).available.push({ amount: 90_000, currency: "eur" });
  const paid = stripe.addCharge();
  const charge = String(stripe.get(paid)["source"]);

  const { v3InstallConnectorResponse: installed } = await v3.installConnector({
    connector: "stripe",
    v3ConnectorConfig: { provider: "Stripe", name: "stripe", apiKey: STRIPE_KEY },
  });
  const connectorID = present(installed, "it is installed").data;
  const ledger = "stripe";
  await started.bookInto(ledger, connectorID);

  // Data appears.
  const [accounts, payments] = await eventually(async () => {
    const accounts = (await v3.listAccounts({})).v3AccountsCursorResponse?.cursor.data ?? [];
    const payments = (await v3.listPayments({})).v3PaymentsCursorResponse?.cursor.data ?? [];
    expect([accounts.length, payments.length, stripe.endpoints.length]).toEqual([3, 1, 2]);
    return [accounts, payments];
  });
  const accountOf = (reference: string) =>
    present(
      accounts.find((account) => account.reference === reference),
      "it was polled",
    );
  expect(accountOf(STRIPE_ROOT)).toMatchObject({ type: "INTERNAL", defaultAsset: "EUR/2" });
  expect(accountOf(bank)).toMatchObject({ type: "EXTERNAL", defaultAsset: "EUR/2" });
  expect(payments).toMatchObject([{ reference: paid, type: "PAY-IN", status: "SUCCEEDED" }]);
  await eventually(async () => {
    const accountID = accountOf(seller).id;
    const { v3BalancesCursorResponse: balances } = await v3.getAccountBalances({ accountID });
    expect(balances?.cursor.data).toMatchObject([{ balance: 90_000n, asset: "EUR/2" }]);
  });

  // A webhook changes a payment; forged, replayed and lost ones do not.
  stripe.addRefund(charge, 500);
  const { sent, url } = toSend("/root", { type: "charge.refunded", object: stripe.get(charge) });
  expect(await deliver(url, { ...sent, body: sent.body.replace(charge, "ch_0") })).toBe(401);
  expect(await deliver(`${url}/more`, sent)).toBe(404);
  expect([await deliver(url, sent), await deliver(url, sent)]).toEqual([200, 200]);
  const paymentID = present(payments[0], "there is one").id;
  await eventually(async () => {
    const { v3GetPaymentResponse: payment } = await v3.getPayment({ paymentID });
    expect(payment?.data).toMatchObject({ status: "REFUNDED", amount: 2000n });
    expect(payment?.data.adjustments).toHaveLength(2);
  });

  // A payout is approved, and made at the provider.
  const { v3InitiatePaymentResponse: initiated } = await v3.initiatePayment({
    v3InitiatePaymentRequest: {
      reference: "seller-march",
      connectorID,
      description: "march",
      type: "PAYOUT",
      amount: 7000n,
      asset: "EUR/2",
      sourceAccountID: accountOf(seller).id,
      destinationAccountID: accountOf(bank).id,
      scheduledAt: new Date(),
    },
  });
  const { paymentInitiationID = "" } = initiated?.data ?? {};
  const { payouts } = stripe.booksOf(seller);
  expect(payouts).toHaveLength(0);
  await v3.approvePaymentInitiation({ paymentInitiationID });
  const initiation = async () =>
    (await v3.getPaymentInitiation({ paymentInitiationID })).v3GetPaymentInitiationResponse?.data;
  const related = await eventually(async () => {
    const { v3PaymentInitiationRelatedPaymentsCursorResponse: listed } =
      await v3.listPaymentInitiationRelatedPayments({ paymentInitiationID });
    return present(listed?.cursor.data[0], "the payment is related");
  });
  const made = present(payouts[0], "it was made");
  expect(made).toMatchObject({ amount: 7000, currency: "eur", destination: bank });
  const { balance_transaction: transaction } = made;
  expect(related).toMatchObject({ reference: transaction, status: "PENDING", type: "PAYOUT" });
  expect((await initiation())?.status).toBe("PROCESSING");

  // The provider reports success later.
  stripe.change(made.id, { status: "paid" });
  const arrival = { type: "payout.paid", object: stripe.get(made.id), account: seller };
  const later = toSend("/connect", arrival);
  expect(await deliver(later.url, later.sent)).toBe(200);
  await eventually(async () => expect((await initiation())?.status).toBe("PROCESSED"));

  // Events are delivered, and the charge, its refund and the payout are booked.
  await eventually(() => {
    const types = [...started.receivedTypes].join(" ");
    for (const type of ["saved_account", "saved_balance", "saved_payment"]) {
      expect(types).toContain(type);
    }
    expect(started.receiver.deliveries.every(({ isSigned }) => isSigned)).toBe(true);
  });
  await eventually(async () => {
    const balances = Object.entries(await started.balancesOf(ledger));
    // An account of the connector has its reference at the end.
    const booked = balances.map(([address, amounts]) => [address.split(":").at(-1), amounts]);
    expect(Object.fromEntries(booked)).toEqual({
      [STRIPE_ROOT]: { "EUR/2": 2000 },
      [seller]: { "EUR/2": -7000 },
      world: { "EUR/2": 5000 },
    });
  });
});
