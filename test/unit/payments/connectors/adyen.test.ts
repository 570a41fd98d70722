import { describe, expect, test } from "vitest";
import { adyenKind } from "#modules/payments/connectors/adyen/index.ts";
import { EVENTS, SCHEMES, toPayment } from "#modules/payments/connectors/adyen/payments.ts";
import { parseConfig } from "#modules/payments/connectors/config.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import { memoryStore, NOW } from "#test/support/payments/plugins.ts";
import { ADYEN_CONFIG, FakeAdyen, problem, toEventDate } from "#test/support/psp/adyen.ts";

let deliveries = 0;

const subject = {
  kind: adyenKind,
  psp: () => new FakeAdyen(),
  config: ADYEN_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp: FakeAdyen, count: number) => psp.addMerchants(count) },
  ],
  errors: [
    {
      name: "a wrong field",
      answer: () => problem(422, "29_001", "Invalid page"),
      kind: "invalid",
    },
    { name: "a missing role", answer: () => problem(403, "00_403", "Forbidden"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "00_500", "Internal error"), kind: "unknown" },
  ],
  unknownValues: [],
  webhooks: {
    registered: (psp: FakeAdyen) => psp.webhooks.size,
    addForeign: (psp: FakeAdyen) =>
      psp.webhooks.set("foreign", { id: "foreign", type: "standard", description: "other" }),
    deliver: (psp, { urlPath, at }) =>
      psp.notify(urlPath, { pspReference: `psp-${++deliveries}`, eventDate: toEventDate(at) }),
    forgeries: {
      body: ({ headers, body }) => ({
        headers,
        body: body.replace('"value":1000', '"value":9000'),
      }),
      signature: ({ headers, body }) => ({
        headers,
        body: body.replace(/"hmacSignature":"../, '"hmacSignature":"AA'),
      }),
      absence: ({ headers, body }) => ({ headers, body: body.replace("hmacSignature", "other") }),
    },
    unknown: (psp, { urlPath }) => psp.notify(urlPath, { eventCode: "REPORT_AVAILABLE" }),
  },
} as const satisfies Parameters<typeof connectorConformance<FakeAdyen>>[0];

connectorConformance<FakeAdyen>(subject);

const item = (more: object) => ({
  pspReference: "psp-2",
  originalReference: "psp-1",
  merchantAccountCode: "Merchant1",
  merchantReference: "order-1",
  eventDate: "2026-03-01T09:00:00+01:00",
  success: "true",
  paymentMethod: "visa",
  amount: { value: 1000, currency: "EUR" },
  ...more,
});

