import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { ADYEN_CONFIG, ADYEN_ORIGIN, FakeAdyen } from "#test/support/psp/adyen.ts";
import { COINBASE_PRIME_CONFIG, FakeCoinbasePrime } from "#test/support/psp/coinbaseprime.ts";
import { deliver } from "#test/support/psp/psp-server.ts";
import { FakeStripe, STRIPE_KEY, STRIPE_ROOT } from "#test/support/psp/stripe/index.ts";
import { FakeWise, WISE_CONFIG, WISE_ORIGIN } from "#test/support/psp/wise.ts";

const adyen = new FakeAdyen();
const prime = new FakeCoinbasePrime();
const stripe = new FakeStripe();
const wise = new FakeWise();
let started: StartedPayments;

// One server for all kinds. Each test but the last one removes its connector with all that was fetched, so that the next one begins
// with nothing. Wise comes first, because an event that its test waits for names no connector.
beforeAll(async () => {
  started = await StartedPayments.start([
    { kind: "adyen", fake: adyen, origin: ADYEN_ORIGIN },
    { kind: "coinbaseprime", fake: prime, origin: "https://api.prime.coinbase.com" },
    { kind: "stripe", fake: stripe, origin: "https://api.stripe.com" },
    { kind: "wise", fake: wise, origin: WISE_ORIGIN },
  ]);
});
afterAll(() => started.close());

describe("Wise", () => {
  /** A notification of the provider about a changed transfer, and the URL that it is sent to. */
  function toSend(...change: Parameters<FakeWise["changeTransfer"]>) {
    const subscriptions = [...wise.subscriptions.values()];
    const ofChanges = subscriptions.find(({ trigger_on: on }) => on === "transfers#state-change");
    const { url } = present(ofChanges, "it is subscribed to").delivery;
    return { sent: wise.changeTransfer(...change), url };
  }

  test("money goes out through Wise, and what becomes of it reaches events and books", async () => {
    const main = String(wise.addBalance("EUR"));
    const recipient = String(wise.addRecipient());
    const before = wise.addTransfer({ targetAccount: Number(recipient), status: "processing" });
    const connector = await StartedConnector.install(started, {
      connector: "wise",
      v3ConnectorConfig: { provider: "Wise", name: "wise", ...WISE_CONFIG },
    });

    // Accounts and payments appear.
    await eventually(async () => {
      const [accounts, payments] = [await connector.accounts(), await connector.payments()];
      expect([accounts.length, payments.length, wise.subscriptions.size]).toEqual([2, 1, 2]);
    });
    expect(await connector.account(main)).toMatchObject({
      type: "INTERNAL",
      defaultAsset: "EUR/2",
    });
    expect(await connector.account(recipient)).toMatchObject({ type: "EXTERNAL" });
    expect(await connector.payment(String(before))).toMatchObject({
      type: "PAYOUT",
      status: "PENDING",
      amount: 1230n,
    });
    await expectBalance(connector, { reference: main, balance: 12_050n, asset: "EUR/2" });

    // A webhook changes a payment; forged, replayed and lost ones do not.
    const sent = toSend(before, "outgoing_payment_sent");
    const { headers, body } = sent.sent;
    await expectChange(connector, sent, {
      forged: { headers, body: body.replace("data", "date") },
      changed: async () => {
        const payment = await connector.payment(String(before));
        expect(payment.status).toBe("SUCCEEDED");
        expect(payment.adjustments).toHaveLength(2);
      },
    });

    // A payout is approved, and made at the provider.
    const order = { reference: "rent-march", amount: 5000n, source: main, destination: recipient };
    const { paymentInitiationID, reference } = await payOut(connector, order);
    expect(wise.transfers).toHaveLength(2);
    const made = present(wise.transfers[1], "it was made");
    expect(reference).toBe(String(made.id));

    // The provider reports success later.
    const later = toSend(made.id, "outgoing_payment_sent", new Date().toISOString());
    expect(await deliver(later.url, later.sent)).toBe(200);
    await eventually(async () =>
      expect(await connector.statusOf(paymentInitiationID)).toBe("PROCESSED"),
    );

    // Events are delivered, and both payouts are booked.
    await expectEvents(connector, [
      "saved_account",
      "saved_balance",
      "saved_payment",
      "saved_payment_initiation_related_payment",
    ]);
    await expectBooked(connector, {
      [main]: { "EUR/2": -6230 },
      [recipient]: { "EUR/2": 6230 },
    });
    await expectRemoval(connector, toSend(made.id, "funds_refunded", new Date().toISOString()));
  });
});

describe("Stripe", () => {
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
    expect(await connector.account(bank)).toMatchObject({
      type: "EXTERNAL",
      defaultAsset: "EUR/2",
    });
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
});

