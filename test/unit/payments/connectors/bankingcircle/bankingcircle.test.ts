import { describe, expect, test } from "vitest";
import { STATUSES, toPayment, TYPES } from "#modules/payments/connectors/bankingcircle/payments.ts";
import { installConnector } from "#modules/payments/lifecycle/install.ts";
import { present } from "#platform/assert.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import {
  bankingcircleSubject as subject,
  DETAILS,
  ofAccount,
  payout,
  transfer,
  withAccounts,
} from "#test/support/payments/bankingcircle.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import { PollingWorld } from "#test/support/payments/worlds/polling-world.ts";
import {
  BANKINGCIRCLE_CONFIG,
  FakeBankingCircle,
  IDENTIFIER,
} from "#test/support/psp/bankingcircle.ts";
import { assertMovementRefused } from "#test/support/psp/suite.ts";

connectorConformance<FakeBankingCircle>(subject);

describe("a configuration of Banking Circle", () => {
  const { userCertificate, userCertificateKey } = subject.config;
  test.each([
    ["another certificate", { userCertificate: userCertificateKey }],
    ["no certificate", { userCertificate: "none" }],
    ["no key", { userCertificateKey: userCertificate }],
  ])("a configuration of Banking Circle with %s is refused without a call", async (_, more) => {
    const { psp, plugin } = openBench({ ...subject, config: { ...subject.config, ...more } });
    await expect(plugin.checkAccess?.()).rejects.toThrow("failed to load user certificate: ");
    expect(psp.requests).toEqual([]);
  });

  test("a configuration of Banking Circle with a certificate and its key is good", async () => {
    const { plugin } = openBench(subject);
    await expect(plugin.checkAccess?.()).resolves.toBeUndefined();
  });
});

test("requests go through the binding of a deployment that has a certificate", async () => {
  const psp = new FakeBankingCircle();
  const { context } = new PollingWorld();
  const env = { ...context.env, BANKINGCIRCLE_CERTIFICATE: { fetch: psp.fetch } };
  const body = { name: "bank", ...BANKINGCIRCLE_CONFIG };
  await installConnector({ ...context, env }, { provider: "bankingcircle", body });
  expect(psp.urls).toEqual([
    "https://authorization.bankingcircle.example/api/v1/authorizations/authorize",
    "https://api.bankingcircle.example/api/v1/accounts?PageNumber=1&PageSize=1",
  ]);
});

describe("accounts of Banking Circle", () => {
  test("accounts of Banking Circle have their description as a name, and the time of their opening", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount();
    const { items, state } = await fetchAll(plugin.fetchAccounts);
    expect(items).toMatchObject([
      {
        reference: "account-1",
        name: "Main account",
        createdAt: "2026-02-02T02:40:01.000000Z",
        defaultAsset: "EUR/2",
      },
    ]);
    await fetchAll(plugin.fetchAccounts, { state });
    expect(psp.requests.at(-1)?.query.get("OpeningDateFrom")).toBe("2026-02-02T02:40:01Z");
  });

  test("accounts of Banking Circle have as balance the opening balance of the day and what has moved since", async () => {
    const { psp, plugin } = openBench(subject);
    const accountReference = psp.addAccount();
    const none = psp.addAccount({ balances: null });
    const odd = psp.addAccount({
      balances: [{ currency: "XXX", beginOfDayAmount: 1, intraDayAmount: 0 }],
    });
    const read = (reference: string) =>
      plugin.fetchBalances?.({ ...ofAccount(reference), state: undefined, pageSize: 9 });
    expect((await read(accountReference))?.items).toEqual([
      { accountReference, createdAt: NOW, amount: 10_025n, asset: "EUR/2" },
    ]);
    for (const reference of [none, odd, "gone"]) {
      expect((await read(reference))?.items).toEqual([]);
    }
  });
});

const payment = (more: object) => {
  const psp = new FakeBankingCircle();
  psp.addPayment({ ...more });
  // The number is sent as JSON, because a fraction must keep its digits.
  return toPayment(parseJson(stringifyJson(psp.payments[0])));
};

describe("a payment of Banking Circle", () => {
  test.each([
    ["Incoming", "PAY-IN"],
    ["Outgoing", "PAYOUT"],
    ["Own", "TRANSFER"],
    ["toString", "OTHER"],
    [null, "OTHER"],
  ])("a payment of Banking Circle that is %s is a %s", (classification, type) => {
    expect(payment({ classification, creditorInformation: { accountId: "account-2" } })).toEqual(
      expect.objectContaining({
        reference: "payment-1",
        type,
        amount: 1050n,
        asset: "EUR/2",
        scheme: "OTHER",
        createdAt: "2026-02-02T02:40:01.000000Z",
        sourceReference: "account-1",
        destinationReference: "account-2",
      }),
    );
    expect(Object.keys(TYPES)).toHaveLength(3);
  });

  test.each([
    ["Processed", "SUCCEEDED"],
    ["PendingProcessing", "PENDING"],
    ["MissingFunding", "PENDING"],
    ["Rejected", "FAILED"],
    ["Cancelled", "FAILED"],
    ["Reversed", "FAILED"],
    ["Returned", "FAILED"],
    ["ScaPending", "OTHER"],
    ["constructor", "OTHER"],
  ])("a payment of Banking Circle that is %s has the status %s", (status, expected) => {
    expect(payment({ status })?.status).toBe(expected);
    expect(Object.keys(STATUSES)).toHaveLength(7);
  });

  test("a payment of Banking Circle with a changed status comes again, and the others do not", async () => {
    const { psp, plugin } = openBench(subject);
    const pending = psp.addPayment({ status: "PendingProcessing" });
    psp.addPayment();
    const { state } = await fetchAll(plugin.fetchPayments);
    expect((await fetchAll(plugin.fetchPayments, { state })).items).toEqual([]);
    psp.change(pending, "Processed");
    const { items } = await fetchAll(plugin.fetchPayments, { state });
    expect(items).toMatchObject([{ reference: pending, status: "SUCCEEDED" }]);
  });
});

