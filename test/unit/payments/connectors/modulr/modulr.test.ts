import { describe, expect, test } from "vitest";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import { modulrKind } from "#modules/payments/connectors/modulr/index.ts";
import { STATUSES } from "#modules/payments/connectors/modulr/orders.ts";
import { PREFIXES, TYPES } from "#modules/payments/connectors/modulr/payments.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import {
  incompleteOrders,
  type RefusedOrder,
  many,
  movementOf,
  unwritableOrders,
} from "#test/support/payments/conformance/orders.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import {
  CLOSED_BENEFICIARY,
  FakeModulr,
  MODULR_CONFIG,
  problem,
  TOKEN_ENDPOINT,
} from "#test/support/psp/modulr.ts";
import { accountOf, openPayments, making } from "#test/support/psp/suite.ts";

const parent = accountOf("A1");

const movement = (type: Movement["type"], more: Partial<Movement> = {}): Movement =>
  movementOf(type, {
    source: { reference: "A1", metadata: {} },
    destination: { reference: type === "TRANSFER" ? "A2" : "B2", metadata: {} },
    asset: "GBP/2",
    ...more,
  });

const movementCase = (type: Movement["type"]) => ({
  name: type === "TRANSFER" ? "a transfer" : "a payout",
  movement: () => movement(type),
  made: (psp: FakeModulr) => psp.payments.length,
  refused: () => movement(type, { destination: { reference: CLOSED_BENEFICIARY, metadata: {} } }),
});

const subject = {
  kind: modulrKind,
  psp: () => new FakeModulr(),
  config: MODULR_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp, count) => many(count, () => psp.addAccount()) },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      add: (psp, count) => many(count, () => psp.addBeneficiary()),
    },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent }),
      max: 1,
      add: (psp, count) => many(count, () => `${psp.addAccount()} GBP/2`),
    },
    {
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      add: (psp, count) => many(count, () => psp.addTransaction()),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "INVALID"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "GENERAL"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the type of a transaction",
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      arrange: (psp) => void psp.addTransaction({ type: "LATELY_INVENTED" }),
      expected: { type: "OTHER", status: "SUCCEEDED" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      parent: () => ({ parent }),
      arrange: (psp) => void psp.addTransaction({ currency: "XBT" }),
      expected: undefined,
    },
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      arrange: (psp) => void psp.addAccount({ currency: "ARS" }),
      expected: undefined,
    },
  ],
  movements: [movementCase("TRANSFER"), movementCase("PAYOUT")],
} as const satisfies Parameters<typeof connectorConformance<FakeModulr>>[0];

connectorConformance<FakeModulr>(subject);

const open = () => openPayments<FakeModulr>(subject, parent);

describe("an account of Modulr", () => {
  test("an account and a beneficiary of Modulr are stored without their numbers", async () => {
    const { psp, plugin } = open();
    psp.addAccount();
    psp.addBeneficiary();
    const accounts = await fetchAll(plugin.fetchAccounts);
    expect(accounts.items).toMatchObject([
      {
        reference: "A1",
        name: "Clients' money",
        defaultAsset: "GBP/2",
        createdAt: "2026-02-02T02:40:01.000000Z",
      },
    ]);
    const beneficiaries = await fetchAll(plugin.fetchExternalAccounts);
    expect(beneficiaries.items).toMatchObject([
      { reference: "B2", name: "Landlord", metadata: { status: "ACTIVE" } },
    ]);
    for (const { raw } of [...accounts.items, ...beneficiaries.items]) {
      expect(raw).not.toContain("12345678");
    }
  });

  test("an account of Modulr has its present balance", async () => {
    const { psp, plugin } = open();
    psp.addAccount({ balance: "9000", currency: "JPY" });
    const page = await plugin.fetchBalances?.({ parent, state: undefined, pageSize: 100 });
    expect(page?.items).toEqual([
      { accountReference: "A1", createdAt: NOW, amount: 9000n, asset: "JPY" },
    ]);
  });
});

describe("requests to Modulr", () => {
  test("requests to Modulr are signed, each with another nonce", async () => {
    const { psp, plugin } = open();
    await fetchAll(plugin.fetchAccounts);
    await fetchAll(plugin.fetchAccounts);
    const [first, second] = psp.requests.map(({ headers }) => headers);
    expect(first?.get("date")).toBe("Sun, 01 Mar 2026 09:30:00 GMT");
    expect(first?.get("authorization")).toContain('keyId="psp-secret-modulr-key"');
    expect(first?.get("x-mod-nonce")).not.toBe(second?.get("x-mod-nonce"));
  });

  test("requests to Modulr have only the key at an endpoint that takes tokens", async () => {
    const config = { ...MODULR_CONFIG, endpoint: TOKEN_ENDPOINT };
    const { psp, plugin } = openBench({ ...subject, config });
    psp.addAccount();
    expect((await fetchAll(plugin.fetchAccounts)).items).toHaveLength(1);
    expect(psp.requests[0]?.headers.get("authorization")).toBe(MODULR_CONFIG.apiKey);
  });
});

