import { describe, expect, test } from "vitest";
import type { Plugin } from "#modules/payments/connectors/contract.ts";
import { toPayment } from "#modules/payments/connectors/plaid/payments.ts";
import {
  DISCONNECTING_CODES,
  NEW_DATA_CODES,
} from "#modules/payments/connectors/plaid/webhooks.ts";
import { present } from "#platform/assert.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import { openBench, toWebhook } from "#test/support/payments/conformance/subject.ts";
import { linked, plaidSubject as subject, ready } from "#test/support/payments/plaid.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import { FakePlaid, problem } from "#test/support/psp/plaid.ts";

connectorConformance<FakePlaid>(subject);

const open = () => {
  const { psp, plugin } = openBench(subject);
  const payments = (state?: unknown, pageSize = 2) =>
    fetchAll(
      (request) => present(plugin.fetchPayments, "it fetches")({ ...request, connection: linked }),
      { state, pageSize },
    );
  return { psp, plugin, payments };
};

describe("a connection of Plaid", () => {
  const balanceOf = async (plugin: Plugin) => {
    const page = { connection: linked, state: undefined, pageSize: 100 };
    const [account] = (await plugin.fetchAccounts?.(page))?.items ?? [];
    const fetched = await plugin.fetchBalances?.({
      parent: present(account, "there is one"),
      state: undefined,
      pageSize: 100,
    });
    return { account, balances: fetched?.items };
  };

  test("a connection of Plaid has accounts with their balances", async () => {
    const { psp, plugin } = open();
    psp.addAccount();
    const { account, balances } = await balanceOf(plugin);
    expect(account).toMatchObject({
      reference: "account-1",
      name: "Plaid Checking",
      defaultAsset: "USD/2",
      createdAt: NOW,
    });
    expect(balances).toEqual([
      { accountReference: "account-1", createdAt: NOW, amount: 11_050n, asset: "USD/2" },
    ]);
  });

  test("without a connection of Plaid, nothing is fetched", async () => {
    const { psp, plugin } = open();
    for (const list of [plugin.fetchAccounts, plugin.fetchExternalAccounts, plugin.fetchPayments]) {
      expect(await list?.({ state: undefined, pageSize: 100 })).toMatchObject({ items: [] });
    }
    expect(psp.requests).toEqual([]);
  });

  test("a connection of Plaid is fetched from the last stored page on", async () => {
    const { psp, payments } = open();
    many(5, () => psp.addTransaction());
    expect((await payments()).items).toHaveLength(5);
    psp.changes.push({ kind: "modified", value: { ...psp.changes[0]?.value, amount: 7 } });
    psp.changes.push({ kind: "removed", value: { transaction_id: "transaction-2" } });
    psp.requests.length = 0;
    const { items } = await payments();
    expect(psp.requests[0]?.json()["cursor"]).toBe("cursor-4");
    expect(items).toMatchObject([
      { reference: "transaction-5" },
      { reference: "transaction-1", amount: 700n },
    ]);
  });

  test("a connection of Plaid reports transactions that the provider has withdrawn", async () => {
    const { psp, plugin } = open();
    psp.changes.push({ kind: "removed", value: { transaction_id: "transaction-9" } });
    const page = { connection: linked, state: undefined, pageSize: 100 };
    expect(await plugin.fetchPayments?.(page)).toMatchObject({ deleted: ["transaction-9"] });
  });

  test("a connection of Plaid is read from the beginning when it changes during the read", async () => {
    const { psp, payments } = open();
    many(5, () => psp.addTransaction());
    psp.isChanging = true;
    const { items } = await payments();
    expect(new Set(items.map(({ reference }) => reference)).size).toBe(5);
  });

  test.each([
    [12.34, "PAYOUT", 1234n, "sourceReference"],
    [-12.3, "PAY-IN", 1230n, "destinationReference"],
    [0, "PAY-IN", 0n, "destinationReference"],
    [7, "PAYOUT", 700n, "sourceReference"],
  ])(
    "a connection of Plaid has a transaction of %s as a %s",
    (...[amount, type, expected, end]) => {
      const psp = new FakePlaid();
      psp.addTransaction({ amount: Number.isInteger(amount) ? amount : Symbol(String(amount)) });
      expect(toPayment(psp.changes[0]?.value)).toMatchObject({
        type,
        amount: expected,
        status: "SUCCEEDED",
        scheme: "OTHER",
        createdAt: "2026-02-01T00:00:00.000000Z",
        [end]: "account-1",
      });
    },
  );
});

