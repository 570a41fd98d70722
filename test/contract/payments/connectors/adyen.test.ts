import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { ledgerWith } from "#test/support/ledger/schema-api.ts";
import {
  ended,
  healthOf,
  installDummypay,
  keyOf,
  ownedRows,
  referenceOf,
  v1,
  v3,
} from "#test/support/payments/installs.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { codeOf } from "#test/support/platform/sdk/sdk.ts";
import { ADYEN_CONFIG, FakeAdyen } from "#test/support/psp/adyen.ts";

const psp = new FakeAdyen();
const HOOK = "https://hook.example.com/in";
/** The requests that the receiver of Florin's own webhooks got. */
const received: { type: string; payload: Record<string, unknown> }[] = [];

vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
  const request = new Request(input, init);
  if (!request.url.startsWith(HOOK)) return psp.fetch(request.url, init);
  received.push(await request.json());
  return new Response("ok");
});
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());

const { liveEndpointPrefix: _, ...config } = ADYEN_CONFIG;

async function install(): Promise<string> {
  const { v3InstallConnectorResponse: installed } = await v3.installConnector({
    connector: "adyen",
    v3ConnectorConfig: { provider: "Adyen", name: freshName("adyen"), ...config },
  });
  return installed?.data ?? "";
}

/** Sends a notification of the provider to Florin. */
const deliver = ({ headers, body }: ReturnType<FakeAdyen["notify"]>, path: string) =>
  api(path, { method: "POST", token: null, headers, body });

const answerOf = async (response: Promise<Response>) => {
  const { status, text } = await response.then(async (given) => ({
    status: given.status,
    text: await given.text(),
  }));
  return [status, text] as const;
};

/** The path of the webhook at the provider for a connector, once it is registered. */
const registeredPath = (connectorID: string): Promise<string> =>
  eventually(() => {
    const urls = [...psp.webhooks.values()].map(({ url = "" }) => new URL(url).pathname);
    return present(
      urls.find((url) => url.includes(connectorID)),
      "the webhook is registered",
    );
  });

const paymentsOf = async (connectorID: string) => {
  const query = { $match: { connector_id: connectorID } };
  const { v3PaymentsCursorResponse: list } = await v3.listPayments({ query });
  return list?.cursor.data ?? [];
};

