import { describe, expect, test } from "vitest";
import {
  STATUSES,
  statusOf,
  toPayment,
  TYPES,
} from "#modules/payments/connectors/column/payments.ts";
import { EVENTS } from "#modules/payments/connectors/column/webhooks.ts";
import type { BankAccountDetails } from "#modules/payments/connectors/contract.ts";
import { present } from "#platform/assert.ts";
import {
  accountOf,
  achTransfer,
  columnSubject as subject,
  SPEC,
} from "#test/support/payments/column.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import { FakeColumn } from "#test/support/psp/column.ts";

connectorConformance<FakeColumn>(subject);

describe("accounts of Column", () => {
  test("accounts of Column have their shown names, and the numbers that payers need", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addAccount();
    psp.addAccount({ display_name: "" });
    const { items } = await fetchAll(plugin.fetchAccounts);
    expect(items).toMatchObject([
      { reference: "bacc_2", name: "operations" },
      {
        reference: "bacc_1",
        name: "Main account",
        createdAt: "2026-02-02T02:40:01.000000Z",
        defaultAsset: "USD/2",
        metadata: {
          [`${SPEC}type`]: "CHECKING",
          [`${SPEC}bic`]: "CLNOUS66XXX",
          [`${SPEC}routing_number`]: "121145307",
          [`${SPEC}default_account_number_id`]: "acno_1",
        },
      },
    ]);
  });

  test("accounts of Column have their available amount as balance", async () => {
    const { psp, plugin } = openBench(subject);
    const accountReference = psp.addAccount();
    const parent = accountOf(accountReference);
    const page = await plugin.fetchBalances?.({ parent, state: undefined, pageSize: 100 });
    const balance = { accountReference, createdAt: NOW, amount: 12_050n, asset: "USD/2" };
    expect(page?.items).toEqual([balance]);
    const gone = { parent: accountOf("bacc_9"), state: undefined, pageSize: 100 };
    expect((await plugin.fetchBalances?.(gone))?.items).toEqual([]);
  });

  test("accounts of Column at other banks are kept without their numbers", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addCounterparty();
    const { items } = await fetchAll(plugin.fetchExternalAccounts);
    expect(items).toMatchObject([
      { name: "Landlord", metadata: { [`${SPEC}routing_number`]: "322271627" } },
    ]);
    expect(items[0]?.raw).toContain('"account_number":"***1012"');
  });
});

describe("a bank account for Column", () => {
  const OWNER = "com.formance.spec/owner/";
  const { details } = subject.bankAccounts;
  const create = (more: Partial<BankAccountDetails>) => {
    const { psp, plugin } = openBench(subject);
    return { psp, made: plugin.createBankAccount?.({ ...details, ...more }) };
  };
  const address = { [`${OWNER}addressLine1`]: "12 Main Street", [`${OWNER}city`]: "Boston" };

  test("a bank account for Column becomes a counterparty with the members of its metadata", async () => {
    const more = { [`${SPEC}account_type`]: "SAVINGS", [`${OWNER}email`]: "ada@example.com" };
    const metadata = { ...details.metadata, ...address, ...more };
    const { psp, made } = create({ metadata });
    await made;
    const request = psp.requests.at(-1);
    expect(request?.headers.get("idempotency-key")).toBe(details.id);
    expect(request?.json()).toEqual({
      name: "Landlord",
      account_number: "91000123451012",
      routing_number: "322271627",
      account_type: "SAVINGS",
      email: "ada@example.com",
      address: { line_1: "12 Main Street", city: "Boston", country_code: "US" },
    });
  });

  const { country: _country, ...nowhere } = details;
  const { accountNumber: _number, ...numberless } = details;
  test.each([
    ["a routing number", { ...details, metadata: {} }, "routing_number is required"],
    ["a number", numberless, "account number is required"],
    [
      "the city of its address",
      { ...details, metadata: { ...details.metadata, [`${OWNER}addressLine1`]: "12" } },
      "needs a city",
    ],
    [
      "the country of its address",
      { ...nowhere, metadata: { ...details.metadata, ...address } },
      "needs a country",
    ],
  ])("a bank account for Column is not made without %s", async (_, asked, message) => {
    const { psp, plugin } = openBench(subject);
    const made = plugin.createBankAccount?.(asked);
    await expect(made).rejects.toMatchObject({ kind: "invalid" });
    await expect(made).rejects.toThrow(message);
    expect(psp.requests).toEqual([]);
  });
});

const transfer = (more: object) => {
  const psp = new FakeColumn();
  psp.addTransfer({ ...more });
  return toPayment(psp.itemsOf("/transfers")[0]);
};

