import { describe, expect, test } from "vitest";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import { moneycorpKind } from "#modules/payments/connectors/moneycorp/index.ts";
import {
  PAYMENT_STATUSES,
  TRANSFER_STATUSES,
} from "#modules/payments/connectors/moneycorp/orders.ts";
import { DIRECTIONS, TYPES } from "#modules/payments/connectors/moneycorp/payments.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import {
  incompleteOrders,
  type RefusedOrder,
  many,
  movementOf,
  unwritableOrders,
} from "#test/support/payments/conformance/orders.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import {
  ACCOUNT,
  CLOSED,
  FakeMoneycorp,
  MONEYCORP_CONFIG,
  problem,
} from "#test/support/psp/moneycorp.ts";
import { accountOf, openPayments, making } from "#test/support/psp/suite.ts";

const parent = accountOf(ACCOUNT);

const movement = (type: Movement["type"], more: Partial<Movement> = {}): Movement =>
  movementOf(type, {
    source: { reference: ACCOUNT, metadata: {} },
    destination: { reference: "102", metadata: {} },
    asset: "EUR/2",
    ...more,
  });

const movementCase = (type: Movement["type"]) => ({
  name: type === "TRANSFER" ? "a transfer" : "a payout",
  movement: () => movement(type),
  made: ({ lists }: FakeMoneycorp) => lists.transfers.length + lists.payments.length,
  refused: () => movement(type, { destination: { reference: CLOSED, metadata: {} } }),
});

let currency = 0;
const CURRENCIES = ["EUR", "USD", "GBP", "CHF", "SEK"];

const subject = {
  kind: moneycorpKind,
  psp: () => new FakeMoneycorp(),
  config: MONEYCORP_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp, count) => many(count, () => psp.addAccount()) },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent }),
      add: (psp, count) =>
        many(count, () => {
          const currencyCode = CURRENCIES[currency++ % CURRENCIES.length];
          psp.addBalance({ currencyCode });
          return `${ACCOUNT} ${currencyCode}/2`;
        }),
    },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      parent: () => ({ parent }),
      add: (psp, count) => many(count, () => psp.addRecipient()),
    },
    {
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      add: (psp, count) => many(count, () => psp.addTransaction()),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "Bad request"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "Error"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the type of a transaction",
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      arrange: (psp) => void psp.addTransaction({ transactionType: "Invented" }),
      expected: undefined,
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      arrange: (psp) => void psp.addTransaction({ transactionCurrency: "HUF" }),
      expected: undefined,
    },
    {
      name: "the currency of a balance",
      task: "FETCH_BALANCES",
      parent: () => ({ parent }),
      arrange: (psp) => psp.addBalance({ currencyCode: "IDR" }),
      expected: undefined,
    },
    {
      name: "the currency of a recipient",
      task: "FETCH_EXTERNAL_ACCOUNTS",
      parent: () => ({ parent }),
      arrange: (psp) => void psp.addRecipient({ bankAccountCurrency: "KWD" }),
      expected: undefined,
    },
  ],
  movements: [movementCase("TRANSFER"), movementCase("PAYOUT")],
} as const satisfies Parameters<typeof connectorConformance<FakeMoneycorp>>[0];

connectorConformance<FakeMoneycorp>(subject);

const open = () => openPayments<FakeMoneycorp>(subject, parent);

describe("objects of Moneycorp", () => {
  test("accounts, recipients and balances of each currency of Moneycorp are read, without numbers", async () => {
    const { psp, plugin } = open();
    psp.addAccount();
    psp.addRecipient();
    psp.addBalance({ currencyCode: "JPY", availableBalance: 900 });
    const accounts = await fetchAll(plugin.fetchAccounts);
    expect(accounts.items).toMatchObject([{ name: "Florin Ltd", createdAt: NOW, metadata: {} }]);
    expect(psp.urls[1]).toContain("page%5Bsize%5D=3&page%5Bnumber%5D=0&sortBy=id.asc");
    const page = { parent, state: undefined, pageSize: 100 };
    const recipients = (await plugin.fetchExternalAccounts?.(page))?.items;
    expect(recipients).toMatchObject([
      { name: "Landlord", defaultAsset: "EUR/2", createdAt: "2026-02-02T02:41:41.123457Z" },
    ]);
    expect(recipients?.[0]?.raw).not.toContain("0532013000");
    expect((await plugin.fetchBalances?.(page))?.items).toEqual([
      { accountReference: ACCOUNT, createdAt: NOW, amount: 900n, asset: "JPY" },
    ]);
  });
});

