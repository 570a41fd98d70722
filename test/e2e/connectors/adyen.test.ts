import { afterAll, beforeAll, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import {
  expectBooked,
  expectChange,
  expectEvents,
  expectRemoval,
  StartedConnector,
} from "#test/support/payments/started/connector.ts";
import { StartedPayments } from "#test/support/payments/started/server.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { ADYEN_CONFIG, ADYEN_ORIGIN, FakeAdyen } from "#test/support/psp/adyen.ts";
import { deliver } from "#test/support/psp/psp-server.ts";

const adyen = new FakeAdyen();
let started: StartedPayments;

beforeAll(async () => {
  started = await StartedPayments.start("adyen", adyen, ADYEN_ORIGIN);
});
afterAll(() => started.close());

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
