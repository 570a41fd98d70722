import { describe, expect, test } from "vitest";
import {
  REFUND_STATUSES,
  STATUSES,
  toPayment,
  TYPES,
} from "#modules/payments/connectors/mangopay/payments.ts";
import { EVENTS } from "#modules/payments/connectors/mangopay/webhooks.ts";
import { present } from "#platform/assert.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import {
  mangopaySubject as subject,
  ofUser,
  ofWallet,
  USER,
  WALLET,
} from "#test/support/payments/mangopay.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import { FakeMangopay } from "#test/support/psp/mangopay.ts";

connectorConformance<FakeMangopay>(subject);

const page = { state: undefined, pageSize: 100 };

describe("objects of Mangopay", () => {
  test("objects of Mangopay are read for each user, of whom only the id is stored", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addUser();
    const { items } = await fetchAll(plugin.fetchOthers);
    expect(items).toEqual([{ reference: USER, raw: `{"Id":"${USER}"}` }]);
  });

  test("wallets of Mangopay have their user and a balance", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addWallet(USER);
    psp.addWallet("somebody else");
    const accounts = await plugin.fetchAccounts?.({ ...page, ...ofUser() });
    expect(accounts?.items).toMatchObject([
      {
        reference: WALLET,
        name: "Main wallet",
        createdAt: "2026-02-02T02:40:01.000000Z",
        defaultAsset: "EUR/2",
        metadata: { userID: USER },
      },
    ]);
    expect((await plugin.fetchBalances?.({ ...page, ...ofWallet() }))?.items).toEqual([
      { accountReference: WALLET, createdAt: NOW, amount: 12_050n, asset: "EUR/2" },
    ]);
  });

  test("bank accounts of users of Mangopay are read without their numbers", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addBankAccount(USER, { IBAN: "FR7630006000011234567890189" });
    const accounts = await plugin.fetchExternalAccounts?.({ ...page, ...ofUser() });
    expect(accounts?.items).toMatchObject([{ name: "Ada", metadata: { user_id: USER } }]);
    expect(accounts?.items[0]?.raw).toContain('"IBAN":"***0189"');
  });

  test("objects of Mangopay are asked for with one token until it is no longer accepted", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addUser();
    await fetchAll(plugin.fetchOthers);
    await fetchAll(plugin.fetchOthers);
    expect(psp.tokens).toBe(1);
    psp.tokens = 5;
    expect((await fetchAll(plugin.fetchOthers)).items).toHaveLength(1);
    expect(psp.tokens).toBe(6);
  });
});

const transaction = (more: object) => {
  const psp = new FakeMangopay();
  psp.addTransaction({ ...more });
  return toPayment(psp.transactions[0]);
};

describe("a transaction of Mangopay", () => {
  test.each([
    ["PAYIN", "PAY-IN"],
    ["PAYOUT", "PAYOUT"],
    ["TRANSFER", "TRANSFER"],
    ["CONVERSION", "OTHER"],
    ["toString", "OTHER"],
    [null, "OTHER"],
  ])("a transaction of Mangopay of the type %s is a %s", (Type, type) => {
    expect(transaction({ Type })).toMatchObject({
      type,
      amount: 1050n,
      asset: "EUR/2",
      scheme: "OTHER",
      sourceReference: WALLET,
      destinationReference: "wlt_m_2",
    });
    expect(Object.keys(TYPES)).toHaveLength(3);
  });

  test.each([
    ["CREATED", "PENDING", "01.000000Z"],
    ["SUCCEEDED", "SUCCEEDED", "01.000001Z"],
    ["FAILED", "FAILED", "01.000001Z"],
    ["constructor", "OTHER", "01.000001Z"],
  ])(
    "a transaction of Mangopay that is %s has the status %s, and a time in its order",
    (Status, status, time) => {
      const payment = transaction({ Status });
      expect(payment?.status).toBe(status);
      expect(payment?.createdAt).toBe(`2026-02-02T02:40:${time}`);
      expect(Object.keys(STATUSES)).toHaveLength(3);
    },
  );

  test("a transaction of Mangopay to a bank account has this destination, and the time at which it was made", () => {
    const more = { CreditedWalletId: null, BankAccountId: "bankacc_m_9" };
    const done = { Status: "SUCCEEDED", ExecutionDate: 1_770_000_060 };
    expect(transaction({ Type: "PAYOUT", ...more, ...done })).toMatchObject({
      destinationReference: "bankacc_m_9",
      createdAt: "2026-02-02T02:41:00.000001Z",
    });
  });

  test("a transaction of Mangopay that waits for money is no payment yet", () => {
    expect(transaction({ Type: "PAYIN", DebitedFunds: null })).toBeUndefined();
  });
});

