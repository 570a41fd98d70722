import { describe, expect, test } from "vitest";
import type { FetchRequest } from "#modules/payments/connectors/contract.ts";
import { STATUSES } from "#modules/payments/connectors/wise/payments.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import { account, ofProfile, wiseSubject as subject } from "#test/support/payments/wise.ts";
import {
  type FakeWise,
  PROFILE,
  RECIPIENT_IBAN,
  RECIPIENT_NUMBER,
} from "#test/support/psp/wise.ts";

connectorConformance<FakeWise>(subject);

const page = (psp: FakeWise): FetchRequest => ({
  ...ofProfile(psp),
  state: undefined,
  pageSize: 100,
});

describe("a balance of Wise", () => {
  test("a balance of Wise is an account of its profile", async () => {
    const { psp, plugin } = openBench(subject);
    const id = psp.addBalance("JPY");
    const { items } = (await plugin.fetchAccounts?.(page(psp))) ?? {};
    expect(items).toMatchObject([
      {
        reference: String(id),
        createdAt: "2026-01-05T10:00:00.123456Z",
        name: `Savings ${id}`,
        defaultAsset: "JPY",
        metadata: { profile_id: String(PROFILE) },
      },
    ]);
    expect(psp.requests.at(-1)?.query.get("types")).toBe("STANDARD");
  });

  test.each([
    ["EUR", 120.5, 12_050n, "EUR/2"],
    ["JPY", 9000, 9000n, "JPY"],
    ["USD", -0.01, -1n, "USD/2"],
  ])(
    "a balance of Wise of %s has an amount in its smallest unit",
    async (...[currency, value, amount, asset]) => {
      const { psp, plugin } = openBench(subject);
      const accountReference = String(psp.addBalance(currency, { value }));
      const parent = account(accountReference);
      const fetched = await plugin.fetchBalances?.({ parent, state: undefined, pageSize: 100 });
      const createdAt = "2026-02-05T10:00:00.654321Z";
      expect(fetched?.items).toEqual([{ accountReference, createdAt, amount, asset }]);
    },
  );
});

describe("a profile of Wise", () => {
  test("a profile of Wise is stored with its id and type only", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addProfile(7, "PERSONAL");
    const { items } = (await plugin.fetchOthers?.({ state: undefined, pageSize: 100 })) ?? {};
    expect(items).toEqual([{ reference: "7", raw: '{"id":"7","type":"PERSONAL"}' }]);
  });
});

describe("a recipient of Wise", () => {
  test("a recipient of Wise is an external account without numbers", async () => {
    const { psp, plugin } = openBench(subject);
    const id = psp.addRecipient({ currency: "GBP" });
    const { items = [] } = (await plugin.fetchExternalAccounts?.(page(psp))) ?? {};
    const [recipient] = items;
    expect(recipient).toMatchObject({
      reference: String(id),
      name: `Ann ${id}`,
      defaultAsset: "GBP/2",
      createdAt: NOW,
    });
    expect(recipient?.raw).toContain('"country":"DE"');
    for (const number of [RECIPIENT_IBAN, RECIPIENT_NUMBER, RECIPIENT_NUMBER.slice(-4)]) {
      expect(recipient?.raw).not.toContain(number);
    }
    const { query } = psp.requests.at(-1) ?? {};
    expect(query?.toString()).toBe(`profile=${PROFILE}&size=100&sort=id%2Casc`);
  });
});

describe("a transfer of Wise", () => {
  const fetched = async (arrange: (psp: FakeWise) => unknown) => {
    const { psp, plugin } = openBench(subject);
    arrange(psp);
    return plugin.fetchPayments?.(page(psp)).then(({ items }) => items);
  };

  test.each([
    ["incoming_payment_waiting", "PENDING"],
    ["incoming_payment_initiated", "PENDING"],
    ["processing", "PENDING"],
    ["funds_converted", "PENDING"],
    ["bounced_back", "PENDING"],
    ["outgoing_payment_sent", "SUCCEEDED"],
    ["funds_refunded", "FAILED"],
    ["charged_back", "FAILED"],
    ["cancelled", "CANCELLED"],
    ["unknown", "OTHER"],
    ["constructor", "OTHER"],
  ])("a transfer of Wise that is %s is %s", async (status, expected) => {
    expect(await fetched((psp) => psp.addTransfer({ status }))).toMatchObject([
      { status: expected, scheme: "OTHER", createdAt: "2026-02-01T08:00:00.000000Z" },
    ]);
  });

  test("the table of transfers of Wise has a row for each status", () => {
    expect(Object.keys(STATUSES)).toHaveLength(9);
  });

  test("a transfer of Wise has the amount that arrives, and comes from the balance of its profile", async () => {
    const items = await fetched((psp) => {
      psp.addBalance("EUR");
      psp.addTransfer({ targetCurrency: "JPY", targetValue: 1640 });
    });
    expect(items).toMatchObject([
      { amount: 1640n, asset: "JPY", sourceReference: "1001", destinationReference: "500" },
    ]);
  });

  const OTHER_PROFILE = 102;
  test.each([
    ["a recipient", () => 500, "PAYOUT", "500"],
    ["a recipient that was deleted", () => 77, "PAYOUT", "77"],
    [
      "a recipient that the profile has entered",
      (psp: FakeWise) => psp.addRecipient(),
      "PAYOUT",
      "1002",
    ],
    ["another profile of ours", () => OTHER_PROFILE, "TRANSFER", "1001"],
    [
      "a recipient of another profile of ours",
      (psp: FakeWise) => psp.addRecipient({ profile: OTHER_PROFILE }),
      "TRANSFER",
      "1001",
    ],
  ])("a transfer of Wise to %s", async (...[, target, type, destinationReference]) => {
    const items = await fetched((psp) => {
      psp.addBalance("EUR", { profile: OTHER_PROFILE });
      psp.addTransfer({ targetAccount: target(psp) });
    });
    expect(items).toMatchObject([{ type, destinationReference }]);
  });

  test("a transfer of Wise that had not ended is asked for again until it has", async () => {
    const { psp, plugin } = openBench(subject);
    const ids = Array.from({ length: 12 }, () => psp.addTransfer({ status: "processing" }));
    const { fetchPayments = () => Promise.reject(new Error("it fetches payments")) } = plugin;
    const run = (state: unknown) =>
      fetchAll((request) => fetchPayments({ ...request, ...ofProfile(psp) }), {
        state,
        pageSize: 100,
      });
    const first = await run(undefined);
    expect(first.items).toHaveLength(12);
    for (const id of ids) psp.changeTransfer(id, "funds_converted");
    const second = await run(first.state);
    expect(second.items).toEqual([]);
    psp.changeTransfer(ids[11] ?? 0, "outgoing_payment_sent");
    const third = await run(second.state);
    expect(third.items).toMatchObject([
      { reference: String(ids[11]), status: "SUCCEEDED", createdAt: NOW },
    ]);
    const before = psp.requests.length;
    expect((await run(third.state)).items).toEqual([]);
    // Requests for the list, and for the eleven transfers that have not ended.
    expect(psp.requests.length - before).toBe(12);
  });
});
