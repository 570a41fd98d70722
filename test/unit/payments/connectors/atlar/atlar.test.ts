import { describe, expect, test } from "vitest";
import { STATUSES, toPayment } from "#modules/payments/connectors/atlar/payments.ts";
import { STATUSES as TRANSFER_STATUSES } from "#modules/payments/connectors/atlar/transfers.ts";
import type { BankAccountDetails } from "#modules/payments/connectors/contract.ts";
import { present } from "#platform/assert.ts";
import { atlarSubject as subject, ofAccount, payout, SPEC } from "#test/support/payments/atlar.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll } from "#test/support/payments/plugins.ts";
import { FakeAtlar } from "#test/support/psp/atlar.ts";
import { assertRefused } from "#test/support/psp/suite.ts";

connectorConformance<FakeAtlar>(subject);

const spec = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [SPEC + name, value]));

describe("accounts of Atlar", () => {
  test("accounts of Atlar are reported with their bank, whose name is asked for once", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount();
    psp.addAccount({ thirdPartyId: null, bank: null, identifiers: null, fictive: null });
    psp.addAccount();
    const { items } = await fetchAll(plugin.fetchAccounts);
    expect(items).toMatchObject([
      {
        reference: "accounts-1",
        name: "Main account",
        createdAt: "2026-02-02T02:40:01.000000Z",
        defaultAsset: "EUR/2",
        metadata: spec({
          fictive: "false",
          "bank/id": "NDEAFIHH",
          "bank/name": "Nordic Bank",
          "bank/bic": "NDEAFIHH",
          "identifier/FI/IBAN": "FI2112345600000785",
          alias: "ops",
          "owner/name": "Florin AB",
        }),
      },
      { reference: "accounts-2", metadata: spec({ alias: "ops", "owner/name": "Florin AB" }) },
      { reference: "accounts-3" },
    ]);
    expect(items[0]?.raw).not.toContain("FI2112345600000785");
    const asked = psp.requests.filter(({ path }) => path.includes("third-parties"));
    expect(asked).toHaveLength(1);
  });

  test("accounts of Atlar have the last balance that the bank has reported", async () => {
    const { psp, plugin } = openBench(subject);
    const accountReference = psp.addAccount();
    const read = () => plugin.fetchBalances?.({ ...ofAccount(), state: undefined, pageSize: 9 });
    const createdAt = "2026-02-03T08:00:00.000000Z";
    const balance = { accountReference, createdAt, amount: 12_050n, asset: "EUR/2" };
    expect((await read())?.items).toEqual([balance]);
    psp.itemsOf("accounts").splice(0);
    psp.addAccount({ id: accountReference, balance: null });
    expect((await read())?.items).toEqual([]);
  });

  test("accounts of counterparties of Atlar have their names", async () => {
    const { psp, plugin } = openBench(subject);
    const counterpartyId = psp.addCounterparty();
    psp.addExternalAccount({ counterpartyId });
    const { items } = await fetchAll(plugin.fetchExternalAccounts);
    expect(items).toMatchObject([
      {
        name: "Landlord",
        metadata: spec({
          "bank/bic": "AGRIFRPP",
          "identifier/FR/IBAN": "FR7630006000011234567890189",
          "owner/name": "Landlord",
          "owner/type": "COMPANY",
          "owner/contact/email": "rent@example.com",
        }),
      },
    ]);
  });
});

const transaction = (value: number, more: object = {}) => {
  const psp = new FakeAtlar();
  psp.addTransaction(value, { ...more });
  return toPayment(psp.itemsOf("transactions")[0], {});
};

