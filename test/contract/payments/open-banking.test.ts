import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { decodeLinkState, encodeLinkState } from "#modules/payments/core/ids.ts";
import { ended, installDummypay, v3 } from "#test/support/payments/installs.ts";
import { keepEvents, keptEvents } from "#test/support/payments/kept-events.ts";
import { api, freshName, send } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { codeOf } from "#test/support/platform/sdk/sdk.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const NO_CONNECTOR =
  "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ";
const HOME = "https://app.example.com/linked?from=bank";

let connectorID: string;
beforeAll(async () => {
  await keepEvents();
  connectorID = await installDummypay();
});

const createUser = async (fields: object = {}) => {
  const { v3CreatePaymentServiceUserResponse: created } = await v3.createPaymentServiceUser({
    name: freshName("user"),
    ...fields,
  });
  return created?.data ?? "";
};

const createBankAccount = async () => {
  const { v3CreateBankAccountResponse: created } = await v3.createBankAccount({
    name: "Rent",
    iban: "FR7630006000011234567890189",
    country: "FR",
  });
  return created?.data ?? "";
};

const forward = async (paymentServiceUserID: string) =>
  v3.forwardPaymentServiceUserToProvider({ paymentServiceUserID, connectorID });

const createLink = async (paymentServiceUserID: string, clientRedirectURL = HOME) => {
  const { v3PaymentServiceUserCreateLinkResponse: link, statusCode } =
    await v3.createLinkForPaymentServiceUser({
      paymentServiceUserID,
      connectorID,
      v3PaymentServiceUserCreateLinkRequest: { applicationName: "Florin", clientRedirectURL },
    });
  expect(statusCode).toBe(201);
  return { attemptID: link?.attemptID ?? "", link: link?.link ?? "" };
};

const readAttempt = async (paymentServiceUserID: string, attemptID: string) =>
  (
    await v3.getPaymentServiceUserLinkAttemptFromConnectorID({
      paymentServiceUserID,
      connectorID,
      attemptID,
    })
  ).v3PaymentServiceUserLinkAttempt;

/** Opens a link as a browser does, without a token. */
const open = (link: string, method = "GET") => send(link, { method, redirect: "manual" });

interface Listed {
  readonly cursor: { readonly data: readonly Readonly<Record<string, string>>[] };
}

const connectionsOf = async (userId: string, path = "connections") => {
  const response = await api(`/api/payments/v3/payment-service-users/${userId}/${path}`);
  expect(response.status).toBe(200);
  return (await response.json<Listed>()).cursor.data;
};

/** Links a user; returns the id of the connection. */
const linkUser = async (userId: string) => {
  const { attemptID, link } = await createLink(userId);
  await open(link, "POST");
  return eventually(async () => {
    expect((await readAttempt(userId, attemptID))?.status).toBe("completed");
    const [connection] = await connectionsOf(userId);
    return connection?.["connectionID"] ?? "";
  });
};

