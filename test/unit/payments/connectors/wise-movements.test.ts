import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { FetchRequest, Movement } from "#modules/payments/connectors/contract.ts";
import { wiseKind } from "#modules/payments/connectors/wise/index.ts";
import { toCustomerTransactionId } from "#modules/payments/connectors/wise/transfers.ts";
import { SUBSCRIPTIONS } from "#modules/payments/connectors/wise/webhooks.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import { openPlugin } from "#test/support/payments/plugins.ts";
import { movement, ofProfile, wiseSubject as subject } from "#test/support/payments/wise.ts";
import { type FakeWise, PROFILE, WISE_CONFIG } from "#test/support/psp/wise.ts";

const page = (psp: FakeWise): FetchRequest => ({
  ...ofProfile(psp),
  state: undefined,
  pageSize: 100,
});

describe("a movement at Wise", () => {
  const made = async (asked: Movement) => {
    const { psp, plugin } = openBench(subject);
    const create = asked.type === "PAYOUT" ? plugin.createPayout : plugin.createTransfer;
    const result = await create?.(asked);
    const bodies = psp.requests.map(({ text }) => text);
    return {
      payment: result !== undefined && "payment" in result ? result.payment : undefined,
      bodies,
    };
  };

  test("a movement at Wise is a quote with exact decimals, and a transfer with this quote", async () => {
    const reference = "0B2D6E3C-6C0A-4B7E-9C55-7C1A8E0F4D21";
    const { bodies, payment } = await made(movement("PAYOUT", { reference }));
    expect(bodies[0]).toBe('{"sourceCurrency":"EUR","targetCurrency":"EUR","sourceAmount":10.50}');
    expect(bodies[1]).toMatch(/^{"targetAccount":500,"quoteUuid":"[0-9a-f-]{36}",/);
    expect(bodies[1]).toContain(`"customerTransactionId":"${reference.toLowerCase()}"`);
    expect(payment).toMatchObject({
      type: "PAYOUT",
      status: "PENDING",
      amount: 1050n,
      asset: "EUR/2",
      sourceReference: "1",
      destinationReference: "500",
    });
  });

  test("a movement at Wise between own accounts goes to the profile of the destination", async () => {
    const { bodies, payment } = await made(movement("TRANSFER"));
    expect(bodies[1]).toContain('"targetAccount":102');
    expect(payment).toMatchObject({ type: "TRANSFER", destinationReference: "2" });
  });

  test("a movement at Wise is the payment that polling reads later", async () => {
    const { psp, plugin } = openBench(subject);
    psp.addProfile(102);
    for (const type of ["TRANSFER", "PAYOUT"] as const) {
      await plugin.createTransfer?.(movement(type, { reference: type }));
    }
    const items = (await plugin.fetchPayments?.(page(psp)))?.items;
    expect(items?.map(({ type }) => type)).toEqual(["TRANSFER", "PAYOUT"]);
  });

  test("a movement at Wise has a customer id that follows from its reference, as a UUID", () => {
    const id = toCustomerTransactionId("order-1");
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(toCustomerTransactionId("order-1")).toBe(id);
    expect(toCustomerTransactionId("order-2")).not.toBe(id);
  });

  const noProfile = { reference: "1", metadata: {} };
  const { source: _source, ...sourceless } = movement("PAYOUT");
  const { destination: _destination, ...destinationless } = movement("PAYOUT");
  test.each([
    [sourceless, "source account is required in transfer/payout request"],
    [destinationless, "destination account is required in transfer/payout request"],
    [
      movement("PAYOUT", { source: noProfile }),
      "source account metadata with profile id is required in transfer/payout request",
    ],
    [
      movement("TRANSFER", { destination: noProfile }),
      "destination account metadata with profile id is required in transfer request",
    ],
    [
      movement("PAYOUT", { destination: { reference: "iban", metadata: {} } }),
      "the id iban of the provider is no number",
    ],
    [movement("PAYOUT", { asset: "BTC/8" }), "the provider does not take the asset BTC/8"],
    [movement("PAYOUT", { asset: "EUR/4" }), "the provider counts EUR with 2 decimals"],
    [movement("PAYOUT", { amount: 0n }), "amount must be positive"],
  ])("a movement at Wise is refused: %#", async (asked, message) => {
    await expect(made(asked)).rejects.toMatchObject({ kind: "invalid", message });
  });

  test("a movement at Wise is refused under a reference that the provider knows from another one", async () => {
    const { plugin } = openBench(subject);
    await plugin.createPayout?.(movement("PAYOUT"));
    const other = movement("PAYOUT", { destination: { reference: "501", metadata: {} } });
    await expect(plugin.createPayout?.(other)).rejects.toMatchObject({ kind: "invalid" });
  });

  test("a movement at Wise has not failed when its answer cannot be read", async () => {
    const { psp, plugin } = openBench(subject);
    psp.fail({ kind: "none" }, { answer: () => Response.json({ id: 5 }) });
    await expect(plugin.createPayout?.(movement("PAYOUT"))).rejects.toMatchObject({
      kind: "unknown",
    });
  });
});

describe("a configuration of Wise", () => {
  const pem = (type: "ec" | "rsa") =>
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
          type: "spki",
          format: "pem",
        })
      : generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({
          type: "pkcs1",
          format: "pem",
        });

  test.each([
    ["no key at all", "invalid webhook public key in config"],
    [String(pem("rsa")), "invalid webhook public key in config"],
    [
      "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
      "failed to parse webhook public key in config",
    ],
    [String(pem("ec")), "failed to parse webhook public key in config: it is no RSA key"],
  ])("a configuration of Wise is refused: %#", (webhookPublicKey, message) => {
    const open = () => openPlugin(wiseKind, { ...WISE_CONFIG, webhookPublicKey });
    expect(open).toThrow(expect.objectContaining({ kind: "invalid", message }));
  });
});

