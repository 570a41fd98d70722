import { afterAll, beforeAll, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { EVENT_TYPES, StartedPayments } from "#test/support/payments/started.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { deliver } from "#test/support/psp/psp-server.ts";
import { FakeWise, WISE_CONFIG, WISE_ORIGIN } from "#test/support/psp/wise.ts";

const wise = new FakeWise();
let started: StartedPayments;

beforeAll(async () => {
  started = await StartedPayments.start("wise", wise, WISE_ORIGIN);
});
afterAll(() => started.close());

/** The URL that is subscribed to changes of transfers. */
const changesUrl = (): string =>
  present(
    [...wise.subscriptions.values()].find(({ trigger_on: on }) => on === "transfers#state-change"),
    "it is subscribed to",
  ).delivery.url;

test("money goes out through Wise, and what becomes of it reaches events and books", async () => {
  const { v3 } = started.sdk.payments;
  const main = String(wise.addBalance("EUR"));
  const recipient = String(wise.addRecipient());
  const before = wise.addTransfer({ targetAccount: Number(recipient), status: "processing" });

  const { v3InstallConnectorResponse: installed } = await v3.installConnector({
    connector: "wise",
    v3ConnectorConfig: { provider: "Wise", name: "wise", ...WISE_CONFIG },
  });
  const connectorID = present(installed, "it is installed").data;
  const ledger = "wise";
  await started.bookInto(ledger, connectorID);

  // Data appears.
  const [accounts, payments] = await eventually(async () => {
    const accounts = (await v3.listAccounts({})).v3AccountsCursorResponse?.cursor.data ?? [];
    const payments = (await v3.listPayments({})).v3PaymentsCursorResponse?.cursor.data ?? [];
    expect([accounts.length, payments.length, wise.subscriptions.size]).toEqual([2, 1, 2]);
    return [accounts, payments];
  });
  const accountOf = (reference: string) =>
    present(
      accounts.find((account) => account.reference === reference),
      "it was polled",
    );
  expect(accountOf(main)).toMatchObject({ type: "INTERNAL", defaultAsset: "EUR/2" });
  expect(accountOf(recipient)).toMatchObject({ type: "EXTERNAL" });
  expect(payments).toMatchObject([
    { reference: String(before), type: "PAYOUT", status: "PENDING", amount: 1230n },
  ]);
  await eventually(async () => {
    const accountID = accountOf(main).id;
    const { v3BalancesCursorResponse: balances } = await v3.getAccountBalances({ accountID });
    expect(balances?.cursor.data).toMatchObject([{ balance: 12_050n, asset: "EUR/2" }]);
  });

  // A webhook changes a payment; forged, replayed and lost ones do not.
  const sent = wise.changeTransfer(before, "outgoing_payment_sent");
  const url = changesUrl();
  expect(await deliver(url, { ...sent, body: sent.body.replace("data", "date") })).toBe(401);
  expect(await deliver(url.replace(connectorID, connectorID.slice(0, -8)), sent)).toBeGreaterThan(
    399,
  );
  expect([await deliver(url, sent), await deliver(url, sent)]).toEqual([200, 200]);
  const paymentID = present(payments[0], "there is one").id;
  await eventually(async () => {
    const { v3GetPaymentResponse: payment } = await v3.getPayment({ paymentID });
    expect(payment?.data.status).toBe("SUCCEEDED");
    expect(payment?.data.adjustments).toHaveLength(2);
  });

  // A payout is approved, and made at the provider.
  const { v3InitiatePaymentResponse: initiated } = await v3.initiatePayment({
    v3InitiatePaymentRequest: {
      reference: "rent-march",
      connectorID,
      description: "rent",
      type: "PAYOUT",
      amount: 5000n,
      asset: "EUR/2",
      sourceAccountID: accountOf(main).id,
      destinationAccountID: accountOf(recipient).id,
      scheduledAt: new Date(),
    },
  });
  const { paymentInitiationID = "" } = initiated?.data ?? {};
  expect(wise.transfers).toHaveLength(1);
  await v3.approvePaymentInitiation({ paymentInitiationID });
  const initiation = async () =>
    (await v3.getPaymentInitiation({ paymentInitiationID })).v3GetPaymentInitiationResponse?.data;
  const related = await eventually(async () => {
    const { v3PaymentInitiationRelatedPaymentsCursorResponse: listed } =
      await v3.listPaymentInitiationRelatedPayments({ paymentInitiationID });
    return present(listed?.cursor.data[0], "the payment is related");
  });
  const made = present(wise.transfers[1], "it was made");
  expect(related).toMatchObject({ reference: String(made.id), status: "PENDING", type: "PAYOUT" });
  expect((await initiation())?.status).toBe("PROCESSING");

  // The provider reports success later.
  const later = new Date().toISOString();
  expect(await deliver(url, wise.changeTransfer(made.id, "outgoing_payment_sent", later))).toBe(
    200,
  );
  await eventually(async () => expect((await initiation())?.status).toBe("PROCESSED"));

  // Events are delivered, and both payouts are booked.
  await eventually(() => {
    for (const type of EVENT_TYPES) expect([...started.receivedTypes]).toContain(type);
    expect(started.receiver.deliveries.every(({ isSigned }) => isSigned)).toBe(true);
  });
  await eventually(async () => {
    const balances = Object.entries(await started.balancesOf(ledger));
    // An account of the connector has its reference at the end.
    const booked = balances.map(([address, amounts]) => [address.split(":").at(-1), amounts]);
    expect(Object.fromEntries(booked)).toEqual({
      [main]: { "EUR/2": -6230 },
      [recipient]: { "EUR/2": 6230 },
    });
  });
});
