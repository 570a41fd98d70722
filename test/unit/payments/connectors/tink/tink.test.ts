import { describe, expect, test } from "vitest";
import { amountOf } from "#modules/payments/connectors/tink/amounts.ts";
import { STATUSES, toPayment } from "#modules/payments/connectors/tink/payments.ts";
import { LOCALES, MARKETS } from "#modules/payments/connectors/tink/users.ts";
import { EVENTS, REFRESHES } from "#modules/payments/connectors/tink/webhooks.ts";
import { present } from "#platform/assert.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import {
  CONNECTION,
  linked,
  ofAccount,
  ofConnection,
  PSU,
  tinkSubject as subject,
  USER,
} from "#test/support/payments/tink.ts";
import { openUsers, assertRefused } from "#test/support/psp/suite.ts";
import { FakeTink } from "#test/support/psp/tink.ts";

connectorConformance<FakeTink>(subject);

const page = { state: undefined, pageSize: 100 };

describe("accounts of Tink", () => {
  test("accounts of Tink are those of a connection's consent, and those that no consent names", async () => {
    const { psp, plugin } = openBench(subject);
    const own = psp.addAccount(USER.id, CONNECTION);
    psp.addAccount(USER.id, "credentials-2");
    const unnamed = psp.addAccount(USER.id, undefined);
    psp.addAccount("somebody else", CONNECTION);
    const fetched = await plugin.fetchAccounts?.({ ...page, ...ofConnection(psp) });
    expect(fetched?.items).toMatchObject([
      {
        reference: own,
        name: "Checking",
        defaultAsset: "EUR/2",
        createdAt: "2026-02-03T08:00:00.000000Z",
      },
      { reference: unnamed },
    ]);
    expect(fetched?.items[0]?.raw).toContain('"iban":"***0189"');
  });

  test("accounts of Tink are not read without a connection", async () => {
    const { psp, plugin } = openBench(subject);
    expect((await plugin.fetchAccounts?.(page))?.items).toEqual([]);
    expect((await plugin.fetchPayments?.(page))?.items).toEqual([]);
    expect(psp.requests).toEqual([]);
  });

  test("accounts of Tink have their booked amount as balance", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addUser(USER.id);
    const accountReference = psp.addAccount(USER.id, CONNECTION);
    const bare = psp.addAccount(USER.id, CONNECTION, { balances: null, dates: null });
    const read = (reference: string) =>
      plugin.fetchBalances?.({ ...page, ...ofAccount(psp, reference) });
    const createdAt = "2026-02-03T08:00:00.000000Z";
    expect((await read(accountReference))?.items).toEqual([
      { accountReference, createdAt, amount: 12_050n, asset: "EUR/2" },
    ]);
    expect((await read(bare))?.items).toEqual([]);
    expect((await read("gone"))?.items).toEqual([]);
  });
});

describe("an amount of Tink", () => {
  test.each([
    ["-1050", "2", "EUR", -1050n, "EUR/2"],
    ["-5", "2", "EUR", -5n, "EUR/2"],
    ["105", "1", "EUR", 1050n, "EUR/2"],
    ["10500", "3", "EUR", 1050n, "EUR/2"],
    ["12", "-2", "JPY", 1200n, "JPY"],
    ["12", "0", "EUR", 1200n, "EUR/2"],
  ])("%s by %s of %s is %i of %s", (...[unscaledValue, scale, currencyCode, amount, asset]) => {
    const value = { unscaledValue, scale };
    expect(amountOf({ value, currencyCode })).toEqual({ amount, asset });
  });

  test("an amount of Tink with more decimals than its currency is refused, and an amount of no currency is left out", () => {
    const value = { unscaledValue: "10501", scale: "3" };
    expect(() => amountOf({ value, currencyCode: "EUR" })).toThrow("decimals");
    expect(amountOf({ value, currencyCode: "XXX" })).toBeUndefined();
  });
});

const transaction = (more: object) => {
  const psp = new FakeTink();
  psp.addTransaction(USER.id, "account-1", { ...more });
  return toPayment(psp.users.get(USER.id)?.transactions[0], NOW);
};