describe("a user of open banking, through the official client", () => {
  test("a user of open banking, through the official client, is forwarded once, and linked", async () => {
    const userId = await createUser();
    expect((await forward(userId)).statusCode).toBe(204);
    const again = forward(userId);
    await expect(again).rejects.toThrow("user already exists on this connector");
    const { attemptID, link } = await createLink(userId);
    expect(await readAttempt(userId, attemptID)).toMatchObject({
      id: attemptID,
      psuID: userId,
      connectorID,
      status: "pending",
      clientRedirectURL: HOME,
    });
    const answer = await open(link, "POST");
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    await eventually(async () => {
      expect((await readAttempt(userId, attemptID))?.status).toBe("completed");
    });
    const connections = await connectionsOf(userId);
    expect(connections).toMatchObject([{ connectorID, status: "ACTIVE" }]);
    const atConnector = await connectionsOf(userId, `connectors/${connectorID}/connections`);
    expect(atConnector).toMatchObject([{ connectionID: connections[0]?.["connectionID"] }]);
    const attempts = await connectionsOf(userId, `connectors/${connectorID}/link-attempts`);
    expect(attempts).toMatchObject([{ id: attemptID, status: "completed" }]);
    expect(await keptEvents('"type":"OPEN_BANKING_USER_LINK_STATUS"', userId)).toMatchObject([
      { payload: { psuID: userId, connectorID, status: "completed" } },
    ]);
    // The data of the connection are fetched at once, and announced by events.
    await eventually(async () => {
      const [connection] = await connectionsOf(userId);
      expect(connection?.["dataUpdatedAt"] ?? "").toMatch(/^20/);
    });
    const { v3AccountsCursorResponse: theirs } = await v3.listAccounts({
      query: { $match: { psu_id: userId } },
    });
    const connectionID = connections[0]?.["connectionID"];
    expect(theirs?.cursor.data).toMatchObject([
      { reference: `bank-${connectionID}`, connectorID, type: "INTERNAL" },
    ]);
    expect(
      await keptEvents('"type":"OPEN_BANKING_USER_CONNECTION_DATA_SYNCED"', userId),
    ).toMatchObject([
      { payload: { psuID: userId, connectorID, connectionID } },
      { payload: { psuID: userId, connectorID, connectionID } },
    ]);
    // The state of a link can be used once.
    expect((await open(link, "POST")).status).toBe(204);
    expect(await connectionsOf(userId)).toMatchObject([{ connectionID }]);
  });

  test("a user of open banking, through the official client, renews the consent to a connection", async () => {
    const userId = await createUser();
    await forward(userId);
    const connectionID = await linkUser(userId);
    const { v3PaymentServiceUserUpdateLinkResponse: updated } =
      await v3.updateLinkForPaymentServiceUserOnConnector({
        paymentServiceUserID: userId,
        connectorID,
        connectionID,
        v3PaymentServiceUserUpdateLinkRequest: { clientRedirectURL: HOME },
      });
    const answer = await open(updated?.link ?? "");
    expect([answer.status, answer.headers.get("location")]).toEqual([307, HOME]);
  });

  test("a user of open banking, through the official client, is not linked when the bank says no", async () => {
    const { v3InstallConnectorResponse: installed } = await v3.installConnector({
      connector: "dummypay",
      v3ConnectorConfig: {
        provider: "Dummypay",
        name: freshName("dummy"),
        directory: "demo",
        linkFlowError: true,
      },
    });
    const own = installed?.data ?? "";
    const userId = await createUser();
    await v3.forwardPaymentServiceUserToProvider({
      paymentServiceUserID: userId,
      connectorID: own,
    });
    const { v3PaymentServiceUserCreateLinkResponse: link } =
      await v3.createLinkForPaymentServiceUser({
        paymentServiceUserID: userId,
        connectorID: own,
        v3PaymentServiceUserCreateLinkRequest: { clientRedirectURL: HOME },
      });
    await open(link?.link ?? "");
    await eventually(async () => {
      const attempts = await connectionsOf(userId, `connectors/${own}/link-attempts`);
      expect(attempts).toMatchObject([{ status: "exited", error: "error" }]);
    });
    expect(await connectionsOf(userId)).toEqual([]);
  });

  test("a user of open banking, through the official client, gets the same link for the same idempotency key", async () => {
    const [userId, other] = [await createUser(), await createUser()];
    await forward(userId);
    await forward(other);
    const key = crypto.randomUUID();
    const make = async (user: string) => {
      const path = `/api/payments/v3/payment-service-users/${user}/connectors/${connectorID}/create-link`;
      const response = await api(`${path}?Idempotency-Key=${key}`, {
        body: { clientRedirectURL: HOME },
      });
      return [response.status, await response.json<{ attemptID?: string; errorCode?: string }>()];
    };
    const first = await make(userId);
    expect(first).toMatchObject([201, { attemptID: key }]);
    expect(await make(userId)).toEqual(first);
    expect(await make(other)).toMatchObject([400, { errorCode: "CONFLICT" }]);
  });

  test("a user of open banking, through the official client, is deleted: a connection, at a connector, everywhere", async () => {
    const userId = await createUser();
    await forward(userId);
    const connectionID = await linkUser(userId);
    const { v3PaymentServiceUserDeleteConnectionResponse: connection } =
      await v3.deletePaymentServiceUserConnectionFromConnectorID({
        paymentServiceUserID: userId,
        connectorID,
        connectionID,
      });
    expect(await ended(connection?.data.taskID ?? "")).toMatchObject({
      status: "SUCCEEDED",
      createdObjectID: userId,
    });
    expect(await connectionsOf(userId)).toEqual([]);
    const deleteAtConnector = async () => {
      const { v3PaymentServiceUserDeleteConnectorResponse: deleted } =
        await v3.deletePaymentServiceUserConnector({ paymentServiceUserID: userId, connectorID });
      return ended(deleted?.data.taskID ?? "");
    };
    expect(await deleteAtConnector()).toMatchObject({ status: "SUCCEEDED" });
    const bankAccountID = await createBankAccount();
    await v3.addBankAccountToPaymentServiceUser({ paymentServiceUserID: userId, bankAccountID });
    await forward(userId);
    const { v3PaymentServiceUserDeleteResponse: deleted } = await v3.deletePaymentServiceUser({
      paymentServiceUserID: userId,
    });
    expect(await ended(deleted?.data.taskID ?? "")).toMatchObject({
      status: "SUCCEEDED",
      createdObjectID: userId,
    });
    const read = v3.getPaymentServiceUser({ paymentServiceUserID: userId });
    await expect(read).rejects.toThrow("cannot get payment service user: not found");
    const left = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM payment_bank_accounts WHERE psu_id = ?) AS banks, (SELECT count(*) FROM payment_jobs) AS jobs",
    )
      .bind(userId)
      .first();
    expect(left).toMatchObject({ banks: 0 });
  });

  test("a user of open banking, through the official client, is refused with codes that it knows", async () => {
    const userId = await createUser();
    const at = (paymentServiceUserID: string, connector = connectorID) => ({
      paymentServiceUserID,
      connectorID: connector,
    });
    const forwarding = (user: string, connector?: string) =>
      codeOf(v3.forwardPaymentServiceUserToProvider(at(user, connector)));
    expect(await forwarding("x")).toBe("INVALID_ID");
    expect(await forwarding(UNKNOWN)).toBe("NOT_FOUND");
    expect(await forwarding(userId, NO_CONNECTOR)).toBe("NOT_FOUND");
    const linking = (clientRedirectURL: string) =>
      codeOf(
        v3.createLinkForPaymentServiceUser({
          ...at(userId),
          v3PaymentServiceUserCreateLinkRequest: { clientRedirectURL },
        }),
      );
    expect(await linking(HOME)).toBe("NOT_FOUND");
    expect(await linking("app")).toBe("VALIDATION");
    await forward(userId);
    const updating = v3.updateLinkForPaymentServiceUserOnConnector({
      ...at(userId),
      connectionID: "nothing",
      v3PaymentServiceUserUpdateLinkRequest: { clientRedirectURL: HOME },
    });
    expect(await codeOf(updating)).toBe("NOT_FOUND");
    const attempt = v3.getPaymentServiceUserLinkAttemptFromConnectorID({
      ...at(userId),
      attemptID: UNKNOWN,
    });
    expect(await codeOf(attempt)).toBe("NOT_FOUND");
    expect(await codeOf(v3.deletePaymentServiceUser({ paymentServiceUserID: UNKNOWN }))).toBe(
      "NOT_FOUND",
    );
    expect(await codeOf(v3.deletePaymentServiceUserConnector(at(userId, NO_CONNECTOR)))).toBe(
      "VALIDATION",
    );
    const { v3PaymentServiceUserDeleteConnectionResponse: failed } =
      await v3.deletePaymentServiceUserConnectionFromConnectorID({
        ...at(userId),
        connectionID: "nothing",
      });
    expect(await ended(failed?.data.taskID ?? "")).toMatchObject({
      status: "FAILED",
      error: "cannot get connection: not found",
    });
  });
});

