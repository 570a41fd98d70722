import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import {
  encodeConnectorId,
  encodeOwnedId,
  encodePaymentId,
  type PaymentId,
} from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { systemContext } from "#platform/context.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { account, at, balance, payment } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v3, v1 } = sdk({ bearer: await token() }).payments;
const context = systemContext(env, "test");
const NOW = new Date("2026-03-01T09:30:00Z");

let connector: InstalledConnector;
let connectorID: string;
beforeAll(async () => {
  const { id } = await storeConnector({ provider: "dummypay" });
  connector = await requireConnector(context, id);
  connectorID = encodeConnectorId(connector.id);
});

const accountOf = <T extends object>(fields: T) => ({
  reference: freshName("account"),
  connectorID,
  createdAt: NOW,
  accountName: "Main",
  type: "INTERNAL" as const,
  ...fields,
});

const adjustmentOf = (reference: string, fields: object = {}) => ({
  reference,
  createdAt: NOW,
  status: "SUCCEEDED" as const,
  amount: 100n,
  asset: "EUR/2",
  ...fields,
});

const paymentOf = (reference: string, fields: object = {}) => ({
  reference,
  connectorID,
  createdAt: NOW,
  type: "PAY-IN" as const,
  initialAmount: 100n,
  amount: 100n,
  asset: "EUR/2",
  scheme: "CARD_VISA",
  adjustments: [adjustmentOf(reference)],
  ...fields,
});

const idOf = (reference: string): PaymentId => ({
  connector: connector.id,
  reference,
  type: "PAY-IN",
});

describe("accounts, through the official client", () => {
  test("accounts, through the official client, are created once and read, the same in both generations", async () => {
    const request = accountOf({ defaultAsset: "EUR/2", metadata: { tier: freshName() } });
    const created = await v3.createAccount(request);
    expect(created.statusCode).toBe(201);
    const data = created.v3CreateAccountResponse?.data;
    expect(data).toMatchObject({
      id: encodeOwnedId({ connector: connector.id, reference: request.reference }),
      provider: "dummypay",
      connector: { id: connectorID, name: connector.name },
      name: "Main",
      metadata: request.metadata,
      raw: { reference: request.reference, connectorID },
    });
    const again = await v3.createAccount({ ...request, accountName: "Other" });
    expect(again.v3CreateAccountResponse?.data).toEqual(data);
    const accountID = data?.id ?? "";
    const { v3GetAccountResponse: read } = await v3.getAccount({ accountID });
    expect(read?.data).toEqual(data);
    const { accountResponse: legacy } = await v1.getAccountPayments({ accountId: accountID });
    expect(legacy?.data).toMatchObject({
      id: accountID,
      provider: "DUMMY-PAY",
      accountName: "Main",
      defaultAsset: "EUR/2",
      defaultCurrency: "EUR/2",
      metadata: request.metadata,
    });
    const query = { $match: { "metadata[tier]": request.metadata.tier } };
    const { v3AccountsCursorResponse: listed } = await v3.listAccounts({ query });
    expect(listed?.cursor.data).toEqual([data]);
    const { accountsCursor } = await v1.listAccountsPayments({ query: JSON.stringify(query) });
    expect(accountsCursor?.cursor.data).toEqual([legacy?.data]);
  });

  test("accounts, through the official client, are created through v1 with fewer fields", async () => {
    const { reference, createdAt } = accountOf({});
    const type = "UNKNOWN" as const;
    const { accountResponse } = await v1.createAccount({ reference, connectorID, createdAt, type });
    expect(accountResponse?.data).toMatchObject({ accountName: "", defaultAsset: "", type });
  });

  test("accounts, through the official client, are found by each filter", async () => {
    const reference = freshName("filtered");
    const { v3CreateAccountResponse: created } = await v3.createAccount(
      accountOf({ reference, accountName: reference, defaultAsset: "USD/2" }),
    );
    const id = created?.data.id ?? "";
    for (const filter of [
      { $match: { id } },
      { $match: { reference } },
      { $gte: { name: reference } },
      { $and: [{ $match: { connector_id: connectorID } }, { $match: { name: reference } }] },
      { $and: [{ $match: { default_asset: "USD/2" } }, { $match: { type: "INTERNAL" } }] },
      { $not: { $match: { connector_id: "none" } } },
    ]) {
      const { v3AccountsCursorResponse: listed } = await v3.listAccounts({ query: filter });
      const found = listed?.cursor.data.some((item) => item.id === id);
      expect([filter, found]).toEqual([filter, true]);
    }
    const query = { $match: { id: "none" } };
    expect((await v3.listAccounts({ query })).v3AccountsCursorResponse?.cursor.data).toEqual([]);
  });

  test("accounts, through the official client, are refused with codes that it knows", async () => {
    const unknown = encodeOwnedId({ connector: connector.id, reference: "none" });
    expect(await codeOf(v3.getAccount({ accountID: "x" }))).toBe("INVALID_ID");
    expect(await codeOf(v3.getAccount({ accountID: unknown }))).toBe("NOT_FOUND");
    const bad = [
      { reference: "ab" },
      { reference: "" },
      { connectorID: "x" },
      { connectorID: encodeConnectorId({ ...connector.id, provider: "generic" }) },
      { connectorID: encodeConnectorId({ ...connector.id, provider: "none" }) },
      { createdAt: new Date("2126-01-01") },
      { defaultAsset: "BTC/8" },
      { accountName: "" },
    ];
    for (const fields of bad) {
      expect([fields, await codeOf(v3.createAccount(accountOf(fields)))]).toEqual([
        fields,
        "VALIDATION",
      ]);
    }
    const query = { $match: { iban: "x" } };
    expect(await codeOf(v3.listAccounts({ query }))).toBe("VALIDATION");
    expect(await codeOf(v3.listAccounts({ cursor: "x" }))).toBe("VALIDATION");
    expect(await codeOf(v1.getAccountPayments({ accountId: "x" }))).toBe("INVALID_ID");
  });
});