describe("a transaction of Tink", () => {
  test.each([
    ["-1050", "PAYOUT", "account-1", undefined],
    ["1050", "PAY-IN", undefined, "account-1"],
  ])("a transaction of Tink of %s is a %s", (...[unscaledValue, type, source, destination]) => {
    const amount = { currencyCode: "EUR", value: { unscaledValue, scale: "2" } };
    const payment = transaction({ amount });
    expect(payment).toMatchObject({ type, amount: 1050n, asset: "EUR/2", scheme: "OTHER" });
    expect([payment?.sourceReference, payment?.destinationReference]).toEqual([
      source,
      destination,
    ]);
  });

  test.each([
    ["BOOKED", "SUCCEEDED", "00.000001Z"],
    ["PENDING", "PENDING", "00.000000Z"],
    ["UNDEFINED", "OTHER", "00.000001Z"],
    ["constructor", "OTHER", "00.000001Z"],
  ])(
    "a transaction of Tink that is %s has the status %s, and a time in its order",
    (status, expected, time) => {
      const payment = transaction({ status });
      expect(payment?.status).toBe(expected);
      expect(payment?.createdAt).toBe(`2026-02-02T00:00:${time}`);
      expect(Object.keys(STATUSES)).toHaveLength(2);
    },
  );

  test("a transaction of Tink has the time of its booking, or else its day, or else the time of the read", () => {
    const bookedDateTime = "2026-02-02T10:00:00Z";
    const status = "PENDING";
    expect(transaction({ status, bookedDateTime })?.createdAt).toContain("2026-02-02T10:00:00");
    expect(transaction({ status, dates: { value: "2026-02-05" } })?.createdAt).toContain("02-05");
    expect(transaction({ status, dates: null })?.createdAt).toBe(NOW);
  });
});

describe("a user of Tink", () => {
  const open = () => openUsers(subject);
  const request = {
    ...linked,
    clientRedirectUrl: "https://shop.example/done",
    redirectUrl: "https://florin.example/redirect",
    attemptId: "attempt-1",
    webhookUrl: "https://florin.example/webhooks",
    state: "state-1",
  };

  test("a user of Tink is made once, and found again if the answer was lost", async () => {
    const { psp, users } = open();
    const forwarded = { providerUserId: "tink-user-1", metadata: {} };
    expect(await users.createUser(PSU)).toEqual(forwarded);
    expect(psp.requests.at(-1)?.json()).toEqual({
      external_user_id: USER.id,
      market: "FR",
      locale: "fr_FR",
    });
    expect(await users.createUser(PSU)).toEqual(forwarded);
    expect(psp.users.size).toBe(1);
  });

  test.each([
    [{ ...PSU, country: "US" }, "address.country is 'US'"],
    [USER, "address.country is ''"],
    [{ ...PSU, locale: "en_US_POSIX" }, "contactDetails.locale is 'en_US_POSIX'"],
  ])("%o is refused", async (user, message) => {
    const { psp, users } = open();
    const call = users.createUser(user);
    await assertRefused(psp, call, message);
    expect([MARKETS.length, LOCALES.length]).toEqual([18, 16]);
  });

  test("a user of Tink is led to the provider with a code, and back with the state", async () => {
    const { psp, users } = open();
    psp.addUser(USER.id);
    const link = await users.createLink(request);
    const url = new URL(link.url);
    expect(`${url.origin}${url.pathname}`).toBe(
      "https://link.tink.com/1.0/transactions/connect-accounts",
    );
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "florin-app",
      redirect_uri: "https://florin.example/redirect",
      authorization_code: `code-of-${USER.id}`,
      market: "FR",
      locale: "fr_FR",
      state: "state-1",
    });
    expect(link).toMatchObject({
      temporaryToken: `code-of-${USER.id}`,
      expiresAt: "2026-03-01T10:00:00.000000Z",
    });
    const renewed = new URL((await users.updateLink({ ...request, connectionId: "c-1" })).url);
    expect(renewed.pathname).toBe("/1.0/transactions/update-consent");
    expect(renewed.searchParams.get("credentials_id")).toBe("c-1");
  });

  test.each([
    [{ credentials_id: ["c-1"] }, { connectionId: "c-1" }],
    [{ credentialsId: ["c-1"] }, { connectionId: "c-1" }],
  ])("a user of Tink has a connection when the browser brings %o", async (query, connection) => {
    const { users } = open();
    const outcome = await users.completeLink({ ...linked, query, headers: {}, body: "" });
    expect(outcome).toMatchObject({ connections: [{ ...connection, createdAt: NOW }] });
  });

  test("a user of Tink has no connection when the browser brings an error, or nothing", async () => {
    const { users } = open();
    const complete = (query: Record<string, string[]>) =>
      users.completeLink({ ...linked, query, headers: {}, body: "" });
    const error = ["USER_CANCELLED"];
    expect(await complete({ error, message: ["no"] })).toEqual({ error: "USER_CANCELLED: no" });
    expect(await complete({ error })).toEqual({ error: "USER_CANCELLED" });
    await expect(complete({})).rejects.toMatchObject({ kind: "invalid" });
  });

  test("a user of Tink is deleted with the connections, also when the deletion is repeated", async () => {
    const { psp, users } = open();
    await users.createUser(PSU);
    psp.addAccount(USER.id, CONNECTION);
    await users.deleteConnection(linked);
    await users.deleteConnection(linked);
    expect(psp.users.get(USER.id)?.consents.size).toBe(0);
    await users.deleteUser(linked);
    await users.deleteUser(linked);
    expect(psp.users.size).toBe(0);
  });
});

