import { afterAll, beforeAll, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
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
import { FakeWise, WISE_CONFIG, WISE_ORIGIN } from "#test/support/psp/wise.ts";

const wise = new FakeWise();
let started: StartedPayments;

beforeAll(async () => {
  started = await StartedPayments.start("wise", wise, WISE_ORIGIN);
});
afterAll(() => started.close());

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
  expect(await connector.account(main)).toMatchObject({ type: "INTERNAL", defaultAsset: "EUR/2" });
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