describe("a transfer of Column", () => {
  const [own, other] = ["bacc_1", "cpty_2"];
  test.each([
    ["BOOK", false, "TRANSFER", own, other],
    ["WIRE", false, "PAYOUT", own, other],
    ["SWIFT", false, "PAYOUT", own, other],
    ["REALTIME", false, "PAYOUT", own, other],
    ["CHECK_CREDIT", false, "PAYOUT", own, other],
    ["ACH_CREDIT", false, "PAYOUT", own, other],
    ["ach_credit", false, "PAYOUT", own, other],
    // An outgoing debit brings money from the other account.
    ["ACH_DEBIT", false, "TRANSFER", other, own],
    ["CHECK_DEBIT", false, "TRANSFER", own, other],
    ["toString", false, "TRANSFER", own, other],
    ["WIRE", true, "PAY-IN", other, own],
    ["ACH_CREDIT", true, "PAY-IN", other, own],
    ["BOOK", true, "TRANSFER", other, own],
    // An incoming debit takes money to the other account.
    ["ACH_DEBIT", true, "PAYOUT", own, other],
  ])(
    "a transfer of Column of the type %s, incoming: %s, is a %s",
    (...[type, is_incoming, expected, source, to]) => {
      expect(transfer({ type, is_incoming })).toMatchObject({
        type: expected,
        sourceReference: source,
        destinationReference: to,
        amount: 1050n,
        asset: "USD/2",
        scheme: "OTHER",
      });
      expect(Object.keys(TYPES)).toHaveLength(6);
    },
  );

  test("a transfer of Column between two accounts of the bank has both of them", () => {
    const ends = { sender_bank_account_id: "bacc_5", receiver_bank_account_id: "bacc_6" };
    expect(transfer({ type: "BOOK", ...ends })).toMatchObject({
      type: "TRANSFER",
      sourceReference: "bacc_5",
      destinationReference: "bacc_6",
      metadata: { [`${SPEC}type`]: "book", [`${SPEC}description`]: "rent" },
    });
  });

  const rows: readonly (readonly [string, string])[] = [
    ["submitted", "PENDING"],
    ["initiated", "PENDING"],
    ["scheduled", "PENDING"],
    ["acknowledged", "PENDING"],
    ["cancellation_requested", "PENDING"],
    ["completed", "SUCCEEDED"],
    ["deposited", "SUCCEEDED"],
    ["recleared", "SUCCEEDED"],
    ["settled", "SUCCEEDED"],
    ["accepted", "SUCCEEDED"],
    ["canceled", "CANCELLED"],
    ["stopped", "CANCELLED"],
    ["blocked", "CANCELLED"],
    ["failed", "FAILED"],
    ["rejected", "FAILED"],
    ["returned", "REFUNDED"],
    ["user_initiated_returned", "REFUNDED"],
    ["return_contested", "REFUND_REVERSED"],
    ["return_dishonored", "REFUND_REVERSED"],
    ["user_initiated_return_dishonored", "REFUND_REVERSED"],
    ["first_return", "REFUNDED_FAILURE"],
    ["second_return", "REFUNDED_FAILURE"],
    ["user_initiated_return_submitted", "REFUNDED_FAILURE"],
    ["manual_review", "AUTHORISATION"],
    ["manual_review_approved", "AUTHORISATION"],
    ["hold", "CAPTURE"],
  ];

  test.each(rows)("a transfer of Column that is %s has the status %s", (status, expected) => {
    expect(transfer({ status })?.status).toBe(expected);
    expect(transfer({ status: status.toUpperCase() })?.status).toBe(expected);
  });

  test("the tests of transfers of Column have a case for each row of the table, and for the pending ones", () => {
    expect(rows.map(([status]) => status)).toEqual(Object.keys(STATUSES));
    expect(statusOf("pending_first_return")).toBe("PENDING");
    expect(statusOf("PENDING_RETURN")).toBe("PENDING");
    expect(statusOf("constructor")).toBe("UNKNOWN");
  });
});

describe("an event of Column", () => {
  const translated = async (type: string, data: Record<string, unknown>) => {
    const { psp, plugin } = openBench(subject);
    const webhooks = present(plugin.webhooks, "it has webhooks");
    const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
    const [config] = await webhooks.create(registration);
    const sent = psp.notify("/events", { type, data });
    return webhooks.translate(toWebhook(present(config, "it is registered"), sent));
  };

  test.each([
    ["ach.outgoing_transfer.returned", {}, "PAYOUT", "bacc_1", "cpty_2"],
    ["ach.outgoing_transfer.settled", { type: "DEBIT" }, "TRANSFER", "cpty_2", "bacc_1"],
    ["ach.incoming_transfer.settled", {}, "PAY-IN", "cpty_2", "bacc_1"],
    ["ach.incoming_transfer.nsf", { type: "DEBIT" }, "PAYOUT", "bacc_1", "cpty_2"],
    ["wire.outgoing_transfer.completed", {}, "PAYOUT", "bacc_1", "cpty_2"],
    ["wire.incoming_transfer.completed", {}, "PAY-IN", "cpty_2", "bacc_1"],
    ["swift.outgoing_transfer.submitted", {}, "PAYOUT", "bacc_1", "cpty_2"],
    ["realtime.incoming_transfer.completed", {}, "PAY-IN", "cpty_2", "bacc_1"],
    ["book.transfer.hold_created", {}, "TRANSFER", "bacc_1", "cpty_2"],
  ])("the event %s of Column is a later state of the payment of its transfer", async (...row) => {
    const [event, more, type, sourceReference, destinationReference] = row;
    const data = achTransfer({ status: "RETURNED", ...more });
    const { payments } = await translated(event, data);
    expect(payments).toMatchObject([
      { reference: "evnt_2", parentReference: "acht_1", type, status: "REFUNDED" },
    ]);
    expect(payments).toMatchObject([
      { sourceReference, destinationReference, createdAt: "2026-02-02T02:40:02.000000Z" },
    ]);
  });

  test("an event of Column has one of the types that the endpoint is registered for", async () => {
    expect(EVENTS).toHaveLength(new Set(EVENTS).size);
    expect(EVENTS).toContain("ach.outgoing_transfer.return_dishonored");
    const { psp, plugin } = openBench(subject);
    const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
    await plugin.webhooks?.create(registration);
    expect(psp.itemsOf("/webhook-endpoints")).toMatchObject([
      { url: `${BASE_URL}/events`, enabled_events: EVENTS },
    ]);
    const plain = { ...registration, baseUrl: BASE_URL.replace("https", "http") };
    await expect(plugin.webhooks?.create(plain)).rejects.toThrow("to https URLs only");
  });
});