describe("a transaction of Moneycorp", () => {
  const fetched = async (more: object, related?: string) => {
    const { psp, run } = open();
    const id = psp.addTransaction({ ...more }, related);
    return { id, items: (await run()).items };
  };

  test.each([
    ["Payment", "Debit", "PAYOUT"],
    ["Payment", "Credit", "PAY-IN"],
    ["Exchange", "Debit", "PAYOUT"],
    ["Exchange", "Credit", "PAY-IN"],
    ["Charge", "Debit", "PAYOUT"],
    ["Refund", "Credit", "PAY-IN"],
  ])(
    "a transaction of Moneycorp of the type %s and the direction %s is a %s",
    async (type, direction, expected) => {
      const { id, items } = await fetched({
        transactionType: type,
        transactionDirection: direction,
      });
      const end = direction === "Debit" ? "sourceReference" : "destinationReference";
      expect(items).toMatchObject([
        {
          reference: id,
          type: expected,
          status: "SUCCEEDED",
          scheme: "OTHER",
          amount: 1234n,
          asset: "EUR/2",
          [end]: ACCOUNT,
        },
      ]);
      expect([...Object.keys(TYPES), ...Object.keys(DIRECTIONS)]).toHaveLength(7);
    },
  );

  test("a transaction of Moneycorp of another type or direction is left out", async () => {
    expect((await fetched({ transactionType: "toString" })).items).toEqual([]);
    expect((await fetched({ transactionDirection: "toString" })).items).toEqual([]);
  });

  test("a transaction of Moneycorp has the reference of its payment only", async () => {
    expect((await fetched({}, "700")).items).toMatchObject([{ reference: "700" }]);
    const refund = await fetched({ transactionType: "Refund" }, "700");
    expect(refund.items).toMatchObject([{ reference: refund.id }]);
  });

  test("a transaction of a transfer of Moneycorp is the transfer, reported by the paying side", async () => {
    const { psp, run } = open();
    const id = psp.addTransfer();
    psp.addTransaction({ transactionType: "Transfer", transactionDirection: "Debit" }, id);
    psp.addTransaction({ transactionType: "Transfer", transactionDirection: "Credit" }, id);
    psp.addTransaction({ transactionType: "Transfer", transactionDirection: "Debit" }, "gone");
    expect((await run()).items).toMatchObject([
      {
        reference: id,
        type: "TRANSFER",
        status: "SUCCEEDED",
        sourceReference: ACCOUNT,
        destinationReference: "102",
      },
    ]);
  });
});

describe("a movement at Moneycorp", () => {
  const made = making<FakeMoneycorp>(subject);

  test("a movement at Moneycorp is a transfer to another account", async () => {
    const { request, payment } = await made(movement("TRANSFER"));
    expect(request.path).toBe(`/accounts/${ACCOUNT}/transfers`);
    expect(request.headers.get("idempotency-key")).toBe("order-1");
    expect(request.text).toBe(
      '{"data":{"attributes":{"receivingAccountId":"102","transferAmount":10.50,"transferCurrency":"EUR","transferReference":"rent","clientReference":"order-1"}}}',
    );
    expect(payment).toMatchObject({ type: "TRANSFER", status: "PENDING", amount: 1050n });
  });

  test("a movement at Moneycorp is a payment to a recipient", async () => {
    const { request, payment } = await made(movement("PAYOUT"));
    expect(request.path).toBe(`/accounts/${ACCOUNT}/payments`);
    expect(request.text).toBe(
      '{"data":{"attributes":{"recipientId":"102","paymentAmount":10.50,"paymentCurrency":"EUR","paymentMethod":"Standard","paymentReference":"rent","clientReference":"order-1"}}}',
    );
    expect(payment).toMatchObject({
      type: "PAYOUT",
      sourceReference: ACCOUNT,
      destinationReference: "102",
    });
  });

  test.each([
    ["Awaiting Dispatch", "PENDING"],
    ["Cleared", "SUCCEEDED"],
    ["Cancelled", "FAILED"],
    ["constructor", "UNKNOWN"],
  ])(
    "a movement at Moneycorp that is a transfer in the state %s is %s",
    async (transferStatus, expected) => {
      expect((await made(movement("TRANSFER"), { transferStatus })).payment.status).toBe(expected);
      expect(Object.keys(TRANSFER_STATUSES)).toHaveLength(3);
    },
  );

  test.each([
    ["Unauthorised", "FAILED"],
    ["Failed", "FAILED"],
    ["Query", "FAILED"],
    ["Cancelled", "FAILED"],
    ["Awaiting Dispatch", "PENDING"],
    ["Sent", "PENDING"],
    ["Cleared", "SUCCEEDED"],
    ["constructor", "UNKNOWN"],
  ])(
    "a movement at Moneycorp that is a payment in the state %s is %s",
    async (paymentStatus, expected) => {
      expect((await made(movement("PAYOUT"), { paymentStatus })).payment.status).toBe(expected);
      expect(Object.keys(PAYMENT_STATUSES)).toHaveLength(7);
    },
  );

  test.each<RefusedOrder>([
    ...incompleteOrders(movement("PAYOUT")),
    [movement("TRANSFER", { asset: "BTC/8" }), "the provider does not take the asset BTC/8"],
    ...unwritableOrders(movement("PAYOUT")),
  ])("a movement at Moneycorp is refused: %#", async (asked, message) => {
    await expect(made(asked)).rejects.toMatchObject({ kind: "invalid", message });
  });

  test.each([{ createdAt: "yesterday" }, { transferCurrency: "XBT" }])(
    "a movement at Moneycorp has not failed when its answer cannot be read: %o",
    async (answered) => {
      const answer = made(movement("TRANSFER"), answered);
      await expect(answer).rejects.toMatchObject({ kind: "unknown" });
    },
  );

  test("a movement at Moneycorp is asked for until it has ended, because no transaction reports its failure", async () => {
    const { psp, plugin, run } = open();
    await plugin.createTransfer?.(movement("TRANSFER"));
    await plugin.createPayout?.(movement("PAYOUT", { reference: "order-2" }));
    const [transfer, payment] = [psp.lists.transfers[0]?.id, psp.lists.payments[0]?.id];
    const first = await run();
    expect(first.items).toEqual([]);
    psp.change("transfers", transfer ?? "", "Cancelled");
    const second = await run(first.state);
    expect(second.items).toMatchObject([
      { reference: transfer, type: "TRANSFER", status: "FAILED", createdAt: NOW },
    ]);
    psp.change("payments", payment ?? "", "Failed");
    const third = await run(second.state);
    expect(third.items).toMatchObject([{ reference: payment, type: "PAYOUT", status: "FAILED" }]);
    expect((await run(third.state)).items).toEqual([]);
  });
});
