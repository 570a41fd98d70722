import { describe, expect, test } from "vitest";
import { LISTS, toPayment } from "#modules/payments/connectors/increase/payments.ts";
import { CATEGORIES } from "#modules/payments/connectors/increase/sources.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { increaseSubject as subject, movement, parent } from "#test/support/payments/increase.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import { FakeIncrease } from "#test/support/psp/increase.ts";

connectorConformance<FakeIncrease>(subject);

describe("accounts of Increase", () => {
  test("accounts of Increase have the currency and the bank that the provider names", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount();
    const { items } = await fetchAll(plugin.fetchAccounts);
    expect(items).toMatchObject([
      {
        reference: "account_in1",
        name: "My first account!",
        createdAt: "2026-02-02T02:40:01.000000Z",
        defaultAsset: "USD/2",
        metadata: {
          "com.increase.spec/bank": "first_internet_bank",
          "com.increase.spec/entityID": "entity_1",
          "com.increase.spec/status": "open",
        },
      },
    ]);
  });

  test("accounts of Increase have a balance in the smallest unit of their currency", async () => {
    const { psp, plugin } = openBench(subject);
    const reference = psp.addAccount({ currency: "JPY", available: -7 });
    const account = { ...parent(reference), defaultAsset: "JPY" };
    const page = { parent: account, state: undefined, pageSize: 100 };
    expect((await plugin.fetchBalances?.(page))?.items).toEqual([
      { accountReference: reference, createdAt: NOW, amount: -7n, asset: "JPY" },
    ]);
  });

  test("accounts of Increase at other banks are kept without their numbers", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addExternalAccount();
    const { items } = await fetchAll(plugin.fetchExternalAccounts);
    expect(items).toMatchObject([
      {
        name: "Landlord",
        metadata: {
          "com.increase.spec/accountHolder": "business",
          "com.increase.spec/routingNumber": "101050001",
        },
      },
    ]);
    expect(items[0]?.raw).toContain('"account_number":"***1012"');
  });

  test("accounts of Increase are asked for since the newest known one", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount();
    const twin = { created_at: "2026-02-02T02:40:01Z" };
    const { state } = await fetchAll(plugin.fetchAccounts);
    psp.addAccount(twin);
    const { items } = await fetchAll(plugin.fetchAccounts, { state });
    expect(items.map(({ reference }) => reference)).toEqual(["account_in2"]);
    expect(psp.requests.at(-1)?.query.get("created_at.on_or_after")).toBe("2026-02-02T02:40:01Z");
  });
});

const { details } = subject.bankAccounts;

describe("a bank account for Increase", () => {
  test.each([
    ["routingNumber", "com.increase.spec/routingNumber is required"],
    ["accountHolder", "com.increase.spec/accountHolder is required"],
    ["description", "com.increase.spec/description is required"],
  ])("a bank account for Increase needs the metadata %s", async (name, message) => {
    const { plugin } = openBench(subject);
    const metadata = { ...details.metadata, [`com.increase.spec/${name}`]: "" };
    const made = plugin.createBankAccount?.({ ...details, metadata });
    await expect(made).rejects.toMatchObject({ kind: "invalid" });
    await expect(made).rejects.toThrow(message);
  });

  test("a bank account for Increase needs a number", async () => {
    const { plugin } = openBench(subject);
    const { accountNumber: _number, ...others } = details;
    await expect(plugin.createBankAccount?.(others)).rejects.toMatchObject({
      message: "account number is required",
    });
  });
});

/** The payment of a transaction of a list, whose source has a category. */
const transaction = (list: keyof typeof LISTS, category: string, more: object = {}) => {
  const psp = new FakeIncrease();
  psp.addTransaction(list, category, { ...more });
  return toPayment(list, psp.itemsOf(list)[0]);
};

