import { describe, expect, test } from "vitest";
import {
  splitSynchronisation,
  toSynchronisation,
} from "#modules/payments/connectors/powens/synchronisation.ts";
import { EVENTS, splitPowensWebhook } from "#modules/payments/connectors/powens/webhooks.ts";
import type { WebhookReport } from "#modules/payments/connectors/webhook-contract.ts";
import { present } from "#platform/assert.ts";
import { parseJson } from "#platform/json.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { CONNECTION, FakePowens } from "#test/support/psp/powens.ts";

const psp = new FakePowens();
const accountOf = (count: number, more: object = {}) =>
  psp.account({
    transactions: Array.from({ length: count }, (_, at) =>
      psp.transaction({ deleted: at % 50 === 49 ? "2026-02-02 10:00:00" : null, ...more }),
    ),
  });

/** A webhook of a synchronisation, with values that a parser could lose: decimals and long integers. */
const syncedOf = (accounts: unknown, more: object = {}): unknown =>
  parseJson(
    JSON.stringify({
      user: { id: 5, platform: "sharedAccess" },
      connection: { id: Number(CONNECTION), state: null, accounts, ...more },
    }).replaceAll('"card"', '[1.10,12345678901234567890,"card"]'),
  );

const split = (value: unknown): readonly string[] =>
  present(splitSynchronisation(value), "it is a synchronisation");

const reportsOf = (parts: readonly string[]): WebhookReport[] =>
  parts.map((part) => toSynchronisation(parseJson(part), NOW));

/** The accounts, balances and payments of all parts. */
const joined = (reports: readonly WebhookReport[]) => ({
  owner: reports[0]?.owner,
  connections: reports.flatMap(({ connections = [] }) => connections),
  accounts: reports.flatMap(({ accounts = [] }) => accounts),
  payments: reports.flatMap(({ payments = [] }) => payments),
  deletedPayments: reports.flatMap(({ deletedPayments = [] }) => deletedPayments),
  balances: reports.flatMap(({ balances = [] }) => balances),
});

/** The numbers of connections, accounts, balances and transactions of each part. */
const countsOf = (reports: readonly WebhookReport[]) =>
  reports.map(({ connections, accounts, balances, payments = [], deletedPayments = [] }) => [
    connections?.length,
    accounts?.length,
    balances?.length,
    payments.length + deletedPayments.length,
  ]);

describe("a synchronisation of Powens", () => {
  test.each([
    [
      "an account with many transactions",
      [250],
      [
        [1, 1, 1, 100],
        [0, 0, 0, 100],
        [0, 0, 0, 50],
      ],
    ],
    [
      "three accounts",
      [1, 0, 101],
      [
        [1, 1, 1, 1],
        [0, 1, 1, 0],
        [0, 1, 1, 100],
        [0, 0, 0, 1],
      ],
    ],
    ["no account", [], [[1, 0, 0, 0]]],
  ])(
    "a synchronisation of Powens with %s is split, and the parts report the same data",
    (_, counts, expected) => {
      const value = syncedOf(counts.map((count) => accountOf(count)));
      const parts = split(value);
      const reports = reportsOf(parts);
      expect(countsOf(reports)).toEqual(expected);
      expect(joined(reports)).toEqual(toSynchronisation(value, NOW));
      for (const { owner } of reports) expect(owner).toEqual(reports[0]?.owner);
      expect(split(value)).toEqual(parts);
    },
  );

  test("a synchronisation of Powens is split by the size of its transactions, too", () => {
    const value = syncedOf([accountOf(6, { wording: "é".repeat(50_000) })]);
    const parts = split(value);
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThan(300_000);
    const reports = reportsOf(parts);
    expect(countsOf(reports).map(([, , , count]) => count)).toEqual([2, 2, 2]);
    expect(joined(reports)).toEqual(toSynchronisation(value, NOW));
  });

  test("a synchronisation of Powens is a single part if it says why the connection does not work", () => {
    const value = syncedOf([accountOf(250)], { state: "bug", error_message: "a fault" });
    const parts = split(value);
    expect(parts).toHaveLength(1);
    expect(parts[0]).not.toContain("transactions");
    expect(reportsOf(parts)).toEqual([toSynchronisation(value, NOW)]);
  });

  test.each([
    [EVENTS.CONNECTION_SYNCED, '{"bank":{"id":40}}'],
    [EVENTS.CONNECTION_SYNCED, '{"user":{},"connection":{"accounts":"none"}}'],
    [EVENTS.USER_DELETED, '{"id":5}'],
  ])("a webhook of Powens about another event is not split: %s, %s", (urlPath, body) => {
    const config = { name: "any", urlPath, metadata: {} };
    const webhook = { config, method: "POST", url: "https://a.example", headers: {}, query: {} };
    expect(splitPowensWebhook({ ...webhook, body })).toEqual([body]);
  });
});
