import { describe, expect, test } from "vitest";
import {
  BOOK_STATUSES,
  PAYOUT_TYPES,
  REVERSAL_REASONS,
} from "#modules/payments/connectors/column/transfers.ts";
import { columnSubject as subject, movement, SPEC } from "#test/support/payments/column.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { making, assertMovementRefused } from "#test/support/psp/suite.ts";

const spec = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${SPEC}${name}`, value]));

const made = making(subject);

const MONEY = { amount: 1050, currency_code: "USD", description: "rent" };

describe("a book transfer of Column", () => {
  test("a movement between accounts of Column is a book transfer with the members of its metadata", async () => {
    const metadata = spec({
      allow_overdraft: "true",
      hold: "false",
      merchant_name: "Acme",
      address_line_1: "12 Main Street",
      address_city: "Boston",
    });
    const { payment, request } = await made(movement("TRANSFER", { metadata }));
    expect(request.path).toBe("/transfers/book");
    expect(request.headers.get("idempotency-key")).toBe("order-1");
    expect(request.json()).toEqual({
      ...MONEY,
      sender_bank_account_id: "bacc_1",
      receiver_bank_account_id: "cpty_2",
      allow_overdraft: true,
      hold: false,
      details: {
        sender_name: "Main account",
        merchant_name: "Acme",
        address: { line_1: "12 Main Street", city: "Boston" },
      },
    });
    expect(payment).toMatchObject({
      reference: "trnf_1",
      type: "TRANSFER",
      amount: 1050n,
      asset: "USD/2",
      sourceReference: "bacc_1",
      destinationReference: "cpty_2",
    });
  });

  test.each([
    ["COMPLETED", "SUCCEEDED"],
    ["REJECTED", "FAILED"],
    ["CANCELED", "FAILED"],
    ["HOLD", "PENDING"],
    ["initiated", "PENDING"],
    ["lately_invented", "UNKNOWN"],
  ])("a book transfer of Column that is %s has the status %s", async (status, expected) => {
    const { payment } = await made(movement("TRANSFER"), { status });
    expect(payment.status).toBe(expected);
    expect(Object.keys(BOOK_STATUSES)).toHaveLength(4);
  });
});

describe("a payout of Column", () => {
  const ends = { bank_account_id: "bacc_1", counterparty_id: "cpty_2" };
  test.each([
    [
      { payout_type: "ach", same_day: "true", entry_class_code: "CCD" },
      "/transfers/ach",
      { type: "CREDIT", same_day: true, entry_class_code: "CCD" },
    ],
    [
      { payout_type: "wire", allow_overdraft: "false" },
      "/transfers/wire",
      { allow_overdraft: false },
    ],
    [{ payout_type: "realtime", entry_class_code: "CCD" }, "/transfers/realtime", {}],
    [
      { payout_type: "international-wire", fx_quote_id: "fxqt_1", remittance_info: "42" },
      "/transfers/international-wire",
      { fx_quote_id: "fxqt_1", remittance_info: "42" },
    ],
  ])("a payout of Column is made as its metadata say: %o", async (metadata, path, more) => {
    const { payment, request } = await made(movement("PAYOUT", { metadata: spec(metadata) }));
    expect(request.path).toBe(path);
    expect(request.json()).toEqual({ ...MONEY, ...ends, ...more });
    expect(payment).toMatchObject({ type: "PAYOUT", status: "PENDING", reference: "trnf_1" });
    expect(Object.keys(PAYOUT_TYPES)).toHaveLength(4);
  });

  test("a payout of Column with another amount or currency than was asked for is asked for again", async () => {
    const answered = { currency_code: "EUR" };
    await expect(made(movement("PAYOUT"), answered)).rejects.toMatchObject({ kind: "unknown" });
  });
});

const { source: _source, ...sourceless } = movement("TRANSFER");
const { destination: _destination, ...aimless } = movement("PAYOUT");
test.each([
  ["without a source", sourceless, "source account is required"],
  ["without a destination", aimless, "destination account is required"],
  ["of nothing", movement("PAYOUT", { amount: 0n }), "amount must be positive"],
  ["in another currency", movement("PAYOUT", { asset: "EUR/2" }), "EUR"],
  ["without a type", movement("PAYOUT", { metadata: {} }), "payout_type is ''"],
  [
    "of an unknown type",
    movement("PAYOUT", { metadata: spec({ payout_type: "toString" }) }),
    "ach",
  ],
  [
    "from an account without a name",
    movement("TRANSFER", { source: { reference: "bacc_1", metadata: {} } }),
    "source account name is required",
  ],
  [
    "with a flag that is none",
    movement("TRANSFER", { metadata: spec({ hold: "yes" }) }),
    "hold is 'yes'",
  ],
])("a movement %s is refused without a call", async (_, asked, message) => {
  await assertMovementRefused(openBench(subject), asked, message);
});

describe("a reversal of a payout by ACH", () => {
  const reversal = {
    reference: "back-1",
    createdAt: NOW,
    description: "twice",
    amount: 1050n,
    asset: "USD/2",
    metadata: spec({ reason: "duplicated_entry" }),
    movement: movement("PAYOUT"),
  };

  test.each(REVERSAL_REASONS)(
    "a reversal of a payout by ACH is asked for with the reason %s",
    async (reason) => {
      const { psp, plugin } = openBench(subject);
      await plugin.createPayout?.(reversal.movement);
      const made = await plugin.reversePayout?.({ ...reversal, metadata: spec({ reason }) });
      const request = psp.requests.at(-1);
      expect(request?.path).toBe("/transfers/ach/trnf_1/reverse");
      expect(request?.json()).toEqual({ reason, description: "twice" });
      expect(request?.headers.get("idempotency-key")).toBe("back-1");
      expect(made).toMatchObject({
        reference: "trnf_2",
        parentReference: "trnf_1",
        type: "PAYOUT",
        status: "REFUNDED",
        amount: 1050n,
      });
      expect(REVERSAL_REASONS).toHaveLength(5);
    },
  );

  test.each([
    ["without a reason", { metadata: {} }, "reason is ''"],
    ["of a part", { amount: 50n }, "as a whole"],
    ["of what was not made here", { movement: movement("PAYOUT", { reference: "x" }) }, "only"],
  ])("%s is refused", async (_, more, message) => {
    const { psp, plugin } = openBench(subject);
    await plugin.createPayout?.(reversal.movement);
    const asked = psp.requests.length;
    const call = plugin.reversePayout?.({ ...reversal, ...more });
    await expect(call).rejects.toMatchObject({ kind: "invalid" });
    await expect(call).rejects.toThrow(message);
    expect(psp.requests).toHaveLength(asked);
  });
});