describe("a transaction of Increase", () => {
  const PAY_INS =
    "inbound_ach_transfer inbound_check_adjustment inbound_fednow_transfer_confirmation inbound_fednow_transfer_decline inbound_funds_hold inbound_international_ach_transfer inbound_real_time_payments_transfer_confirmation inbound_real_time_payments_transfer_decline inbound_wire_drawdown_payment inbound_wire_transfer card_refund card_revenue_payment cashback_payment interest_payment sample_funds check_deposit_acceptance check_deposit_instruction check_deposit_rejection wire_decline";
  const PAYOUTS =
    "ach_transfer_intention ach_transfer_instruction card_push_transfer_acceptance card_push_transfer_instruction check_transfer_intention check_transfer_instruction check_transfer_deposit fednow_transfer_acknowledgement fednow_transfer_instruction real_time_payments_transfer_acknowledgement real_time_payments_transfer_instruction swift_transfer_intention swift_transfer_instruction wire_transfer_intention wire_transfer_instruction ach_decline card_authorization card_decline card_settlement check_decline fee_payment";
  const OTHERS = "card_dispute_acceptance card_dispute_loss internal_source user_initiated_hold";
  const rows: readonly (readonly [string, string, string])[] = [
    ...PAY_INS.split(" ").map((category) => [category, "PAY-IN", "SUCCEEDED"] as const),
    ...PAYOUTS.split(" ").map((category) => [category, "PAYOUT", "SUCCEEDED"] as const),
    ...OTHERS.split(" ").map((category) => [category, "OTHER", "SUCCEEDED"] as const),
    ["account_transfer_intention", "TRANSFER", "SUCCEEDED"],
    ["account_transfer_instruction", "TRANSFER", "SUCCEEDED"],
    ["inbound_ach_transfer_return_intention", "PAY-IN", "REFUNDED"],
    ["inbound_check_deposit_return_intention", "PAY-IN", "REFUNDED"],
    ["inbound_wire_transfer_reversal", "PAY-IN", "REFUNDED"],
    ["check_deposit_return", "PAY-IN", "REFUNDED"],
    ["ach_transfer_return", "PAYOUT", "REFUNDED"],
    ["check_transfer_return", "PAYOUT", "REFUNDED"],
    ["swift_transfer_return", "PAYOUT", "REFUNDED"],
    ["inbound_wire_reversal", "PAYOUT", "REFUNDED"],
    ["ach_transfer_rejection", "PAYOUT", "FAILED"],
    ["check_transfer_rejection", "PAYOUT", "FAILED"],
    ["wire_transfer_rejection", "PAYOUT", "FAILED"],
    ["check_transfer_stop_payment_request", "PAYOUT", "CANCELLED"],
  ];

  test.each(rows)(
    "a transaction of Increase with the category %s is a %s that is %s",
    (category, type, status) => {
      expect(transaction("transactions", category)).toMatchObject({ type, status });
    },
  );

  test("the tests of transactions of Increase have a case for each row of the table", () => {
    expect(rows.map(([category]) => category).toSorted()).toEqual(
      Object.keys(CATEGORIES).toSorted(),
    );
    expect(transaction("transactions", "toString")).toMatchObject({ type: "OTHER" });
  });

  test.each([
    ["pending_transactions", "PENDING"],
    ["transactions", "SUCCEEDED"],
    ["declined_transactions", "FAILED"],
  ] as const)("a transaction of Increase in the list of %s is %s", (list, status) => {
    expect(transaction(list, "card_settlement")).toMatchObject({ status, scheme: "OTHER" });
    // Only a posted transaction can be refunded.
    const returned = transaction(list, "inbound_wire_transfer_reversal");
    expect(returned?.status).toBe(list === "transactions" ? "REFUNDED" : status);
    expect(Object.keys(LISTS)).toHaveLength(3);
  });

  test.each([
    ["ach_transfer_intention", { transfer_id: "ach_transfer_7" }, "ach_transfer_7"],
    ["inbound_wire_reversal", { wire_transfer_id: "wire_transfer_7" }, "wire_transfer_7"],
    ["check_deposit_return", { check_deposit_id: "check_deposit_7" }, "check_deposit_7"],
    ["card_settlement", { pending_transaction_id: "pending_7" }, "pending_7"],
    ["fee_payment", {}, undefined],
  ])(
    "a transaction of Increase with the category %s is a state of the payment that it names",
    (category, details, parent) => {
      expect(transaction("transactions", category, { details })?.parentReference).toBe(parent);
    },
  );

  test("a transaction of Increase has its account at the right end, and an amount without a sign", () => {
    const payout = transaction("transactions", "ach_transfer_intention");
    expect(payout).toMatchObject({
      amount: 1050n,
      asset: "USD/2",
      sourceReference: "account_in1",
    });
    expect(payout).not.toHaveProperty("destinationReference");
    const payIn = transaction("transactions", "inbound_ach_transfer", { amount: 1050 });
    expect(payIn).toMatchObject({ amount: 1050n, destinationReference: "account_in1" });
    const odd = transaction("transactions", "internal_source", { amount: 5 });
    expect(odd).toMatchObject({ type: "OTHER", destinationReference: "account_in1" });
  });

  test("a transaction of Increase between own accounts is a transfer where it is paid, and a pay-in where it arrives", () => {
    const ends = { source_account_id: "account_in1", destination_account_id: "account_in2" };
    const details = { ...ends, transfer_id: "account_transfer_7" };
    const both = { sourceReference: "account_in1", destinationReference: "account_in2" };
    expect(transaction("transactions", "account_transfer_intention", { details })).toMatchObject({
      type: "TRANSFER",
      ...both,
    });
    const arrived = { details, amount: 1050, account_id: "account_in2" };
    expect(transaction("transactions", "account_transfer_intention", arrived)).toMatchObject({
      type: "PAY-IN",
      parentReference: "account_transfer_7",
      ...both,
    });
  });

  test("transactions of Increase in all lists are read in one run", async () => {
    const { psp, plugin } = openBench(subject);
    const ids = (Object.keys(LISTS) as (keyof typeof LISTS)[]).flatMap((list) =>
      [1, 2, 3, 4].map(() => psp.addTransaction(list, "card_settlement")),
    );
    const { items, state } = await fetchAll(plugin.fetchPayments);
    expect(items.map(({ reference }) => reference).toSorted()).toEqual(ids.toSorted());
    const later = psp.addTransaction("declined_transactions", "card_decline");
    const second = await fetchAll(plugin.fetchPayments, { state });
    expect(second.items.map(({ reference }) => reference)).toEqual([later]);
  });
});

test("a payout is followed by the transactions that name it", async () => {
  const { psp, plugin } = openBench(subject);
  const result = await plugin.createPayout?.(movement("PAYOUT"));
  if (result === undefined || !("payment" in result)) throw new Error("it makes a payment");
  const { reference } = result.payment;
  psp.addTransaction("transactions", "ach_transfer_intention", {
    details: { transfer_id: reference },
  });
  const { items } = await fetchAll(plugin.fetchPayments);
  expect(items).toMatchObject([{ parentReference: reference, type: "PAYOUT" }]);
});
