import { describe, expect, test } from "vitest";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import { currencycloudKind } from "#modules/payments/connectors/currencycloud/index.ts";
import {
  SIDES,
  STATUSES,
  toPayment,
  TYPES,
} from "#modules/payments/connectors/currencycloud/payments.ts";
import { present } from "#platform/assert.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import {
  incompleteOrders,
  type RefusedOrder,
  madeBy,
  many,
  movementOf,
} from "#test/support/payments/conformance/orders.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll } from "#test/support/payments/plugins.ts";
import {
  CLOSED,
  CURRENCYCLOUD_CONFIG,
  FakeCurrencycloud,
  problem,
} from "#test/support/psp/currencycloud.ts";

const movement = (type: Movement["type"], more: Partial<Movement> = {}): Movement =>
  movementOf(type, {
    source: { reference: "account-1", metadata: {} },
    destination: { reference: "account-2", metadata: {} },
    asset: "EUR/2",
    ...more,
  });

const movementCase = (type: Movement["type"]) => ({
  name: type === "TRANSFER" ? "a transfer" : "a payout",
  movement: () => movement(type),
  made: (psp: FakeCurrencycloud) => psp.transfers.length + psp.payments.length,
  refused: () => movement(type, { destination: { reference: CLOSED, metadata: {} } }),
});

const subject = {
  kind: currencycloudKind,
  psp: () => new FakeCurrencycloud(),
  config: CURRENCYCLOUD_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp, count) => many(count, () => psp.addAccount()) },
    { task: "FETCH_PAYMENTS", add: (psp, count) => many(count, () => psp.addTransaction()) },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      add: (psp, count) => many(count, () => psp.addBeneficiary()),
    },
    {
      task: "FETCH_BALANCES",
      add: (psp, count) => many(count, () => `${psp.addBalance()} EUR/2`),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "invalid_page", "page"), kind: "invalid" },
    { name: "a limit", answer: () => problem(429, "too_many", "base"), kind: "rate-limited" },
    { name: "a fault", answer: () => problem(500, "internal_error", "base"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the status and the kind of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) =>
        void psp.addTransaction({ status: "lately", related_entity_type: "invented" }),
      expected: { status: "OTHER", type: "PAY-IN" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) => void psp.addTransaction({ currency: "ARS" }),
      expected: undefined,
    },
    {
      name: "the currency of a balance",
      task: "FETCH_BALANCES",
      arrange: (psp) => void psp.addBalance({ currency: "ARS" }),
      expected: undefined,
    },
    {
      name: "the currency of a beneficiary",
      task: "FETCH_EXTERNAL_ACCOUNTS",
      arrange: (psp) => void psp.addBeneficiary({ currency: "ARS" }),
      expected: undefined,
    },
  ],
  movements: [movementCase("TRANSFER"), movementCase("PAYOUT")],
} as const satisfies Parameters<typeof connectorConformance<FakeCurrencycloud>>[0];

connectorConformance<FakeCurrencycloud>(subject);

describe("objects of Currencycloud", () => {
  test("accounts and beneficiaries of Currencycloud have their names, and not their numbers", async () => {
    const { psp, plugin } = openBench(subject);
    const reference = psp.addAccount();
    psp.addBeneficiary();
    psp.addBeneficiary({ name: "", currency: "JPY" });
    const accounts = await fetchAll(plugin.fetchAccounts);
    expect(accounts.items).toMatchObject([{ reference, name: "Florin Ltd", metadata: {} }]);
    expect(psp.requests[1]?.query.toString()).toBe(
      "page=1&per_page=3&order=updated_at&order_asc_desc=asc",
    );
    const { items } = await fetchAll(plugin.fetchExternalAccounts);
    expect(items).toMatchObject([
      { name: "Landlord", defaultAsset: "EUR" },
      { name: "Ann Smith", defaultAsset: "JPY" },
    ]);
    for (const { raw } of items) expect(raw).not.toMatch(/0532013000/);
  });

  test("objects of Currencycloud come again only after a change", async () => {
    const { psp, plugin } = openBench(subject);
    many(4, () => psp.addAccount());
    const { state } = await fetchAll(plugin.fetchAccounts);
    const [first] = psp.accounts.splice(0, 1);
    const { id } = present(first, "there are four");
    psp.addAccount({ id, account_name: "Another name" });
    const { items } = await fetchAll(plugin.fetchAccounts, { state });
    expect(new Set(items.map(({ reference, name }) => `${reference} ${name}`))).toEqual(
      new Set([`${id} Another name`]),
    );
  });

  test("balances of Currencycloud are in the smallest unit of their currency", async () => {
    const { psp, plugin } = openBench(subject);
    const accountReference = psp.addBalance({ currency: "JPY", amount: "-900.00" });
    const { items } = await fetchAll(plugin.fetchBalances);
    expect(items).toMatchObject([{ accountReference, amount: -900n, asset: "JPY" }]);
  });
});

const transaction = (more: object) => {
  const psp = new FakeCurrencycloud();
  psp.addTransaction({ ...more });
  return toPayment(psp.transactions[0])?.item;
};