describe("a notification of Adyen", () => {
  test.each([
    ["AUTHORISATION", "PAY-IN", "AUTHORISATION", undefined, "CARD_VISA", "FAILED"],
    ["AUTHORISATION_ADJUSTMENT", "PAY-IN", "AMOUNT_ADJUSTEMENT", "psp-1", "OTHER", undefined],
    ["CANCELLATION", "PAY-IN", "CANCELLED", "psp-1", "CARD_VISA", undefined],
    ["CAPTURE", "PAY-IN", "CAPTURE", "psp-1", "OTHER", undefined],
    ["CAPTURE_FAILED", "PAY-IN", "CAPTURE_FAILED", "psp-1", "OTHER", undefined],
    ["REFUND", "PAY-IN", "REFUNDED", "psp-1", "OTHER", undefined],
    ["REFUND_WITH_DATA", "PAY-IN", "REFUNDED", "psp-1", "OTHER", undefined],
    ["REFUND_FAILED", "PAY-IN", "REFUNDED_FAILURE", "psp-1", "OTHER", undefined],
    ["REFUNDED_REVERSED", "PAY-IN", "REFUND_REVERSED", "psp-1", "OTHER", undefined],
    ["PAYOUT_THIRDPARTY", "PAYOUT", "SUCCEEDED", undefined, "OTHER", "FAILED"],
    ["PAYOUT_DECLINE", "PAYOUT", "FAILED", "psp-1", "OTHER", undefined],
    ["PAYOUT_EXPIRE", "PAYOUT", "EXPIRED", "psp-1", "OTHER", undefined],
  ])(
    "the notification %s of Adyen is a %s with the status %s",
    (...[eventCode, type, status, parent, scheme, failed]) => {
      const payment = toPayment(item({ eventCode }));
      expect(payment).toMatchObject({
        reference: "psp-2",
        type,
        status,
        scheme,
        amount: 1000n,
        asset: "EUR/2",
        createdAt: "2026-03-01T08:00:00.000000Z",
      });
      expect(payment?.parentReference).toBe(parent);
      const merchant = [payment?.sourceReference, payment?.destinationReference];
      expect(merchant).toEqual(
        type === "PAYOUT" ? ["Merchant1", undefined] : [undefined, "Merchant1"],
      );
      // A notification of a failed request has the status of the failure, or makes no payment.
      expect(toPayment(item({ eventCode, success: "false" }))?.status).toBe(failed);
    },
  );

  test("the table of notifications of Adyen has a row for each code", () => {
    expect(Object.keys(EVENTS)).toHaveLength(12);
  });

  test.each([
    ["visa", "CARD_VISA"],
    ["electron", "CARD_VISA"],
    ["amex", "CARD_AMEX"],
    ["alipay_hk", "CARD_ALIPAY"],
    ["cup", "CARD_CUP"],
    ["discover", "CARD_DISCOVER"],
    ["doku_wallet", "DOKU"],
    ["dragonpay_ebanking", "DRAGON_PAY"],
    ["jcb", "CARD_JCB"],
    ["maestro", "MAESTRO"],
    ["mc_applepay", "CARD_MASTERCARD"],
    ["molpay_boost", "MOL_PAY"],
    ["diners", "CARD_DINERS"],
    ["ideal", "OTHER"],
    [undefined, "OTHER"],
  ])(
    "a notification of Adyen with the payment method %s has the scheme %s",
    (paymentMethod, scheme) => {
      expect(toPayment(item({ eventCode: "AUTHORISATION", paymentMethod }))?.scheme).toBe(scheme);
      expect(SCHEMES).toHaveLength(13);
    },
  );

  test.each([
    ["JPY", 1000, 1000n, "JPY"],
    // The provider counts decimals of these currencies otherwise than ISO 4217.
    ["CLP", 1000, 10n, "CLP"],
    ["ISK", 1000, 10n, "ISK"],
    ["CVE", 10, 1000n, "CVE/2"],
    ["IDR", 10, 1000n, "IDR/2"],
    ["KWD", 1000, 1000n, "KWD/3"],
  ])(
    "a notification of Adyen with %s %i has the amount %i %s",
    (...[currency, value, amount, asset]) => {
      const payment = toPayment(item({ eventCode: "AUTHORISATION", amount: { value, currency } }));
      expect(payment).toMatchObject({ amount, asset });
    },
  );

  test("a notification of Adyen with another code, or an unknown currency, reports nothing", () => {
    expect(toPayment(item({ eventCode: "REPORT_AVAILABLE" }))).toBeUndefined();
    expect(toPayment(item({ eventCode: "toString" }))).toBeUndefined();
    const amount = { value: 1, currency: "XXX" };
    expect(toPayment(item({ eventCode: "CAPTURE", amount }))).toBeUndefined();
  });
});