describe("an event of Tink", () => {
  const open = async () => {
    const { psp, plugin } = openBench(subject);
    await plugin.users?.createUser(PSU);
    const webhooks = present(plugin.webhooks, "it has webhooks");
    const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
    const [config] = await webhooks.create(registration);
    const translate = (event: string, content: object, user = USER.id) =>
      webhooks.translate(
        toWebhook(
          present(config, "it is registered"),
          psp.notify("/events", { event, content: { ...content }, user, at: NOW }),
        ),
      );
    return { psp, plugin, translate };
  };
  const owner = { psuId: USER.id, connectionId: CONNECTION };

  test("events of Tink each have a row of the table, and those with news are subscribed to", async () => {
    const { psp } = await open();
    expect(Object.keys(EVENTS)).toHaveLength(6);
    expect(psp.endpoints).toMatchObject([
      {
        url: `${BASE_URL}/events`,
        enabledEvents: [
          "account-transactions:modified",
          "account-transactions:deleted",
          "account:created",
          "refresh:finished",
        ],
      },
    ]);
  });

  test.each(["account-transactions:modified", "account:created"])(
    "the event %s of Tink brings the account, its balance and its transactions",
    async (event) => {
      const { psp, translate } = await open();
      const id = psp.addAccount(USER.id, CONNECTION);
      const reference = psp.addTransaction(USER.id, id);
      psp.addTransaction(USER.id, "another account");
      const days = { earliestModifiedBookedDate: "2026-02-01", latestModifiedBookedDate: null };
      const report = await translate(event, { id, account: { id }, transactions: days });
      expect(report).toMatchObject({
        accounts: [{ reference: id, ...owner }],
        balances: [{ accountReference: id, amount: 12_050n, ...owner }],
        payments: [{ reference, ...owner }],
      });
      expect(report).not.toHaveProperty("connections");
      const { query } = present(psp.requests.at(-1), "it asks");
      expect(query.get("bookedDateGte")).toBe(event === "account:created" ? null : "2026-02-01");
      expect(query.get("bookedDateLte")).toBeNull();
    },
  );

  test("an event of Tink about very many transactions causes a fetch of the whole connection", async () => {
    const { psp, translate } = await open();
    const id = psp.addAccount(USER.id, CONNECTION);
    for (let count = 0; count < 501; count++) psp.addTransaction(USER.id, id);
    const { payments, connections } = await translate("account:created", { id });
    expect(payments).toHaveLength(500);
    expect(connections).toEqual([
      { kind: "data-ready", providerUserId: "tink-user-1", connectionId: CONNECTION },
    ]);
  });

  test("an event of Tink about transactions that are gone cancels their payments", async () => {
    const { translate } = await open();
    const content = { account: { id: "account-1" }, transactions: { ids: ["t-1", "t-2"] } };
    expect(await translate("account-transactions:deleted", content)).toEqual({
      cancelledPayments: ["t-1", "t-2"],
    });
  });

  test.each([
    ["UPDATED", { kind: "reconnected" }],
    ["TEMPORARY_ERROR", { kind: "disconnected", reason: "TEMPORARY_ERROR: BANK_DOWN" }],
    ["AUTHENTICATION_ERROR", { kind: "disconnected", reason: "AUTHENTICATION_ERROR: BANK_DOWN" }],
    ["SESSION_EXPIRED", { kind: "disconnected", reason: "SESSION_EXPIRED: BANK_DOWN" }],
  ])(
    "an event of Tink about a refresh that ended with %s reports the state of the connection",
    async (credentialsStatus, news) => {
      const { translate } = await open();
      const content = { credentialsId: CONNECTION, credentialsStatus, finished: 1_770_000_000_000 };
      const detailedError = { type: "BANK_DOWN" };
      const at = "2026-02-02T02:40:00.000000Z";
      expect(await translate("refresh:finished", { ...content, detailedError })).toEqual({
        connections: [{ providerUserId: "tink-user-1", connectionId: CONNECTION, at, ...news }],
      });
      expect(Object.keys(REFRESHES)).toHaveLength(4);
    },
  );

  test.each([
    ["refresh:finished", { credentialsId: CONNECTION, credentialsStatus: "toString" }],
    ["account:updated", { id: "account-1" }],
    ["account-booked-transactions:modified", {}],
    ["account:created", { id: "gone" }],
    ["toString", {}],
  ])("the event %s of Tink with %o reports nothing", async (event, content) => {
    const { translate } = await open();
    expect(Object.values(await translate(event, content)).flat()).toEqual([]);
  });

  test("an event of Tink about a user of another installation reports nothing", async () => {
    const { psp, translate } = await open();
    const id = psp.addAccount("somebody else", CONNECTION);
    expect(await translate("account:created", { id }, "somebody else")).toEqual({});
  });
});