describe("the redirect of open banking", () => {
  const redirect = (state: string, connector = connectorID) =>
    `/api/payments/v3/connectors/open-banking/${connector}/redirect?noRedirect=true${state}`;

  test("the redirect of open banking refuses what no link has carried", async () => {
    const userId = await createUser();
    await forward(userId);
    const { attemptID, link } = await createLink(userId);
    const url = new URL(link);
    const good = url.searchParams.get("state") ?? "";
    expect(decodeLinkState(good)?.attemptID).toBe(attemptID);
    const forged = encodeLinkState({ attemptID, randomized: crypto.randomUUID() });
    const unknown = encodeLinkState({ attemptID: UNKNOWN, randomized: crypto.randomUUID() });
    const statusOf = async (path: string) => (await send(path)).status;
    expect(await statusOf(redirect(""))).toBe(400);
    expect(await statusOf(redirect("&state=x"))).toBe(400);
    expect(await statusOf(redirect(`&state=${good}&state=${good}`))).toBe(400);
    expect(await statusOf(redirect(`&state=${forged}`))).toBe(404);
    expect(await statusOf(redirect(`&state=${unknown}`))).toBe(404);
    expect(await statusOf(redirect(`&state=${good}`, NO_CONNECTOR))).toBe(404);
    expect(await statusOf(redirect(`&state=${good}`, "x"))).toBe(400);
    expect((await readAttempt(userId, attemptID))?.status).toBe("pending");
  });

  test.each([
    ["https://app.example.com/linked?x=1#part", "https://app.example.com/linked?x=1#part"],
    ["https://app.example.com/verknüpft", "https://app.example.com/verkn%C3%BCpft"],
    ["https://app.example.com/a\r\nset-cookie: b=c", "https://app.example.com/aset-cookie:%20b=c"],
  ])("the redirect of open banking goes on to %j", async (given, location) => {
    const userId = await createUser();
    await forward(userId);
    const url = new URL((await createLink(userId, given)).link);
    url.searchParams.delete("noRedirect");
    const answer = await open(url.href);
    expect([answer.status, answer.headers.get("location")]).toEqual([307, location]);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("the redirect of open banking takes no state with another connector, attempt or user than its own", async () => {
    const [one, two] = [await createUser(), await createUser()];
    await forward(one);
    await forward(two);
    const stateOf = async (userId: string) => {
      const { attemptID, link } = await createLink(userId);
      const state = decodeLinkState(new URL(link).searchParams.get("state") ?? "");
      return { attemptID, randomized: state?.randomized ?? "" };
    };
    const [mine, theirs] = [await stateOf(one), await stateOf(two)];
    const other = await installDummypay();
    const swapped = encodeLinkState({ ...mine, randomized: theirs.randomized });
    const statusOf = async (path: string) => (await send(path)).status;
    expect(await statusOf(redirect(`&state=${swapped}`))).toBe(404);
    expect(await statusOf(redirect(`&state=${encodeLinkState(mine)}`, other))).toBe(404);
    const upper = encodeLinkState({ ...mine, randomized: mine.randomized.toUpperCase() });
    expect(await statusOf(redirect(`&state=${upper}`))).toBe(404);
    expect((await readAttempt(one, mine.attemptID))?.status).toBe("pending");
  });

  test("the redirect of open banking ends an attempt whose parameters the provider does not know", async () => {
    const userId = await createUser();
    await forward(userId);
    const { attemptID, link } = await createLink(userId);
    const url = new URL(link);
    url.searchParams.set("user_id", "somebody");
    await open(url.href);
    await eventually(async () => {
      expect(await readAttempt(userId, attemptID)).toMatchObject({
        status: "exited",
        error: "the user is not the one of the link",
      });
    });
    // A link that is opened after the end of its attempt is ignored.
    await open(link);
    expect((await readAttempt(userId, attemptID))?.status).toBe("exited");
  });
});