describe("a webhook of Plaid", () => {
  const config = { name: "all", urlPath: "/all", metadata: {} };
  const reported = async (value: object, query: Readonly<Record<string, string[]>> = {}) => {
    const { psp, plugin } = open();
    const webhook = toWebhook(config, psp.notify({ ...value }, NOW));
    return plugin.webhooks?.translate({ ...webhook, query });
  };
  const item = (webhook_code: string, more: object = {}) =>
    reported({ webhook_type: "ITEM", webhook_code, item_id: "item-1", ...more });

  test.each(["SYNC_UPDATES_AVAILABLE", "HISTORICAL_UPDATE"])(
    "a webhook of Plaid about transactions says that there are data: %s",
    async (webhook_code) => {
      const value = { webhook_type: "TRANSACTIONS", webhook_code, item_id: "item-1" };
      expect(await reported(value)).toEqual({
        connections: [{ kind: "data-ready", connectionId: "item-1" }],
      });
      expect(NEW_DATA_CODES.size).toBe(2);
    },
  );

  test.each(["ITEM_LOGIN_REQUIRED", "USER_PERMISSION_REVOKED", "USER_ACCOUNT_REVOKED"])(
    "a webhook of Plaid about an item says that the item does not work: %s",
    async (error_code) => {
      const broken = { kind: "disconnected", connectionId: "item-1", at: NOW };
      expect(await item("ERROR", { error: { error_code, error_message: "log in" } })).toEqual({
        connections: [{ ...broken, reason: "log in" }],
      });
      expect(DISCONNECTING_CODES.size).toBe(3);
    },
  );

  test.each([
    ["USER_PERMISSION_REVOKED", {}, { kind: "disconnected", reason: "USER_PERMISSION_REVOKED" }],
    [
      "PENDING_DISCONNECT",
      { reason: "INSTITUTION_MIGRATION" },
      {
        kind: "pending-disconnect",
        at: "2026-03-08T09:30:00.000000Z",
        reason: "INSTITUTION_MIGRATION",
      },
    ],
    [
      "PENDING_EXPIRATION",
      { consent_expiration_time: "2026-03-05T00:00:00Z" },
      {
        kind: "pending-disconnect",
        at: "2026-03-05T00:00:00.000000Z",
        reason: "PENDING_EXPIRATION",
      },
    ],
    ["LOGIN_REPAIRED", {}, { kind: "reconnected", at: NOW }],
  ])("a webhook of Plaid about an item says %s", async (code, more, expected) => {
    expect((await item(code, more))?.connections).toMatchObject([expected]);
  });

  test("a webhook of Plaid about another error of an item says nothing", async () => {
    expect(await item("ERROR", { error: { error_code: "INTERNAL_SERVER_ERROR" } })).toEqual({});
    expect(await item("LATELY_INVENTED")).toEqual({});
  });

  const finished = {
    webhook_type: "LINK",
    webhook_code: "SESSION_FINISHED",
    status: "SUCCESS",
    link_token: "link-sandbox-1",
    public_tokens: ["public-item-1"],
  };

  test("a webhook of Plaid about a link says how the attempt in its URL has ended", async () => {
    expect(await reported(finished, { attemptID: ["attempt-1"] })).toEqual({
      endedLinks: [
        {
          attemptId: "attempt-1",
          query: {
            link_token: ["link-sandbox-1"],
            status: ["success"],
            public_token: ["public-item-1"],
          },
        },
      ],
    });
    expect(await reported(finished)).toEqual({});
    expect(await reported({ webhook_type: "LINK", webhook_code: "EVENTS" })).toEqual({});
  });

  test("a webhook of Plaid is refused if its key has expired or is unknown", async () => {
    const { psp, plugin } = open();
    const sent = psp.notify({ ...ready }, NOW);
    psp.keyEndedAt = 1;
    const refused = { refused: "its key is not known, or has expired" };
    expect(await plugin.webhooks?.verify(toWebhook(config, sent))).toEqual(refused);
    psp.fail({ answer: () => problem(400, "INVALID_WEBHOOK_VERIFICATION_KEY_ID") });
    expect(await plugin.webhooks?.verify(toWebhook(config, sent))).toEqual(refused);
    psp.fail({ kind: "lose-answer" });
    await expect(plugin.webhooks?.verify(toWebhook(config, sent))).rejects.toMatchObject({
      kind: "unreachable",
    });
  });
});