describe("Adyen, from its installation to the ledger", () => {
  let connectorID: string;
  let path: string;
  beforeAll(async () => {
    psp.addMerchants(3);
    connectorID = await install();
    path = await registeredPath(connectorID);
  });
  /** A notification of the provider about the first merchant. */
  const notification = (...items: readonly object[]) => psp.notify(path, ...items);

  test("the connector for Adyen shows its accounts, and its configuration to clients of both generations", async () => {
    const accounts = await eventually(async () => {
      const query = { $match: { connector_id: connectorID } };
      const { v3AccountsCursorResponse: list } = await v3.listAccounts({ query });
      expect(list?.cursor.data).toHaveLength(3);
      return list?.cursor.data ?? [];
    });
    expect(accounts.map(({ reference, name, type }) => [reference, name, type])).toContainEqual([
      "Merchant1",
      "Shop 1",
      "INTERNAL",
    ]);
    const { v3GetConnectorConfigResponse: read } = await v3.getConnectorConfig({ connectorID });
    expect(read?.data).toMatchObject({ provider: "Adyen", companyID: "FlorinCompany" });
    const target = { connector: "ADYEN", connectorId: connectorID } as const;
    const { connectorConfigResponse } = await v1.readConnectorConfigV1(target);
    expect(connectorConfigResponse?.data).toMatchObject({ provider: "Adyen", hmacKey: "" });
  });

  test("the connector for Adyen brings payments by webhooks, publishes them and books them on a ledger", async () => {
    await api("/api/webhooks/configs", {
      body: { endpoint: HOOK, eventTypes: ["payments.saved_payment"] },
    });
    const ledger = await ledgerWith(MIRROR_SCHEMA);
    const booked = await api("/api/florin/v1/payments/bookings", {
      body: { connectorID, schemaVersion: "v1", template: "mirror", ledger },
    });
    expect(booked.status).toBe(201);

    const authorised = notification({ pspReference: "auth-1" });
    expect(await answerOf(deliver(authorised, path))).toEqual([200, ""]);
    await eventually(async () => {
      expect(await paymentsOf(connectorID)).toMatchObject([{ status: "AUTHORISATION" }]);
    });
    const later = { originalReference: "auth-1", paymentMethod: "visa" };
    const capture = { ...later, eventCode: "CAPTURE", pspReference: "capture-1" };
    const refund = { ...later, eventCode: "REFUND", pspReference: "refund-1" };
    const amount = { value: 300, currency: "EUR" };
    await deliver(
      notification(
        { ...capture, eventDate: "2026-03-01T10:00:00Z" },
        { ...refund, amount, eventDate: "2026-03-01T11:00:00Z" },
      ),
      path,
    );
    const [payment] = await eventually(async () => {
      const found = await paymentsOf(connectorID);
      expect(found).toMatchObject([{ status: "REFUNDED" }]);
      return found;
    });
    expect(payment).toMatchObject({
      reference: "auth-1",
      type: "PAY-IN",
      scheme: "CARD_VISA",
      asset: "EUR/2",
      initialAmount: 1000n,
      amount: 700n,
    });
    await eventually(() => {
      const states = received.map(({ payload }) => payload["rawData"] as { eventCode?: string });
      expect(new Set(states.map((state) => state.eventCode))).toEqual(
        new Set(["AUTHORISATION", "CAPTURE", "REFUND"]),
      );
    });
    const account = `payments:adyen-${referenceOf(connectorID).slice(0, 8)}:Merchant1`;
    await eventually(async () => {
      const client = new LedgerClient(systemContext(env, "test"), ledger);
      expect(await client.balance(account, "EUR/2")).toBe(700n);
    });
  });

  test("the connector for Adyen lets nothing change by what is forged, replayed or unknown", async () => {
    const sent = notification({ pspReference: "auth-2" });
    expect((await deliver(sent, path)).status).toBe(200);
    await eventually(async () => expect(await paymentsOf(connectorID)).toHaveLength(2));
    const key = await keyOf(connectorID);
    const before = await eventually(async () => {
      const rows = await ownedRows(key);
      expect(rows).not.toHaveProperty("payment_jobs");
      return rows;
    });

    const forged = { ...sent, body: sent.body.replace("auth-2", "auth-3") };
    const [status, text] = await answerOf(deliver(forged, path));
    expect([status, text]).toEqual([401, expect.stringContaining("the signature") as unknown]);
    const anonymous = { ...sent, headers: { "content-type": "application/json" } };
    expect((await deliver(anonymous, path)).status).toBe(401);
    expect(await answerOf(deliver(sent, path))).toEqual([200, ""]);
    expect((await deliver(sent, `${path}/more`)).status).toBe(404);
    expect((await deliver(sent, path.replace(/standard$/, "other"))).status).toBe(404);
    const foreign = path.replace(connectorID, await installDummypay());
    expect((await deliver(sent, foreign)).status).toBe(404);
    const large = { ...sent, body: sent.body + " ".repeat(600_000) };
    expect((await deliver(large, path)).status).toBe(413);
    const earlier = path.replace("/v3/connectors/webhooks/", "/connectors/webhooks/Adyen/");
    expect(await answerOf(deliver(sent, earlier))).toEqual([200, ""]);

    expect(await ownedRows(key)).toEqual(before);
    expect(await paymentsOf(connectorID)).toHaveLength(2);
  });

  test("the connector for Adyen leaves out what it cannot read, and its health says so", async () => {
    const [webhook] = (await healthOf(connectorID)).webhooks;
    expect(webhook).toEqual({ name: "standard", path: "/standard" });
    // The date of a notification is not covered by its signature.
    const unreadable = notification({ pspReference: "auth-3", eventDate: "yesterday" });
    expect((await deliver(unreadable, path)).status).toBe(200);
    const health = await eventually(async () => {
      const read = await healthOf(connectorID);
      expect(read.webhooks[0]).toHaveProperty("lastError");
      return read;
    });
    expect(health.status).toBe("degraded");
    expect(health.webhooks[0]?.lastError).toContain("'eventDate'");
    const listed = await api(`/api/florin/v1/payments/connectors/${connectorID}/rejected`);
    expect(await listed.json()).toMatchObject({
      cursor: { data: [{ itemID: "auth-3", task: "webhook standard", attempts: 1 }] },
    });
    expect(health.webhooks[0]?.lastFailureAt).toMatch(/^\d{4}-.*Z$/);
    expect(await paymentsOf(connectorID)).toHaveLength(2);
  });

  test("the connector for Adyen is told at the provider what a change of the configuration means", async () => {
    await v3.v3UpdateConnectorConfig({
      connectorID,
      v3ConnectorConfig: {
        provider: "Adyen",
        name: freshName("adyen"),
        ...config,
        webhookPassword: "psp-secret-renewed",
      },
    });
    await eventually(() => {
      expect([...psp.webhooks.values()]).toMatchObject([{ password: "psp-secret-renewed" }]);
    });
    expect((await deliver(notification({ pspReference: "auth-4" }), path)).status).toBe(200);
    await eventually(async () => expect(await paymentsOf(connectorID)).toHaveLength(3));
  });

  test("the connector for Adyen takes nothing any more once it is uninstalled", async () => {
    const sent = notification({ pspReference: "auth-9" });
    const { v3UninstallConnectorResponse: task } = await v3.uninstallConnector({ connectorID });
    expect((await deliver(sent, path)).status).toBe(404);
    await ended(task?.data.taskID ?? "");
    expect(psp.webhooks.size).toBe(0);
    expect(await answerOf(deliver(sent, path))).toEqual([
      404,
      expect.stringContaining("not found") as unknown,
    ]);
  });
});

test("Adyen is not installed with a key that the provider does not take", async () => {
  const call = v3.installConnector({
    connector: "adyen",
    v3ConnectorConfig: { provider: "Adyen", name: freshName("adyen"), ...config, apiKey: "wrong" },
  });
  expect(await codeOf(call)).toBe("VALIDATION");
  await expect(call).rejects.toThrow("the provider answered 401: Invalid API key");
});
