import { describe, expect, test } from "vitest";
import { encodePaymentId } from "#modules/payments/core/ids.ts";
import { API_VERSION } from "#modules/payments/http/server.ts";
import { UNKNOWN, v1, v3 } from "#test/support/payments/installs.ts";
import { freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

/** Operations of the official client that the tests of payments' entities do not call. */

const NOBODY = "00000000-0000-4000-8000-000000000000";
const connector = "DUMMY-PAY" as const;
const createdAt = new Date("2026-03-01T09:30:00Z");

test("the client reads the version, for which it needs no token", async () => {
  const { serverInfo } = await v1.getServerInfoPayments();
  expect(serverInfo?.version).toBe(API_VERSION);
});

describe("an error that the client knows comes", () => {
  const query = { $match: { name: "a" } };
  const user = { paymentServiceUserID: NOBODY };
  const foreign = { connectorID: UNKNOWN, reference: freshName(), createdAt };
  const paid = { type: "PAY-IN", amount: 1n, asset: "EUR/2", scheme: "visa" } as const;
  const CALLS: readonly [string, () => Promise<unknown>, string][] = [
    ["v1.createAccount", () => v1.createAccount({ ...foreign, type: "INTERNAL" }), "VALIDATION"],
    [
      "v1.createPayment",
      () => v1.createPayment({ ...foreign, ...paid, status: "SUCCEEDED" }),
      "VALIDATION",
    ],
    ["v1.deletePool", () => v1.deletePool({ poolId: "x" }), "INVALID_ID"],
    ["v1.getAccountBalances", () => v1.getAccountBalances({ accountId: "x" }), "VALIDATION"],
    ["v1.getPoolBalances", () => v1.getPoolBalances({ poolId: "x", at: createdAt }), "INVALID_ID"],
    ["v1.getPoolBalancesLatest", () => v1.getPoolBalancesLatest({ poolId: NOBODY }), "NOT_FOUND"],
    ["v1.listAccountsPayments", () => v1.listAccountsPayments({ cursor: "x" }), "VALIDATION"],
    ["v1.listBankAccounts", () => v1.listBankAccounts({ cursor: "x" }), "VALIDATION"],
    ["v1.listPayments", () => v1.listPayments({ query: "{" }), "VALIDATION"],
    ["v1.listPools", () => v1.listPools({ cursor: "x" }), "VALIDATION"],
    [
      "v1.removeAccountFromPool",
      () => v1.removeAccountFromPool({ poolId: NOBODY, accountId: "x" }),
      "INVALID_ID",
    ],
    [
      "v1.updateBankAccountMetadata",
      () =>
        v1.updateBankAccountMetadata({
          bankAccountId: NOBODY,
          updateBankAccountMetadataRequest: { metadata: { a: "b" } },
        }),
      "NOT_FOUND",
    ],
    [
      "v1.updateConnectorConfigV1",
      () =>
        v1.updateConnectorConfigV1({
          connector,
          connectorId: UNKNOWN,
          connectorConfig: { provider: "Dummypay", name: freshName(), directory: "demo" },
        }),
      "NOT_FOUND",
    ],
    [
      "v1.updatePoolQuery",
      () => v1.updatePoolQuery({ poolId: NOBODY, updatePoolQueryRequest: { query } }),
      "NOT_FOUND",
    ],
    [
      "v3.addBankAccountToPaymentServiceUser",
      () => v3.addBankAccountToPaymentServiceUser({ ...user, bankAccountID: NOBODY }),
      "NOT_FOUND",
    ],
    [
      "v3.deletePaymentServiceUserConnectionFromConnectorID",
      () =>
        v3.deletePaymentServiceUserConnectionFromConnectorID({
          ...user,
          connectorID: "x",
          connectionID: "x",
        }),
      "INVALID_ID",
    ],
    [
      "v3.forwardPaymentServiceUserBankAccount",
      () =>
        v3.forwardPaymentServiceUserBankAccount({
          ...user,
          bankAccountID: NOBODY,
          v3ForwardPaymentServiceUserBankAccountRequest: { connectorID: UNKNOWN },
        }),
      "NOT_FOUND",
    ],
    [
      "v3.listConnectorScheduleInstances",
      () => v3.listConnectorScheduleInstances({ connectorID: UNKNOWN, scheduleID: "x" }),
      "NOT_FOUND",
    ],
    ["v3.listPayments", () => v3.listPayments({ cursor: "x" }), "VALIDATION"],
    [
      "v3.updatePaymentMetadata",
      () =>
        v3.updatePaymentMetadata({
          paymentID: encodePaymentId({
            connector: { provider: "dummypay", reference: NOBODY },
            reference: "none",
            type: "PAY-IN",
          }),
          v3UpdatePaymentMetadataRequest: { metadata: { a: "b" } },
        }),
      "NOT_FOUND",
    ],
  ];

  test.each(CALLS)("an error that the client knows comes of %s", async (_name, call, code) => {
    expect(await codeOf(call())).toBe(code);
  });

  test("an error that the client knows comes of an operation without parameters when the token lacks the scope", async () => {
    const without = sdk({ bearer: await token("ledger:read") }).payments;
    for (const call of [
      without.v1.listAllConnectors(),
      without.v1.listConfigsAvailableConnectors(),
      without.v3.listConnectorCapabilities({}),
      without.v3.listConnectorConfigs(),
    ]) {
      expect(await codeOf(call)).toBe("VALIDATION");
    }
  });
});

describe("an operation that names a kind of connectors and none of them is not served:", () => {
  const transferRequest = { amount: 1n, asset: "EUR/2", destination: "acc" };
  const CALLS: readonly [string, () => Promise<unknown>][] = [
    ["connectorsTransfer", () => v1.connectorsTransfer({ connector, transferRequest })],
    ["getConnectorTask", () => v1.getConnectorTask({ connector, taskId: "task" })],
    ["listConnectorTasks", () => v1.listConnectorTasks({ connector })],
    ["readConnectorConfig", () => v1.readConnectorConfig({ connector })],
    ["resetConnector", () => v1.resetConnector({ connector })],
    ["uninstallConnector", () => v1.uninstallConnector({ connector })],
  ];

  test.each(CALLS)(
    "an operation on connectors is not served for another kind: %s",
    async (_name, call) => {
      const calling = call();
      expect(await codeOf(calling)).toBe("NOT_FOUND");
      await expect(calling).rejects.toMatchObject({ statusCode: 404 });
    },
  );
});
