import { describe, expect, test } from "vitest";
import { toAccount, toBalances, toPayments } from "#modules/payments/connectors/powens/accounts.ts";
import { powensKind } from "#modules/payments/connectors/powens/index.ts";
import { STATES } from "#modules/payments/connectors/powens/synchronisation.ts";
import { parseParisTime } from "#modules/payments/connectors/powens/time.ts";
import { EVENTS } from "#modules/payments/connectors/powens/webhooks.ts";
import { parseJson } from "#platform/json.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW, openPlugin } from "#test/support/payments/plugins.ts";
import {
  CONNECTION,
  FakePowens,
  POWENS_CONFIG,
  problem,
  USER_TOKEN,
} from "#test/support/psp/powens.ts";
import { accountOf, openUsers } from "#test/support/psp/suite.ts";

const user = { id: "psu-1", name: "Ann" };
const forwarded = { providerUserId: "5", accessToken: USER_TOKEN, metadata: {} };
const linked = { user, forwarded, connectionId: CONNECTION, metadata: {} };
const ofConnection = () => ({ connection: linked });
const parent = accountOf("101");

/** A value as the connector parses it from an answer. */
const received = (value: object): unknown => parseJson(JSON.stringify(value));

/** The webhook that Powens sends when a connection was synchronised. */
const synced = (psp: FakePowens, connection: object = {}) => ({
  user: { id: 5, platform: "sharedAccess" },
  connection: {
    id: Number(CONNECTION),
    id_user: 5,
    state: null,
    accounts: [{ ...psp.account(), transactions: [psp.transaction()] }],
    ...connection,
  },
});

const subject = {
  kind: powensKind,
  psp: () => new FakePowens(),
  config: POWENS_CONFIG,
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      parent: ofConnection,
      add: (psp, count) => many(count, () => psp.addAccount()),
    },
    { task: "FETCH_BALANCES", parent: () => ({ parent }) },
    {
      task: "FETCH_PAYMENTS",
      parent: ofConnection,
      add: (psp, count) => many(count, () => psp.addTransaction()),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "invalidValue"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "internalServerError"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      parent: ofConnection,
      arrange: (psp) => void psp.addAccount({ currency: { id: "XBT" } }),
      expected: { name: "Compte chèque" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      parent: ofConnection,
      arrange: (psp) => {
        psp.addAccount({ currency: null });
        psp.addTransaction();
      },
      expected: undefined,
    },
  ],
  webhooks: {
    registered: (psp) => psp.auths.length,
    addForeign: (psp) => void psp.auths.push({ id: 1, name: "other", secret: "other" }),
    urlPath: EVENTS.CONNECTION_SYNCED,
    deliver: (psp, { urlPath, at }) => psp.notify(urlPath, synced(psp), at),
    forgeries: {
      body: ({ headers, body }) => ({ headers, body: body.replace("-12.34", "-99.34") }),
      signature: ({ headers, body }) => ({ headers: { ...headers, "Bi-Signature": "AAAA" }, body }),
      absence: ({ body }) => ({ headers: {}, body }),
    },
    unknown: (psp, { urlPath, at }) => psp.notify(urlPath, { bank: { id: 40 } }, at),
    toleranceMs: 300_000,
  },
} as const satisfies Parameters<typeof connectorConformance<FakePowens>>[0];

connectorConformance<FakePowens>(subject);

test.each([
  ["2026-01-15 10:00:00", "2026-01-15T09:00:00.000000Z"],
  ["2026-07-15 10:00:00", "2026-07-15T08:00:00.000000Z"],
  ["2026-03-29 01:59:59", "2026-03-29T00:59:59.000000Z"],
  ["2026-03-29 02:30:00", "2026-03-29T01:30:00.000000Z"],
  ["2026-03-29 03:00:00", "2026-03-29T01:00:00.000000Z"],
  ["2026-10-25 02:30:00", "2026-10-25T01:30:00.000000Z"],
  ["2026-10-25 03:00:00", "2026-10-25T02:00:00.000000Z"],
  ["2026-02-01", "2026-01-31T23:00:00.000000Z"],
  ["2026-02-01 10:00:00.75", "2026-02-01T09:00:00.000000Z"],
  ["2026-02-30", undefined],
  ["2026-02-01T10:00:00Z", "2026-02-01T10:00:00.000000Z"],
  ["yesterday", undefined],
])("the time %s of Powens is %s", (text, expected) => {
  expect(parseParisTime(text)).toBe(expected);
});