describe("webhooks of Wise", () => {
  const registered = async () => {
    const bench = openBench(subject);
    const parent = { reference: String(bench.psp.addProfile()), raw: "{}" };
    const { webhooks } = bench.plugin;
    if (webhooks === undefined) throw new Error("it has webhooks");
    const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
    const configs = await webhooks.create({ ...registration, parent });
    const [transfers, balances] = configs;
    if (transfers === undefined || balances === undefined) throw new Error("there are two");
    return { ...bench, webhooks, registration, transfers, balances };
  };

  test("webhooks of Wise are subscribed to for each profile, and removed from each", async () => {
    const { psp, plugin, webhooks, registration, transfers } = await registered();
    const parent = { reference: String(psp.addProfile(102)), raw: "{}" };
    await webhooks.create({ ...registration, parent });
    const expected = ["101", "102"].flatMap((profile) =>
      SUBSCRIPTIONS.map(({ name, triggerOn, urlPath, version }) => ({
        profile,
        name,
        trigger_on: triggerOn,
        delivery: { version, url: `${BASE_URL}${urlPath}` },
      })),
    );
    expect([...psp.subscriptions.values()]).toMatchObject(expected);
    await plugin.uninstall?.({ connectorId: CONNECTOR_ID, webhooks: [transfers] });
    expect(psp.subscriptions.size).toBe(0);
  });

  test("webhooks of Wise report the present state of a transfer, at the time of the event", async () => {
    const { psp, webhooks, transfers } = await registered();
    psp.addBalance("EUR");
    const id = psp.addTransfer({ status: "processing" });
    const sent = psp.changeTransfer(id, "outgoing_payment_sent", "2026-02-03T12:00:00.5Z");
    const { payments } = await webhooks.translate(toWebhook(transfers, sent));
    expect(payments).toMatchObject([
      {
        reference: String(id),
        type: "PAYOUT",
        status: "SUCCEEDED",
        createdAt: "2026-02-03T12:00:00.500000Z",
        amount: 1230n,
        sourceReference: "1001",
        destinationReference: "500",
      },
    ]);
  });

  const update = (more: object) => ({
    resource: { id: 1, profile_id: PROFILE, type: "balance-account" },
    balance_id: 31,
    amount: 9.6,
    currency: "EUR",
    transaction_type: "credit",
    occurred_at: "2026-02-03T12:00:00Z",
    transfer_reference: "BNK-1234567",
    channel_name: "TRANSFER",
    ...more,
  });

  test.each([
    ["credit", { transaction_type: "credit" }, { type: "PAY-IN", destinationReference: "31" }],
    ["debit", { transaction_type: "debit" }, { type: "PAYOUT", sourceReference: "31" }],
    ["credit of yen", { currency: "JPY", amount: 960 }, { amount: 960n, asset: "JPY" }],
  ])("webhooks of Wise report a %s of a balance", async (_, more, expected) => {
    const { psp, webhooks, balances } = await registered();
    const sent = psp.notify("balances#update", update(more));
    const { payments = [] } = await webhooks.translate(toWebhook(balances, sent));
    expect(payments).toMatchObject([
      { reference: "BNK-1234567", status: "SUCCEEDED", scheme: "OTHER", ...expected },
    ]);
    const ends = [payments[0]?.sourceReference, payments[0]?.destinationReference];
    expect(ends.filter((end) => end !== undefined)).toEqual(["31"]);
  });

  test("webhooks of Wise report nothing about an unsupported currency", async () => {
    const { psp, webhooks, balances } = await registered();
    const sent = psp.notify("balances#update", update({ currency: "ARS" }));
    expect(await webhooks.translate(toWebhook(balances, sent))).toEqual({});
  });

  test("webhooks of Wise are known by their delivery id, which they need", async () => {
    const { psp, webhooks, transfers } = await registered();
    const { headers, body } = psp.notify("transfers#state-change", {});
    const key = headers["X-Delivery-Id"];
    expect(await webhooks.verify(toWebhook(transfers, { headers, body }))).toEqual({ key });
    const { "X-Delivery-Id": _id, ...others } = headers;
    const verdict = await webhooks.verify(toWebhook(transfers, { headers: others, body }));
    expect(verdict).toEqual({ refused: "it has no delivery id" });
  });

  test("webhooks of Wise that only test a URL are one delivery, and report nothing", async () => {
    const { psp, webhooks, transfers } = await registered();
    const { body } = psp.changeTransfer(psp.addTransfer(), "cancelled");
    const trials = ["{}", body].map((text) =>
      toWebhook(transfers, { headers: { "X-Test-Notification": "true" }, body: text }),
    );
    for (const trial of trials) {
      expect(await webhooks.verify(trial)).toEqual({ key: "test notification" });
      expect(await webhooks.translate(trial)).toEqual({});
    }
  });
});