describe("a transaction of Atlar", () => {
  test.each([
    [1050, "PAY-IN", "SEPA_DEBIT", 1050n, [undefined, "accounts-1"]],
    [0, "PAY-IN", "SEPA", 0n, [undefined, "accounts-1"]],
    [-1050, "PAYOUT", "SEPA_CREDIT", 1050n, ["accounts-1", undefined]],
  ])("a transaction of Atlar of %i is a %s", (...[value, type, scheme, amount, ends]) => {
    const payment = transaction(value);
    expect(payment).toMatchObject({ type, scheme, amount, asset: "EUR/2" });
    expect([payment?.sourceReference, payment?.destinationReference]).toEqual(ends);
    expect(payment?.metadata).toEqual(
      spec({
        description: "rent",
        "remittanceInformation/type": "UNSTRUCTURED",
        "remittanceInformation/value": "42",
      }),
    );
  });

  test.each([
    ["EXPECTED", "PENDING", "01.000000Z"],
    ["BOOKED", "SUCCEEDED", "01.000001Z"],
    ["RECONCILED", "SUCCEEDED", "01.000001Z"],
    ["constructor", "OTHER", "01.000001Z"],
    [null, "OTHER", "01.000001Z"],
  ])(
    "a transaction of Atlar that is %s has the status %s, and a time in its order",
    (status, expected, time) => {
      const payment = transaction(1050, { reconciliation: { status } });
      expect(payment?.status).toBe(expected);
      expect(payment?.createdAt).toBe(`2026-02-02T02:40:${time}`);
      expect(Object.keys(STATUSES)).toHaveLength(3);
    },
  );

  test("a transaction of Atlar may be in crowns of Denmark, and in no other currency than these and euros", () => {
    const amount = (currency: string) => ({ amount: { currency, value: 1050 } });
    expect(transaction(1, amount("DKK"))).toMatchObject({ amount: 1050n, asset: "DKK/2" });
    expect(transaction(1, amount("USD"))).toBeUndefined();
  });

  test("a transaction of Atlar has the bank of its account, which is asked for once in a page", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount();
    psp.addTransaction();
    psp.addTransaction();
    const { items } = await fetchAll(plugin.fetchPayments);
    const metadata = spec({ "account/name": "Main account", "bank/name": "Nordic Bank" });
    expect(items).toMatchObject([{ metadata }, { metadata }]);
    const asked = psp.requests.filter(({ path }) => path === "/v1/accounts/accounts-1");
    expect(asked).toHaveLength(1);
  });
});

describe("a payout at Atlar", () => {
  const order = async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount();
    const result = await plugin.createPayout?.(payout());
    const poll = () => present(plugin.pollPayout, "it is asked for")("order-1");
    return { psp, plugin, result, poll };
  };

  test("a payout at Atlar is a credit transfer of today under its reference", async () => {
    const { psp, result } = await order();
    expect(result).toEqual({ pollingId: "order-1" });
    expect(psp.requests.at(-1)?.json()).toEqual({
      paymentSchemeType: "SCT",
      amount: { currency: "EUR", stringValue: "10.50" },
      date: "2026-03-01",
      sourceAccountId: "accounts-1",
      destinationExternalAccountId: "external-accounts-2",
      externalId: "order-1",
      remittanceInformation: { type: "UNSTRUCTURED", value: "rent" },
    });
  });

  test.each(["CREATED", "SENT", "EXECUTED", "lately invented", "toString"])(
    "a payout at Atlar that is %s goes on",
    async (status) => {
      const { psp, poll } = await order();
      psp.change("order-1", { status });
      expect(await poll()).toEqual({ pending: true });
    },
  );

  test.each(["REJECTED", "FAILED", "RETURNED"])(
    "a payout at Atlar that is %s has failed",
    async (status) => {
      const { psp, poll } = await order();
      psp.change("order-1", { status });
      expect(await poll()).toEqual({ error: `payment failed: ${status}` });
      expect(Object.keys(TRANSFER_STATUSES)).toHaveLength(4);
    },
  );

  test("a payout at Atlar that is RECONCILED is the transaction that was booked", async () => {
    const { psp, poll } = await order();
    psp.change("order-1", { status: "RECONCILED" });
    expect(await poll()).toEqual({ pending: true });
    const bookedTransactionId = psp.addTransaction(-1050);
    psp.change("order-1", { reconciliation: { bookedTransactionId } });
    expect(await poll()).toMatchObject({
      payment: { reference: bookedTransactionId, type: "PAYOUT", status: "SUCCEEDED" },
    });
  });

  test("a payout at Atlar that the provider does not show yet goes on", async () => {
    const { plugin } = openBench(subject);
    expect(await plugin.pollPayout?.("order-9")).toEqual({ pending: true });
  });

  test("a payout at Atlar is found by its reference, with its time, unless it is of other money", async () => {
    const { psp, plugin } = await order();
    const find = present(plugin.findMovement, "it can be asked");
    const { reference, type, createdAt, amount, asset } = payout();
    const sought = { reference, type, createdAt, amount, asset };
    expect(await find({ ...sought, reference: "order-9" })).toBe("none");
    expect(await find(sought)).toEqual({ pollingId: "order-1" });
    psp.change("order-1", { created: "2026-03-01T10:00:00Z" });
    expect(await find(sought)).toEqual({
      pollingId: "order-1",
      createdAt: "2026-03-01T10:00:00.000000Z",
    });
    psp.change("order-1", { amount: { currency: "EUR", stringValue: "10.51" } });
    expect(await find(sought)).toEqual({ otherOrder: "a credit transfer of 10.51 EUR" });
    psp.change("order-1", { amount: undefined });
    expect(await find(sought)).toBe("unknown");
  });

  const { source: _source, ...sourceless } = payout();
  const { destination: _destination, ...aimless } = payout();
  test.each([
    ["without a source", sourceless, "source account is required"],
    ["without a destination", aimless, "destination account is required"],
    ["of nothing", payout({ amount: 0n }), "amount must be positive"],
    ["in another currency", payout({ asset: "USD/2" }), "USD/2"],
  ])("a payout at Atlar, asked for %s, is refused without a call", async (_, asked, message) => {
    const { psp, plugin } = openBench(subject);
    const call = plugin.createPayout?.(asked);
    await assertRefused(psp, call, message);
  });
});