describe("data of Powens", () => {
  test("accounts of Powens have their balances, and not their numbers or transactions", () => {
    const value = received(new FakePowens().account({ transactions: [{ id: 1 }] }));
    const account = toAccount(value, NOW);
    expect(account).toMatchObject({
      reference: "101",
      name: "Compte chèque",
      defaultAsset: "EUR/2",
      createdAt: NOW,
    });
    for (const hidden of ["3002900000", "FR76", "transactions"]) {
      expect(account.raw).not.toContain(hidden);
    }
    expect(toBalances(value, NOW)).toEqual([
      {
        accountReference: "101",
        createdAt: "2026-02-01T09:00:00.000000Z",
        amount: 12_050n,
        asset: "EUR/2",
      },
    ]);
  });

  test.each([
    ["-12.34", {}, { type: "PAYOUT", amount: 1234n, sourceReference: "101" }],
    ["12.3", {}, { type: "PAY-IN", amount: 1230n, destinationReference: "101" }],
    ["5", { coming: true }, { type: "PAY-IN", amount: 500n, status: "PENDING" }],
    ["5", { datetime: "2026-02-01 12:00:00" }, { createdAt: "2026-02-01T11:00:00.000000Z" }],
  ])("transactions of Powens of %s are read as %o", (value, more, expected) => {
    const psp = new FakePowens();
    const account = received(psp.account());
    const transaction = received(psp.transaction({ value, ...more }));
    const { payments } = toPayments([transaction], [account], "101");
    const standard = { status: "SUCCEEDED", createdAt: "2026-01-31T23:00:00.000000Z" };
    expect(payments).toMatchObject([{ reference: "102", ...standard, ...expected }]);
  });

  test("data of Powens are withdrawn if the provider has deleted them", () => {
    const psp = new FakePowens();
    const transaction = received(psp.transaction({ deleted: "2026-02-02 10:00:00" }));
    expect(toPayments([transaction], [], "101")).toMatchObject({
      payments: [],
      deleted: ["101"],
      rejected: [],
    });
  });

  test("data of Powens are read for connections only", async () => {
    const { psp, plugin } = openBench(subject);
    for (const list of [plugin.fetchAccounts, plugin.fetchExternalAccounts, plugin.fetchPayments]) {
      expect((await fetchAll<unknown>(list)).items).toEqual([]);
    }
    expect(psp.requests).toEqual([]);
  });
});