describe("balances, through the official client", () => {
  test("balances, through the official client, are listed over time, the newest first", async () => {
    const store = (balances: Parameters<typeof prepareBalances>[1]["balances"]) =>
      storePage(context, () => prepareBalances(context, { connector, balances }));
    await storePage(context, () =>
      prepareAccounts(context, { connector, type: "INTERNAL", accounts: [account("acc")] }),
    );
    await store([balance(5n, 0), balance(3n, 0, "USD/2")]);
    await store([balance(-7n, 20)]);
    const accountID = encodeOwnedId({ connector: connector.id, reference: "acc" });
    const amountsOf = async (request: object) => {
      const { v3BalancesCursorResponse: listed } = await v3.getAccountBalances({
        accountID,
        ...request,
      });
      return listed?.cursor.data.map((item) => [item.asset, item.balance]);
    };
    const toDate = (seconds: number) => new Date(at(seconds));
    expect(await amountsOf({})).toEqual([
      ["EUR/2", -7n],
      ["USD/2", 3n],
      ["EUR/2", 5n],
    ]);
    expect(await amountsOf({ asset: "EUR/2" })).toHaveLength(2);
    expect(await amountsOf({ toTimestamp: toDate(10), asset: "EUR/2" })).toEqual([["EUR/2", 5n]]);
    expect(await amountsOf({ fromTimestamp: toDate(21) })).toEqual([]);
    const { balancesCursor } = await v1.getAccountBalances({ accountId: accountID, pageSize: 1 });
    expect(balancesCursor?.cursor.data).toMatchObject([
      { accountId: accountID, asset: "EUR/2", currency: "EUR/2", balance: -7n },
    ]);
    const cursor = balancesCursor?.cursor.next ?? "";
    const { balancesCursor: second } = await v1.getAccountBalances({
      accountId: accountID,
      cursor,
    });
    expect(second?.cursor.data).toMatchObject([{ asset: "USD/2" }, { asset: "EUR/2" }]);
    expect(await amountsOf({ accountID: encodeOwnedId({ ...idOf("none") }) })).toEqual([]);
    expect(await codeOf(v3.getAccountBalances({ accountID: "x" }))).toBe("VALIDATION");
  });
});