describe("the webhook of Adyen", () => {
  async function registered(config = ADYEN_CONFIG) {
    const bench = openBench({ ...subject, config });
    const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
    const [webhook] = (await bench.plugin.webhooks?.create(registration)) ?? [];
    if (webhook === undefined) throw new Error("a webhook is registered");
    return { ...bench, webhook };
  }

  test("the webhook of Adyen is registered with the settings that the provider wants", async () => {
    const { psp } = await registered();
    expect([...psp.webhooks.values()]).toMatchObject([
      {
        active: true,
        communicationFormat: "json",
        description: CONNECTOR_ID,
        filterMerchantAccountType: "allAccounts",
        sslVersion: "TLSv1.3",
        type: "standard",
        url: `${BASE_URL}/standard`,
        username: "florin",
      },
    ]);
  });

  test.each([
    ["", "", undefined, true],
    ["", "", "florin:x", false],
    ["florin", "x", "florin:x", true],
    ["florin", "x", "florin:y", false],
    ["florin", "x", undefined, false],
    ["florin", "", "florin:", false],
    ["", "x", ":x", false],
  ])(
    "the webhook of Adyen with the user '%s' and the password '%s' takes %s: %s",
    async (...row) => {
      const [webhookUsername, webhookPassword, given, isTaken] = row;
      const config = { ...ADYEN_CONFIG, webhookUsername, webhookPassword };
      const { psp, plugin, webhook } = await registered(config);
      const { body } = psp.notify("/standard", {});
      const headers = given === undefined ? {} : { authorization: `Basic ${btoa(given)}` };
      const verdict = await plugin.webhooks?.verify(toWebhook(webhook, { headers, body }));
      expect(verdict).toHaveProperty(isTaken ? "key" : "refused");
    },
  );

  test("the webhook of Adyen refuses a delivery of which one item is not signed", async () => {
    const { psp, plugin, webhook } = await registered();
    const { headers, body } = psp.notify("/standard", {}, { pspReference: "psp-9" });
    const changed = body.replace("psp-9", "psp-8");
    const verdict = await plugin.webhooks?.verify(toWebhook(webhook, { headers, body: changed }));
    expect(verdict).toEqual({ refused: "an item is not signed" });
  });

  test("the webhook of Adyen reports all items of a delivery", async () => {
    const { psp, plugin, webhook } = await registered();
    const capture = { eventCode: "CAPTURE", pspReference: "psp-2", originalReference: "psp-1" };
    const sent = psp.notify("/standard", { pspReference: "psp-1" }, capture);
    const report = await plugin.webhooks?.translate(toWebhook(webhook, sent));
    expect(report?.payments).toMatchObject([
      { reference: "psp-1", status: "AUTHORISATION" },
      { reference: "psp-2", parentReference: "psp-1", status: "CAPTURE" },
    ]);
  });
});

test("a prefix of live endpoints leads to the live platform", async () => {
  const { psp, plugin } = openBench({
    ...subject,
    config: { ...ADYEN_CONFIG, liveEndpointPrefix: "1797a841fbb37ca7-Florin" },
  });
  // The fake serves only the test platform, so that the live one answers 404.
  await expect(plugin.checkAccess?.()).rejects.toThrow("404");
  expect(psp.urls).toEqual([
    "https://management-live.adyen.com/v3/companies/FlorinCompany/webhooks?pageNumber=1&pageSize=50",
  ]);
});

test("a deployment may say where the platform is", async () => {
  const asked: string[] = [];
  const plugin = adyenKind.create(ADYEN_CONFIG, {
    fetch: async ({ url }) => {
      asked.push(url);
      return { status: 200, headers: new Headers(), text: '{"pagesTotal":1}', request: "GET" };
    },
    clock: () => NOW,
    store: memoryStore(),
    baseUrl: "http://127.0.0.1:5000",
  });
  await plugin.fetchAccounts?.({ state: undefined, pageSize: 2 });
  expect(asked).toEqual(["http://127.0.0.1:5000/v3/merchants?pageNumber=1&pageSize=2"]);
});

test.each([
  [
    { apiKey: "" },
    "Key: 'Config.APIKey' Error:Field validation for 'APIKey' failed on the 'required' tag",
  ],
  [{ companyID: "" }, "'Config.CompanyID'"],
  [{ liveEndpointPrefix: "%zz" }, "'LiveEndpointPrefix' failed on the 'url_encoded' tag"],
  [{ webhookUsername: "a:b" }, "'WebhookUsername' failed on the 'excludes' tag"],
])("the configuration %j of Adyen is not valid", (change, message) => {
  const body = { ...ADYEN_CONFIG, name: "adyen", ...change };
  const limits = { standardMs: 1_800_000, leastMs: 1_200_000 };
  expect(() => parseConfig(adyenKind.fields, body, limits)).toThrow(message);
});