describe("a transaction of Currencycloud", () => {
  test.each([
    ["inbound_funds", "credit", "PAY-IN"],
    ["payment", "debit", "PAYOUT"],
    ["transfer", "credit", "TRANSFER"],
    ["balance_transfer", "debit", "TRANSFER"],
    ["conversion", "credit", "PAY-IN"],
    ["conversion", "debit", "PAYOUT"],
    ["toString", "neither", "OTHER"],
    [null, "credit", "PAY-IN"],
  ])(
    "a transaction of Currencycloud of %s at the side of the %s is a %s",
    (related_entity_type, side, type) => {
      expect(transaction({ related_entity_type, type: side })?.type).toBe(type);
      expect([...Object.keys(TYPES), ...Object.keys(SIDES)]).toHaveLength(6);
    },
  );

  test.each([
    ["completed", "SUCCEEDED"],
    ["pending", "PENDING"],
    ["ready_to_send", "PENDING"],
    ["deleted", "FAILED"],
    ["cancelled", "CANCELLED"],
    ["lately_invented", "OTHER"],
  ])("a transaction of Currencycloud that is %s is %s", (status, expected) => {
    expect(transaction({ status })?.status).toBe(expected);
    expect(Object.keys(STATUSES)).toHaveLength(5);
  });

  test("a transaction of Currencycloud has its account at the side that it names, and the reference of its entity", () => {
    const credit = transaction({ type: "credit" });
    expect(credit).toMatchObject({
      reference: "entity-1",
      amount: 1234n,
      asset: "EUR/2",
      destinationReference: "account-1",
    });
    expect(credit).not.toHaveProperty("sourceReference");
    const debit = transaction({ type: "debit", related_entity_id: "" });
    expect(debit).toMatchObject({ sourceReference: "account-1" });
    expect(debit?.reference).toMatch(/^00000000-0000-4000/);
  });

  test("a transaction of Currencycloud that is completed later comes again", async () => {
    const { psp, plugin } = openBench(subject);
    const related_entity_id = psp.addTransaction({ status: "pending" });
    const { state } = await fetchAll(plugin.fetchPayments);
    psp.transactions.splice(0);
    psp.addTransaction({ related_entity_id });
    const { items } = await fetchAll(plugin.fetchPayments, { state });
    expect(items).toMatchObject([{ reference: related_entity_id, status: "SUCCEEDED" }]);
    expect(psp.requests.at(-1)?.query.get("updated_at_from")).toBe("2026-02-02");
  });
});

describe("a movement at Currencycloud", () => {
  const made = (asked: Movement, answered: Readonly<Record<string, unknown>> = {}) => {
    const bench = openBench(subject);
    bench.psp.answered = answered;
    return madeBy(bench, asked);
  };
  const common = "currency=EUR&amount=10.50&reason=rent&unique_request_id=order-1";

  test("a movement at Currencycloud is a transfer between accounts", async () => {
    const { request, payment } = await made(movement("TRANSFER"));
    expect(request.path).toBe("/v2/transfers/create");
    expect(request.text).toBe(
      `source_account_id=account-1&destination_account_id=account-2&${common}`,
    );
    expect(payment).toMatchObject({
      type: "TRANSFER",
      status: "PENDING",
      amount: 1050n,
      asset: "EUR/2",
      sourceReference: "account-1",
      destinationReference: "account-2",
    });
  });

  test("a movement at Currencycloud is a payment to a beneficiary", async () => {
    const { request, payment } = await made(movement("PAYOUT", { description: "" }));
    expect(request.path).toBe("/v2/payments/create");
    expect(request.text).toBe(
      "beneficiary_id=account-2&currency=EUR&amount=10.50&unique_request_id=order-1&payment_type=regular",
    );
    expect(payment).toMatchObject({ type: "PAYOUT", sourceReference: "account-1" });
    const described = await made(movement("PAYOUT"));
    expect(described.request.text).toContain(`${common}&payment_type=regular&reference=rent`);
  });

  test.each<RefusedOrder>([
    ...incompleteOrders(movement("PAYOUT")),
    [movement("TRANSFER", { asset: "BTC/8" }), "the provider does not take the asset BTC/8"],
  ])("a movement at Currencycloud is refused: %#", async (asked, message) => {
    await expect(made(asked)).rejects.toMatchObject({ kind: "invalid", message });
  });

  test("a movement at Currencycloud is refused under a reference that the provider knows from another one", async () => {
    const { plugin } = openBench(subject);
    await plugin.createPayout?.(movement("PAYOUT"));
    const other = movement("PAYOUT", { amount: 7n });
    await expect(plugin.createPayout?.(other)).rejects.toMatchObject({ kind: "invalid" });
  });

  test("a movement at Currencycloud has not failed when its answer cannot be read", async () => {
    const answer = made(movement("PAYOUT"), { created_at: "yesterday" });
    await expect(answer).rejects.toMatchObject({ kind: "unknown" });
  });

  test("a movement at Currencycloud is not taken for that of another request, whatever the provider answers", async () => {
    const { psp, plugin } = openBench(subject);
    const find = present(plugin.findMovement, "it can be asked");
    const { type, createdAt, amount, asset, reference } = movement("TRANSFER");
    const sought = { type, createdAt, amount, asset, reference };
    expect(await find(sought)).toBe("none");
    await plugin.createTransfer?.(movement("TRANSFER"));
    const shown = (unique_request_id: string) => {
      psp.spoil = () => ({ transfers: [{ ...psp.transfers[0], unique_request_id }] });
    };
    shown("order-of-somebody-else");
    await expect(find(sought)).rejects.toMatchObject({ kind: "unknown" });
    shown("");
    expect(await find(sought)).toBe("unknown");
    psp.spoil = undefined;
    expect(await find(sought)).toMatchObject({ payment: { amount, asset } });
  });

  test("a movement at Currencycloud goes on with a new token when the known one has ended", async () => {
    const { psp, plugin } = openBench(subject);
    await plugin.createPayout?.(movement("PAYOUT"));
    psp.token = "another one";
    await plugin.createPayout?.(movement("PAYOUT", { reference: "order-2" }));
    expect(psp.payments).toHaveLength(2);
  });
});