describe("payments, through the official client", () => {
  test("payments, through the official client, are created, read and listed, the same in both generations", async () => {
    const reference = freshName("payment");
    const sourceAccountID = encodeOwnedId({ connector: connector.id, reference: "acc" });
    const metadata = { order: reference };
    const refund = adjustmentOf("refund", {
      status: "REFUNDED",
      amount: 30n,
      createdAt: new Date("2026-03-01T10:00:00Z"),
    });
    const created = await v3.createPayment(
      paymentOf(reference, {
        sourceAccountID,
        metadata,
        adjustments: [adjustmentOf(reference), refund],
      }),
    );
    expect(created.statusCode).toBe(201);
    const data = created.v3CreatePaymentResponse?.data;
    expect(data).toMatchObject({
      id: encodePaymentId(idOf(reference)),
      status: "REFUNDED",
      initialAmount: 100n,
      amount: 70n,
      sourceAccountID,
      metadata,
      adjustments: [
        { reference: "refund", status: "REFUNDED", amount: 30n, raw: { reference: "refund" } },
        { reference, status: "SUCCEEDED" },
      ],
    });
    const paymentID = data?.id ?? "";
    const { v3GetPaymentResponse: read } = await v3.getPayment({ paymentID });
    expect(read?.data).toEqual(data);
    const { paymentResponse } = await v1.getPayment({ paymentId: paymentID });
    expect(paymentResponse?.data).toMatchObject({
      id: paymentID,
      provider: "DUMMY-PAY",
      scheme: "visa",
      status: "REFUNDED",
      amount: 70n,
      sourceAccountID,
      destinationAccountID: "",
      raw: null,
      adjustments: [{ reference: "refund" }, { reference }],
    });
    const query = { $match: { source_account_id: sourceAccountID } };
    const { v3PaymentsCursorResponse: listed } = await v3.listPayments({ query });
    const { adjustments: _adjustments, ...shown } = data ?? {};
    expect(listed?.cursor.data).toContainEqual(shown);
    const { paymentsCursor } = await v1.listPayments({ query: JSON.stringify(query) });
    expect(paymentsCursor?.cursor.data).toContainEqual(paymentResponse?.data);
  });

  test("payments, through the official client, get the adjustments that they do not have, once", async () => {
    const reference = freshName("payment");
    await v3.createPayment(paymentOf(reference));
    const refund = adjustmentOf("refund", { status: "REFUNDED", amount: 30n });
    const request = paymentOf(reference, { adjustments: [adjustmentOf(reference), refund] });
    const answers = await Promise.all([v3.createPayment(request), v3.createPayment(request)]);
    for (const { v3CreatePaymentResponse: answer } of answers) {
      expect(answer?.data.amount).toBe(70n);
      expect(answer?.data.adjustments).toHaveLength(2);
    }
  });

  test("payments, through the official client, are created through v1 from one state, with statuses that it knows", async () => {
    const reference = freshName("v1");
    const { adjustments: _, initialAmount: __, ...fields } = paymentOf(reference);
    const state = { ...fields, scheme: "visa" as const, status: "REFUNDED" as const };
    const { paymentResponse } = await v1.createPayment(state);
    expect(paymentResponse?.data).toMatchObject({ status: "REFUNDED", amount: 100n });
    const authorised = { ...state, reference: freshName("v1"), status: "AUTHORISATION" };
    const answer = await api("/api/payments/payments", {
      body: { ...authorised, createdAt: NOW.toISOString(), scheme: "CARD_VISA", type: "UNKNOWN" },
    });
    expect([answer.status, await bodyOf(answer)]).toMatchObject([
      200,
      { data: { status: "PENDING", type: "OTHER", initialAmount: 100, amount: 0 } },
    ]);
  });

  test("payments, through the official client, of a provider are shown with absent values absent", async () => {
    const reference = freshName("polled");
    const page = { connector, payments: [payment(reference)], cancelled: [reference] };
    await storePage(context, () => preparePayments(context, page));
    const paymentID = encodePaymentId(idOf(reference));
    const { v3GetPaymentResponse: read } = await v3.getPayment({ paymentID });
    const [cancellation] = read?.data.adjustments ?? [];
    expect(cancellation).toMatchObject({ reference, status: "CANCELLED", metadata: {}, raw: {} });
    expect(Object.keys(cancellation ?? {})).not.toContain("amount");
    const { paymentResponse } = await v1.getPayment({ paymentId: paymentID });
    expect(paymentResponse?.data.adjustments[0]).toMatchObject({ amount: 0n, raw: {} });
  });

  test("payments, through the official client, get metadata added in both ways, and other keys stay", async () => {
    const reference = freshName("payment");
    await v3.createPayment(paymentOf(reference, { metadata: { a: "1", b: "2" } }));
    const id = encodePaymentId(idOf(reference));
    const change = { v3UpdatePaymentMetadataRequest: { metadata: { b: "3" } } };
    const { statusCode } = await v3.updatePaymentMetadata({ paymentID: id, ...change });
    expect(statusCode).toBe(204);
    await v1.updateMetadata({ paymentId: id, requestBody: { c: reference } });
    const path = `/api/payments/v3/payments/${id}/metadata`;
    expect((await api(path, { method: "PATCH", body: { metadata: "text" } })).status).toBe(204);
    const query = { $match: { "metadata[c]": reference } };
    const { v3PaymentsCursorResponse: listed } = await v3.listPayments({ query });
    expect(listed?.cursor.data.map((item) => item.metadata)).toEqual([
      { a: "1", b: "3", c: reference, metadata: "text" },
    ]);
    for (const body of [{}, { metadata: {} }, { metadata: null }, { a: 1 }, [], null]) {
      expect([body, (await api(path, { method: "PATCH", body })).status]).toEqual([body, 400]);
    }
  });

  test("payments, through the official client, are found by each filter", async () => {
    const reference = freshName("filtered");
    const end = encodeOwnedId({ connector: connector.id, reference });
    const foreign = encodeOwnedId({
      connector: { provider: "stripe", reference: crypto.randomUUID() },
      reference,
    });
    await v3.createPayment(
      paymentOf(reference, {
        initialAmount: 9_007_199_254_740_000n,
        amount: -5n,
        sourceAccountID: foreign,
        destinationAccountID: end,
      }),
    );
    const id = encodePaymentId(idOf(reference));
    for (const filter of [
      { $match: { id } },
      { $match: { reference } },
      { $match: { source_account_id: foreign } },
      { $match: { destination_account_id: end } },
      { $gte: { initial_amount: 9_007_199_254_740_000 } },
      { $lt: { amount: -4 } },
      {
        $and: [
          { $match: { connector_id: connectorID } },
          { $match: { type: "PAY-IN" } },
          { $match: { asset: "EUR/2" } },
          { $match: { scheme: "CARD_VISA" } },
          { $match: { status: "SUCCEEDED" } },
          { $match: { amount: -5 } },
        ],
      },
    ]) {
      const { v3PaymentsCursorResponse: listed } = await v3.listPayments({ query: filter });
      expect([filter, listed?.cursor.data.map((item) => item.id)]).toEqual([filter, [id]]);
    }
    const none = { $or: [{ $match: { psu_id: "x" } }, { $match: { id: "x" } }] };
    const { v3PaymentsCursorResponse: empty } = await v3.listPayments({ query: none });
    expect(empty?.cursor.data).toEqual([]);
    const { status } = await api(
      "/api/payments/v3/payments?query=%7B%22$like%22:%7B%22id%22:%22x%22%7D%7D",
    );
    expect(status).toBe(400);
  });

  test("payments, through the official client, are refused with codes that it knows", async () => {
    const unknown = encodePaymentId(idOf("none"));
    expect(await codeOf(v3.getPayment({ paymentID: "x" }))).toBe("INVALID_ID");
    expect(await codeOf(v3.getPayment({ paymentID: unknown }))).toBe("NOT_FOUND");
    expect(await codeOf(v1.getPayment({ paymentId: unknown }))).toBe("NOT_FOUND");
    const requestBody = { a: "b" };
    expect(await codeOf(v1.updateMetadata({ paymentId: unknown, requestBody }))).toBe("NOT_FOUND");
    expect(await codeOf(v1.updateMetadata({ paymentId: "x", requestBody }))).toBe("INVALID_ID");
    const bare = encodePaymentId(idOf(""));
    expect(await codeOf(v1.updateMetadata({ paymentId: bare, requestBody }))).toBe("VALIDATION");
    const bad = [
      { reference: "ab" },
      { connectorID: "x" },
      { createdAt: new Date("2126-01-01") },
      { asset: "BTC/8" },
      { scheme: "visa" },
      { sourceAccountID: "x" },
      { adjustments: [] },
      { adjustments: [adjustmentOf("ref", { createdAt: new Date("2126-01-01") })] },
      { adjustments: [adjustmentOf("ref", { asset: "EUR" })] },
    ];
    for (const fields of bad) {
      const request = paymentOf(freshName("payment"), fields);
      expect([fields, await codeOf(v3.createPayment(request))]).toEqual([fields, "VALIDATION"]);
    }
  });

  test("payments, through the official client, tell who has created them, and what has happened", async () => {
    const reference = freshName("audited");
    await v3.createPayment(paymentOf(reference));
    await v3.createPayment(paymentOf(reference));
    const { results } = await env.DB.prepare("SELECT action FROM audit WHERE object LIKE '%' || ?")
      .bind(reference)
      .all();
    expect(results).toEqual([{ action: "payments.payment.create" }]);
  });
});