describe("a refund of Mangopay", () => {
  const REFUND = {
    Type: "PAYOUT",
    Nature: "REFUND",
    InitialTransactionId: "trn_0",
    DebitedWalletId: "wlt_m_2",
    CreditedWalletId: WALLET,
    DebitedFunds: { Currency: "EUR", Amount: 900 },
    CreditedFunds: { Currency: "EUR", Amount: 1000 },
  };

  test.each([
    ["PAYIN", "SUCCEEDED", "PAY-IN", "REFUNDED"],
    ["PAYOUT", "FAILED", "PAYOUT", "REFUNDED_FAILURE"],
    ["TRANSFER", "SUCCEEDED", "TRANSFER", "REFUNDED"],
  ])("a refund of a %s of Mangopay that has %s is a state of its payment", (...row) => {
    const [InitialTransactionType, Status, type, status] = row;
    expect(transaction({ ...REFUND, InitialTransactionType, Status })).toMatchObject({
      reference: "trn_m_1",
      parentReference: "trn_0",
      type,
      status,
      // The amount includes the fees that come back.
      amount: 1000n,
      // The accounts are those of the payment, not of the refund.
      sourceReference: WALLET,
      destinationReference: "wlt_m_2",
    });
    expect(Object.keys(REFUND_STATUSES)).toHaveLength(2);
  });

  test("a refund of Mangopay that is under way changes nothing yet", () => {
    expect(transaction({ ...REFUND, InitialTransactionType: "PAYIN" })).toBeUndefined();
  });

  test("a refund of Mangopay belongs to its payment in the list of a wallet as well", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addTransaction({ ...REFUND, InitialTransactionType: "PAYIN", Status: "SUCCEEDED" });
    const payments = await plugin.fetchPayments?.({ ...page, ...ofWallet() });
    expect(payments?.items).toMatchObject([{ parentReference: "trn_0", status: "REFUNDED" }]);
  });
});

describe("a notification of Mangopay", () => {
  const open = async () => {
    const { psp, plugin } = openBench(subject);
    const webhooks = present(plugin.webhooks, "it has webhooks");
    const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
    return { psp, webhooks, registration, configs: await webhooks.create(registration) };
  };

  test.each(EVENTS)(
    "a notification of Mangopay of the type $type causes a read of its object",
    async ({ type, urlPath, list }) => {
      const { psp, webhooks, configs } = await open();
      const config = present(
        configs.find((each) => each.urlPath === urlPath),
        "it is registered",
      );
      const refund = { InitialTransactionId: "trn_0", InitialTransactionType: "PAYIN" };
      const more = list === "refunds" ? refund : {};
      const id = psp.addTransaction({ Status: "SUCCEEDED", ...more });
      const webhook = toWebhook(config, psp.notify(urlPath, id));
      expect(await webhooks.verify(webhook)).toEqual({ key: `${type} ${id} 1770000000` });
      expect((await webhooks.translate(webhook)).payments).toMatchObject([{ reference: id }]);
      expect(psp.requests.at(-1)?.path).toBe(`/v2.01/florin/${list}/${id}`);
      expect(EVENTS).toHaveLength(17);
    },
  );

  test.each([
    ["of another event", { EventType: ["PAYIN_NORMAL_FAILED"] }],
    ["without an object", { RessourceId: [] }],
    ["without a time", { Date: [""] }],
  ])("%s is refused", async (_, more) => {
    const { psp, webhooks, configs } = await open();
    const [config] = configs;
    const sent = psp.notify("/transfer/created", psp.addTransaction());
    const query = { ...sent.query, ...more };
    const webhook = toWebhook(present(config, "it is registered"), { ...sent, query });
    expect(await webhooks.verify(webhook)).toHaveProperty("refused");
  });

  test("hooks of Mangopay that are disabled or lead elsewhere are registered anew", async () => {
    const { psp, webhooks, registration } = await open();
    const [first, second] = psp.hooks;
    const url = present(first, "it is there").Url;
    psp.hooks[0] = { ...present(first, "it is there"), Validity: "INVALID" };
    psp.hooks[1] = { ...present(second, "it is there"), Url: "https://other.example/hook" };
    const before = psp.requests.length;
    await webhooks.create(registration);
    expect(psp.hooks[0]).toMatchObject({ Url: url, Status: "ENABLED", Validity: "VALID" });
    expect(psp.hooks[1]).toMatchObject({ Url: second?.Url, Status: "ENABLED" });
    expect(psp.hooks).toHaveLength(EVENTS.length);
    const methods = psp.requests.slice(before).map(({ method }) => method);
    expect(methods).toEqual(["GET", "PUT", "PUT", "PUT"]);
  });
});
