import { describe, expect, test } from "vitest";
import { qontoKind } from "#modules/payments/connectors/qonto/index.ts";
import { STATUSES, toPayment, TYPES } from "#modules/payments/connectors/qonto/payments.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll } from "#test/support/payments/plugins.ts";
import { FakeQonto, problem, QONTO_CONFIG } from "#test/support/psp/qonto.ts";
import { accountOf } from "#test/support/psp/suite.ts";

const parent = accountOf("account-1");
const repeated = (count: number, add: () => string) => Array.from({ length: count }, add);

const subject = {
  kind: qontoKind,
  psp: () => new FakeQonto(),
  config: QONTO_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp, count) => repeated(count, () => psp.addBankAccount()) },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      add: (psp, count) => repeated(count, () => psp.addBeneficiary()),
    },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent }),
      max: 1,
      add: (psp, count) => repeated(count, () => `${psp.addBankAccount()} EUR/2`),
    },
    {
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      add: (psp, count) => repeated(count, () => psp.addTransaction()),
    },
  ],
  errors: [
    { name: "a bad request", answer: () => problem(400, "bad_request"), kind: "invalid" },
    { name: "a fault", answer: () => problem(502, "bad_gateway"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the kind of a transaction",
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      arrange: (psp) => void psp.addTransaction({ subject_type: "LatelyInvented" }),
      expected: { type: "OTHER", status: "SUCCEEDED" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      arrange: (psp) => void psp.addTransaction({ currency: "XXX" }),
      expected: undefined,
    },
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      arrange: (psp) => void psp.addBankAccount({ currency: "XXX" }),
      expected: { reference: "account-1" },
    },
  ],
} as const satisfies Parameters<typeof connectorConformance<FakeQonto>>[0];

connectorConformance<FakeQonto>(subject);

const transaction = (more: object) => {
  const psp = new FakeQonto();
  psp.addTransaction(more);
  return toPayment(psp.transactions[0], "account-1");
};

describe("a transaction of Qonto", () => {
  test.each([
    ["Income", "PAY-IN"],
    ["SwiftIncome", "PAY-IN"],
    ["DirectDebitCollection", "PAY-IN"],
    ["FinancingIncome", "PAY-IN"],
    ["Check", "PAYOUT"],
    ["DirectDebit", "PAYOUT"],
    ["BillingTransfer", "PAYOUT"],
    ["FinancingInstallment", "PAYOUT"],
    ["Transfer", "PAYOUT"],
    ["Card", "PAYOUT"],
    ["PagodaPayment", "PAYOUT"],
    ["F24Payment", "PAYOUT"],
    ["WalletToWallet", "TRANSFER"],
    ["Other", "OTHER"],
    ["toString", "OTHER"],
  ])("a transaction of Qonto of the kind %s is a %s", (subject_type, type) => {
    expect(transaction({ subject_type })?.item.type).toBe(type);
    expect(Object.keys(TYPES)).toHaveLength(14);
  });

  test.each([
    ["pending", "PENDING"],
    ["declined", "FAILED"],
    ["completed", "SUCCEEDED"],
    ["reversed", "OTHER"],
  ])("a transaction of Qonto that is %s has the status %s", (status, expected) => {
    expect(transaction({ status })?.item.status).toBe(expected);
    expect(Object.keys(STATUSES)).toHaveLength(3);
  });

  test("a transaction of Qonto has its account and the counterparty at the right ends", () => {
    const party = {
      counterparty_account_number: "FR7630006000011234567890189",
      counterparty_bank_identifier: "AGRIFRPP",
    };
    const other = "FR7630006000011234567890189-AGRIFRPP";
    expect(transaction({ transfer: party })?.item).toMatchObject({
      sourceReference: "account-1",
      destinationReference: other,
      amount: 1234n,
      asset: "EUR/2",
      metadata: { label: "rent", operation_type: "transfer" },
    });
    const income = transaction({ side: "credit", subject_type: "Income", income: party })?.item;
    expect(income).toMatchObject({ sourceReference: other, destinationReference: "account-1" });
    const card = transaction({ subject_type: "Card" })?.item;
    expect(card?.sourceReference).toBe("account-1");
    expect(card).not.toHaveProperty("destinationReference");
  });

  test("a transaction of Qonto that is completed later comes again", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addTransaction({ status: "pending" });
    const read = (state: unknown) =>
      fetchAll((request) => plugin.fetchPayments?.({ ...request, parent }) ?? Promise.reject(), {
        state,
      });
    const first = await read(undefined);
    expect(first.items).toMatchObject([{ status: "PENDING" }]);
    const [pending] = psp.transactions.splice(0);
    psp.addTransaction({ id: pending?.id, emitted_at: pending?.["emitted_at"] });
    const second = await read(first.state);
    expect(second.items).toMatchObject([{ reference: pending?.id, status: "SUCCEEDED" }]);
  });
});

test("an account and a beneficiary of Qonto have the numbers that transactions name", async () => {
  const { psp, plugin } = openBench(subject);
  psp.addBankAccount();
  const bank_account = { currency: "EUR", iban: "FR7630006000011234567890189", bic: "AGRIFRPP" };
  psp.addBeneficiary({ bank_account });
  psp.addBeneficiary({ bank_account: { routing_number: "021000021", account_number: "987" } });
  psp.addBeneficiary({ bank_account: {} });
  const accounts = await fetchAll(plugin.fetchAccounts);
  expect(accounts.items).toMatchObject([
    {
      reference: "account-1",
      defaultAsset: "EUR/2",
      metadata: {
        bank_account_iban: "FR7616798000010000004321396",
        bank_account_bic: "TRZOFR21XXX",
        status: "active",
        is_external_account: "false",
        main: "true",
      },
    },
  ]);
  const beneficiaries = await fetchAll(plugin.fetchExternalAccounts);
  expect(beneficiaries.items.map(({ reference }) => reference)).toEqual([
    "FR7630006000011234567890189-AGRIFRPP",
    "987-021000021",
    "beneficiary-3",
  ]);
});