describe("a user of Powens", () => {
  const open = () => openUsers(subject);
  const request = {
    ...linked,
    clientRedirectUrl: "https://app.example/done",
    redirectUrl: "https://florin.example/open-banking/c1/redirect",
    state: "a+b=",
    attemptId: "attempt-1",
    webhookUrl: BASE_URL,
  };

  test("a user of Powens has an id and a permanent token, and is removed once", async () => {
    const { psp, users } = open();
    const created = await users.createUser(user);
    expect(created).toEqual({
      providerUserId: "101",
      accessToken: "token-of-user-101",
      metadata: { expires_in: "1800" },
    });
    await users.deleteUser({ user, forwarded: created });
    expect([...psp.tokens]).toEqual([USER_TOKEN]);
  });

  test("a user of Powens is linked in a page of the provider, which returns to the unchanged URL", async () => {
    const link = await open().users.createLink(request);
    const common = "domain=florin-sandbox&client_id=12345678&code=code-101&state=a%2Bb%3D";
    const back = "redirect_uri=https://florin.example/open-banking/c1/redirect";
    expect(link).toEqual({
      url: `https://webview.powens.com/connect?${common}&max_connections=2&${back}`,
      temporaryToken: "code-101",
      expiresAt: "2026-03-01T10:00:00.000000Z",
    });
    const renewed = await open().users.updateLink(request);
    expect(renewed.url).toBe(
      `https://webview.powens.com/reconnect?${common}&connection_id=7&${back}`,
    );
  });

  const completed = async (query: Readonly<Record<string, readonly string[]>>) => {
    const { psp, users } = open();
    psp.connections.add("8");
    return users.completeLink({ user, forwarded, query, headers: {}, body: "" });
  };

  test.each([
    [{ connection_id: ["7"] }, ["7"]],
    [{ connection_ids: ["7,8"] }, ["7", "8"]],
    [{ connection_ids: ["7", "8"], connection_id: ["7"] }, ["7", "8"]],
  ])("a user of Powens gets the connections that the browser names: %o", async (query, ids) => {
    const made = ids.map((connectionId) => ({ connectionId, createdAt: NOW, metadata: {} }));
    expect(await completed(query)).toEqual({ connections: made });
  });

  test("a user of Powens gets no connection from a failed attempt, or from connections of another user", async () => {
    expect(await completed({ error: ["access_denied"] })).toEqual({ error: "access_denied" });
    await expect(completed({})).rejects.toMatchObject({ kind: "invalid" });
    await expect(completed({ connection_id: ["9"] })).rejects.toMatchObject({ kind: "invalid" });
  });

  test("a user of Powens loses a connection once", async () => {
    const { psp, users } = open();
    await users.deleteConnection(linked);
    await users.deleteConnection(linked);
    expect(psp.connections.size).toBe(0);
    const tokenless = { ...linked, forwarded: { metadata: {} } };
    await expect(users.deleteConnection(tokenless)).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("webhooks of Powens", () => {
  const reported = async (urlPath: string, toValue: (psp: FakePowens) => object) => {
    const { psp, plugin } = openBench(subject);
    const config = { name: "any", urlPath, metadata: {} };
    const sent = psp.notify(urlPath, { ...toValue(psp) }, NOW);
    return plugin.webhooks?.translate(toWebhook(config, sent));
  };
  const about = { providerUserId: "5", connectionId: CONNECTION };

  test("webhooks of Powens have one secret for all their paths, under the id of the connector", async () => {
    const { psp, plugin } = openBench(subject);
    const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
    const configs = await plugin.webhooks?.create(registration);
    expect(configs?.map(({ name, urlPath }) => [name, urlPath])).toEqual(Object.entries(EVENTS));
    expect(psp.auths).toMatchObject([{ name: CONNECTOR_ID }]);
  });

  test("webhooks of Powens report a user or a connection that is gone", async () => {
    expect(await reported("/user-deleted", () => ({ id: 5 }))).toEqual({
      connections: [{ kind: "user-disconnected", providerUserId: "5", at: NOW }],
    });
    const gone = await reported("/connection-deleted", () => ({ id: 7, id_user: 5 }));
    expect(gone?.connections).toMatchObject([{ kind: "disconnected", ...about, at: NOW }]);
    expect(await reported("/another", () => ({}))).toEqual({});
  });

  test.each([
    ...Object.entries(STATES),
    ["latelyInvented", "latelyInvented"],
    ["constructor", "constructor"],
  ])("webhooks of Powens report why a connection does not work: %s", async (state, reason) => {
    const report = await reported("/connection-synced", (psp) => synced(psp, { state }));
    expect(report).toEqual({
      connections: [{ kind: "disconnected", ...about, at: NOW, reason }],
    });
    expect(Object.keys(STATES)).toEqual(
      "SCARequired webauthRequired additionalInformationNeeded decoupled actionNeeded wrongpass passwordExpired validating rateLimiting websiteUnavailable bug".split(
        " ",
      ),
    );
  });

  test("webhooks of Powens bring the data of a connection that works", async () => {
    expect(await reported("/connection-synced", synced)).toMatchObject({
      owner: about,
      connections: [{ kind: "reconnected", ...about }],
      accounts: [{ reference: "101" }],
      balances: [{ accountReference: "101", amount: 12_050n }],
      payments: [{ reference: "102", type: "PAYOUT", amount: 1234n, sourceReference: "101" }],
      deletedPayments: [],
    });
  });
});

test.each([1.5, 0])("a configuration of Powens with %s connections is refused", (connections) => {
  const config = { ...POWENS_CONFIG, maxConnectionsPerLink: connections };
  expect(() => openPlugin(powensKind, config)).toThrow("integer of 1 at least");
});