describe("a movement at Banking Circle", () => {
  const body = {
    idempotencyKey: "order-1",
    requestedExecutionDate: "2026-03-01T09:30:00Z",
    debtorAccount: IDENTIFIER,
    debtorReference: "rent",
    currencyOfTransfer: "EUR",
    chargeBearer: "SHA",
  };

  test("a movement at Banking Circle between own accounts goes from the first identifier of the source to the first of the destination", async () => {
    const { psp, plugin } = openBench(subject);
    withAccounts(psp);
    const result = await plugin.createTransfer?.(transfer());
    const posted = psp.requests.find(({ method }) => method === "POST");
    expect(posted?.text).toContain('"amount":{"currency":"EUR","amount":10.50}');
    expect(posted?.json()).toMatchObject({
      ...body,
      creditorAccount: { ...IDENTIFIER, account: "DK9000400440116299" },
      creditorName: "Savings",
    });
    expect(result).toMatchObject({
      payment: {
        reference: "payment-3",
        type: "TRANSFER",
        status: "PENDING",
        amount: 1050n,
        sourceReference: "account-1",
        destinationReference: "account-2",
      },
    });
  });

  test("a movement at Banking Circle to a bank account has its numbers, which only the plugin stores", async () => {
    const { psp, plugin } = openBench(subject);
    withAccounts(psp);
    const account = await plugin.createBankAccount?.(DETAILS);
    expect(account).toEqual({
      reference: DETAILS.id,
      createdAt: NOW,
      name: "Landlord",
      metadata: { order: "42" },
      raw: "{}",
    });
    const result = await plugin.createPayout?.(payout());
    const posted = psp.requests.find(({ method }) => method === "POST");
    expect(posted?.json()).toMatchObject({
      ...body,
      creditorAccount: {
        account: DETAILS.iban,
        financialInstitution: "AGRIFRPP",
        country: "FR",
      },
      creditorName: "Landlord",
    });
    expect(result).toMatchObject({
      payment: { type: "PAYOUT", destinationReference: DETAILS.id },
    });
  });

  const { source: _source, ...sourceless } = transfer();
  const { destination: _destination, ...aimless } = payout();
  const nameless = { reference: DETAILS.id, metadata: {} };
  test.each([
    ["without a source", sourceless, "source account is required"],
    ["without a destination", aimless, "destination account is required"],
    ["of nothing", payout({ amount: 0n }), "amount must be positive"],
    ["in another asset", transfer({ asset: "GOLD/2" }), "GOLD/2"],
    ["to nobody", payout({ destination: nameless }), "destination account name is required"],
    [
      "to a bank account that is not known",
      payout({ destination: { ...nameless, name: "Landlord" } }),
      "that was forwarded here",
    ],
  ])("%s is refused without a call", async (_, asked, message) => {
    await assertMovementRefused(openBench(subject), asked, message);
  });

  test("a movement at Banking Circle from an account without an identifier is refused", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount({ accountIdentifiers: [] });
    psp.addAccount();
    const call = plugin.createTransfer?.(transfer());
    await expect(call).rejects.toThrow("the account has no identifier at the bank");
    expect(psp.payments).toEqual([]);
  });

  test.each([
    ["has another currency", { transfer: { amount: { currency: "USD", amount: 1 } } }],
    ["has an unknown currency", { transfer: { amount: { currency: "XXX", amount: 1 } } }],
    ["cannot be read", { transfer: null }],
  ])(
    "a movement at Banking Circle with a payment that is %s may have been made",
    async (_, answered) => {
      const { psp, plugin } = openBench(subject);
      withAccounts(psp).answered = answered;
      const call = plugin.createTransfer?.(transfer());
      await expect(call).rejects.toMatchObject({ kind: "unknown" });
    },
  );

  test("a bank account for Banking Circle needs a number to be forwarded", async () => {
    const { plugin } = openBench(subject);
    const { iban: _iban, ...bare } = DETAILS;
    const call = present(plugin.createBankAccount, "it takes bank accounts")(bare);
    await expect(call).rejects.toThrow("an IBAN or an account number is required");
  });
});