describe("a transaction of Modulr", () => {
  const fetched = async (more: object) => {
    const { psp, run } = open();
    psp.addTransaction({ ...more });
    return (await run()).items;
  };

  test.each([
    ["PI_REV", "OTHER"],
    ["PO_REV", "OTHER"],
    ["ADHOC", "OTHER"],
    ["PI_FAST", "PAY-IN"],
    ["PI_SECT", "PAY-IN"],
    ["PO_FAST", "PAYOUT"],
    ["INT_INTERC", "TRANSFER"],
    ["INT_OTHER", "OTHER"],
    ["constructor", "OTHER"],
  ])("a transaction of Modulr of the type %s is a %s", async (type, expected) => {
    expect(await fetched({ type })).toMatchObject([
      { type: expected, status: "SUCCEEDED", scheme: "OTHER", amount: 1234n, asset: "GBP/2" },
    ]);
    expect([...Object.keys(TYPES), ...Object.keys(PREFIXES)]).toHaveLength(6);
  });

  test("a transaction of Modulr has its account at the side that it names", async () => {
    const [credit] = await fetched({ type: "PI_FAST" });
    expect(credit).toMatchObject({ destinationReference: "A1", reference: "P1" });
    expect(credit).not.toHaveProperty("sourceReference");
    const [debit] = await fetched({ type: "PO_FAST", credit: false, amount: -12.34 });
    expect(debit).toMatchObject({ sourceReference: "A1", amount: 1234n });
    expect(debit).not.toHaveProperty("destinationReference");
  });

  test("a transaction of Modulr between accounts is reported by the paid side, with both accounts", async () => {
    expect(await fetched({ type: "INT_INTERC", credit: false })).toEqual([]);
    const { psp, run } = open();
    const { id } = psp.addPayment({
      details: {
        sourceAccountId: "A7",
        destination: { type: "ACCOUNT", id: "A1" },
        amount: 12.34,
        currency: "GBP",
      },
    });
    psp.addTransaction({ type: "INT_INTERC", sourceId: id });
    expect((await run()).items).toMatchObject([
      { reference: id, type: "TRANSFER", sourceReference: "A7", destinationReference: "A1" },
    ]);
  });
});

describe("a payment at Modulr", () => {
  const made = making<FakeModulr>(subject);

  test.each([
    ["TRANSFER", "ACCOUNT", "A2"],
    ["PAYOUT", "BENEFICIARY", "B2"],
  ] as const)("a payment at Modulr that is a %s goes to an %s", async (type, kind, id) => {
    const { payment, request } = await made(movement(type));
    expect(request.text).toBe(
      `{"sourceAccountId":"A1","destination":{"type":"${kind}","id":"${id}"},"currency":"GBP","amount":10.50,"reference":"rent","externalReference":"order-1"}`,
    );
    expect(request.headers.get("x-mod-nonce")).toBe("order-1");
    expect(payment).toMatchObject({
      type,
      status: "PENDING",
      amount: 1050n,
      asset: "GBP/2",
      sourceReference: "A1",
      destinationReference: id,
    });
  });

  test.each([
    ["SUBMITTED", "PENDING"],
    ["VALIDATED", "PENDING"],
    ["PENDING_FOR_DATE", "PENDING"],
    ["PENDING_FOR_FUNDS", "PENDING"],
    ["ER_EXTCONN", "PENDING"],
    ["PROCESSED", "SUCCEEDED"],
    ["CANCELLED", "CANCELLED"],
    ["ER_EXPIRED", "EXPIRED"],
    ["ER_INVALID", "FAILED"],
    ["ER_EXTSYS", "FAILED"],
    ["ER_GENERAL", "FAILED"],
    ["LATELY_INVENTED", "UNKNOWN"],
    ["constructor", "UNKNOWN"],
  ])("a payment at Modulr that is %s is %s", async (status, expected) => {
    expect((await made(movement("PAYOUT"), { status })).payment.status).toBe(expected);
    expect(Object.keys(STATUSES)).toHaveLength(11);
  });

  test.each<RefusedOrder>([
    ...incompleteOrders(movement("PAYOUT")),
    [movement("PAYOUT", { asset: "BTC/8" }), "the provider does not take the asset BTC/8"],
    ...unwritableOrders(movement("PAYOUT")),
  ])("a payment at Modulr is refused: %#", async (asked, message) => {
    await expect(made(asked)).rejects.toMatchObject({ kind: "invalid", message });
  });

  test("a payment at Modulr has a digest in place of a reference that the provider does not accept", async () => {
    const { request } = await made(movement("PAYOUT", { reference: "Miete für März" }));
    expect(request.json()["externalReference"]).toMatch(/^[0-9a-f]{40}$/);
    expect(request.headers.get("x-mod-nonce")).toMatch(/^[0-9a-f]{64}$/);
  });

  test("a payment at Modulr has not failed when its answer cannot be read", async () => {
    const answer = made(movement("PAYOUT"), { createdDate: "yesterday" });
    await expect(answer).rejects.toMatchObject({ kind: "unknown" });
  });

  test("a payment at Modulr is asked for until it has ended, because no transaction reports its failure", async () => {
    const { psp, plugin, run } = open();
    for (let at = 1; at <= 12; at++) {
      await plugin.createPayout?.(movement("PAYOUT", { reference: `order-${at}` }));
    }
    const first = await run();
    expect(first.items).toEqual([]);
    psp.change("P11", "ER_GENERAL");
    psp.change("P1", "PROCESSED");
    const second = await run(first.state);
    expect(second.items).toMatchObject([
      { reference: "P1", status: "SUCCEEDED", createdAt: NOW },
      { reference: "P11", status: "FAILED", createdAt: NOW, type: "PAYOUT" },
    ]);
    const before = psp.requests.length;
    expect((await run(second.state)).items).toEqual([]);
    // Requests for the list, and for the ten payments that have not ended.
    expect(psp.requests.length - before).toBe(11);
  });
});