describe("a bank account for Atlar", () => {
  const { details } = subject.bankAccounts;
  const create = async (account: BankAccountDetails) => {
    const { psp, plugin } = openBench(subject);
    const made = await plugin.createBankAccount?.(account);
    return { made, request: present(psp.requests.at(-1), "it asks the provider") };
  };

  test("a bank account for Atlar becomes the account of a counterparty", async () => {
    const contact = {
      "owner/contact/email": "a@example.com",
      "owner/contact/address/city": "Oslo",
    };
    const metadata = { ...details.metadata, ...spec(contact) };
    const { made, request } = await create({ ...details, metadata, accountNumber: "123456789" });
    const number = { holderName: "Landlord", market: "FR" };
    expect(request.json()).toEqual({
      name: "Landlord",
      partyType: "COMPANY",
      contactDetails: { email: "a@example.com", address: { city: "Oslo" } },
      externalAccounts: [
        {
          bank: { bic: "AGRIFRPP" },
          identifiers: [
            { ...number, type: "IBAN", number: details.iban },
            { ...number, type: "ACCOUNT_NUMBER", number: "123456789" },
          ],
        },
      ],
      externalMetadata: { florin_bank_account: details.id },
    });
    expect(made).toMatchObject({ name: "Landlord", metadata: spec({ "owner/type": "COMPANY" }) });
  });

  const { iban: _iban, country: _country, ...bare } = details;
  test.each([
    ["a name", { ...details, metadata: {} }, "owner/name is required"],
    ["a type", { ...details, metadata: spec({ "owner/name": "A" }) }, "owner/type is required"],
    [
      "a known type",
      { ...details, metadata: spec({ "owner/name": "A", "owner/type": "CLUB" }) },
      "'CLUB', and not one of INDIVIDUAL, COMPANY",
    ],
    ["a country", { ...bare, accountNumber: "123456789" }, "the country of the bank account"],
    ["a number", { ...bare, country: "FR" }, "an IBAN or an account number is required"],
  ])("a bank account for Atlar is not made without %s", async (_, account, message) => {
    const { psp, plugin } = openBench(subject);
    const call = plugin.createBankAccount?.(account);
    await assertRefused(psp, call, message);
  });

  test("a bank account for Atlar is found among the counterparties, however many there are", async () => {
    const { psp, plugin } = openBench(subject);
    for (let count = 0; count < 150; count++) psp.addCounterparty();
    const first = await plugin.createBankAccount?.(details);
    expect(await plugin.createBankAccount?.(details)).toEqual(first);
    expect(psp.itemsOf("counterparties")).toHaveLength(151);
  });
});