describe("Adyen", () => {
  /** A notification of the provider now, and the URL that it is sent to. */
  function notify(item: object) {
    const [webhook] = [...adyen.webhooks.values()];
    const { url } = present(webhook, "it is registered");
    return { sent: adyen.notify("/standard", item), url: present(url, "it has a URL") };
  }

  test("webhooks of Adyen reach payments, events and books", async () => {
    const [merchant = ""] = adyen.addMerchants(2);
    const connector = await StartedConnector.install(started, {
      connector: "adyen",
      v3ConnectorConfig: { provider: "Adyen", name: "adyen", ...ADYEN_CONFIG },
    });

    // Accounts appear.
    await eventually(async () => {
      // The provider makes the key that signs notifications after the webhook.
      const keys = Array.from(adyen.webhooks.values(), ({ hmacKey }) => typeof hmacKey);
      expect([(await connector.accounts()).length, keys]).toEqual([2, ["string"]]);
    });
    expect(await connector.account(merchant)).toMatchObject({ type: "INTERNAL", name: "Shop 1" });
    expect(await connector.payments()).toEqual([]);

    // A webhook makes a payment; a forged, replayed or lost one does not.
    const authorised = notify({ pspReference: "auth-1", eventDate: "2026-03-01T09:00:00Z" });
    const { body } = authorised.sent;
    await expectChange(connector, authorised, {
      forged: { ...authorised.sent, body: body.replace('"value":1000', '"value":9000') },
      changed: async () =>
        expect(await connector.payments()).toMatchObject([
          { reference: "auth-1", type: "PAY-IN", status: "AUTHORISATION", scheme: "CARD_VISA" },
        ]),
    });

    // Later notifications change the payment.
    const later = { originalReference: "auth-1", merchantAccountCode: merchant };
    const capture = { ...later, eventCode: "CAPTURE", pspReference: "capture-1" };
    const captured = notify({ ...capture, eventDate: "2026-03-01T10:00:00Z" });
    await expectChange(connector, captured, {
      forged: { ...captured.sent, headers: { "content-type": "application/json" } },
      changed: async () => expect((await connector.payment("auth-1")).status).toBe("CAPTURE"),
    });
    const refund = { ...later, eventCode: "REFUND", pspReference: "refund-1" };
    const amount = { value: 300, currency: "EUR" };
    const refunded = notify({ ...refund, amount, eventDate: "2026-03-01T11:00:00Z" });
    expect(await deliver(refunded.url, refunded.sent)).toBe(200);
    await eventually(async () => {
      expect(await connector.payment("auth-1")).toMatchObject({
        status: "REFUNDED",
        initialAmount: 1000n,
        amount: 700n,
        asset: "EUR/2",
      });
    });
    expect((await connector.payment("auth-1")).adjustments).toHaveLength(3);

    await expectEvents(connector, ["saved_account", "saved_payment"]);
    await expectBooked(connector, { [merchant]: { "EUR/2": 700 }, world: { "EUR/2": -700 } });
    await expectRemoval(connector, notify({ pspReference: "auth-2" }));
    expect(adyen.webhooks.size).toBe(0);
  });
});

describe("Coinbase Prime", () => {
  /** The items of a list of the API. */
  async function list(path: string): Promise<readonly Record<string, unknown>[]> {
    const answer = (await started.server.json(`/api/payments/v3${path}`)) as {
      cursor: { data: Record<string, unknown>[] };
    }; // every list has this shape
    return answer.cursor.data;
  }

  test("wallets, transactions, conversions and orders of Coinbase Prime reach the API", async () => {
    prime.addWallet();
    prime.addWallet();
    prime.addTransaction();
    prime.addTransaction({ type: "CONVERSION", symbol: "USD", destination_symbol: "USDC" });
    const open = prime.addOrder({ status: "OPEN", filled_quantity: "0.25" });
    const body = { provider: "coinbaseprime", name: "prime", ...COINBASE_PRIME_CONFIG };
    await started.server.json("/api/payments/v3/connectors/install/coinbaseprime", { body });

    await eventually(async () => {
      const accounts = await list("/accounts");
      expect(
        new Map(accounts.map(({ reference, defaultAsset }) => [reference, defaultAsset])),
      ).toEqual(
        new Map([
          ["wallet-1", "BTC/8"],
          ["wallet-2", "BTC/8"],
        ]),
      );
      expect(await list("/payments")).toMatchObject([
        { reference: "transaction-1", type: "PAY-IN", status: "SUCCEEDED", asset: "BTC/8" },
      ]);
      expect(await list("/conversions")).toMatchObject([
        { reference: "transaction-2", status: "COMPLETED", destinationAsset: "USDC/6" },
      ]);
      expect(await list("/orders")).toMatchObject([
        { reference: open, status: "PARTIALLY_FILLED", baseQuantityFilled: 25_000_000 },
      ]);
    });
  });
});
