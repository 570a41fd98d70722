import { describe, expect, test } from "vitest";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import { STATUSES } from "#modules/payments/connectors/increase/transfers.ts";
import { SUBSCRIPTIONS } from "#modules/payments/connectors/increase/webhooks.ts";
import { sha256 } from "#modules/payments/connectors/kit/signatures.ts";
import { present } from "#platform/assert.ts";
import { incompleteOrders, type RefusedOrder } from "#test/support/payments/conformance/orders.ts";
import {
  BASE_URL,
  CONNECTOR_ID,
  openBench,
  toWebhook,
} from "#test/support/payments/conformance/subject.ts";
import { increaseSubject as subject, movement, SPEC } from "#test/support/payments/increase.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { making } from "#test/support/psp/suite.ts";

const made = making(subject);

const payout = (metadata: Readonly<Record<string, string>>, more: Partial<Movement> = {}) =>
  movement("PAYOUT", {
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [`${SPEC}${name}`, value]),
    ),
    ...more,
  });

const CHECK = {
  payoutMethod: "check",
  fulfillmentMethod: "physical_check",
  sourceAccountNumberID: "account_number_1",
  addressLine1: "33 Liberty Street",
  addressCity: "New York",
  addressState: "NY",
  addressPostalCode: "10045",
};

describe("a movement at Increase", () => {
  test("a movement at Increase between own accounts is an account transfer under a key of its reference", async () => {
    const { payment, request } = await made(movement("TRANSFER"));
    expect(request.path).toBe("/account_transfers");
    expect(request.headers.get("idempotency-key")).toBe(sha256("order-1", "hex"));
    expect(request.json()).toEqual({
      account_id: "account_in1",
      destination_account_id: "account_in2",
      amount: 1050,
      description: "rent",
    });
    expect(payment).toMatchObject({
      reference: "account_transfer_1",
      type: "TRANSFER",
      status: "PENDING",
      amount: 1050n,
      asset: "USD/2",
      sourceReference: "account_in1",
      destinationReference: "account_in2",
    });
  });

  const from = { account_id: "account_in1", external_account_id: "account_in2", amount: 1050 };
  const check = {
    account_id: "account_in1",
    source_account_number_id: "account_number_1",
    amount: 1050,
  };
  test.each([
    [{ payoutMethod: "ach" }, "/ach_transfers", { ...from, statement_descriptor: "rent" }],
    [
      { payoutMethod: "wire" },
      "/wire_transfers",
      { ...from, beneficiary_name: "Ian Crease", message_to_recipient: "rent" },
    ],
    [
      { payoutMethod: "rtp", sourceAccountNumberID: "account_number_1" },
      "/real_time_payments_transfers",
      {
        source_account_number_id: "account_number_1",
        external_account_id: "account_in2",
        amount: 1050,
        creditor_name: "Ian Crease",
        remittance_information: "rent",
      },
    ],
    [
      CHECK,
      "/check_transfers",
      {
        ...check,
        fulfillment_method: "physical_check",
        physical_check: {
          memo: "rent",
          recipient_name: "Ian Crease",
          mailing_address: {
            line1: "33 Liberty Street",
            city: "New York",
            state: "NY",
            postal_code: "10045",
          },
        },
      },
    ],
    [
      { ...CHECK, fulfillmentMethod: "third_party", checkNumber: "77" },
      "/check_transfers",
      {
        ...check,
        fulfillment_method: "third_party",
        third_party: { recipient_name: "Ian Crease", check_number: "77" },
      },
    ],
  ])(
    "a movement at Increase to another bank is made as its metadata says: %o",
    async (metadata, path, body) => {
      const { request, payment } = await made(payout(metadata));
      expect(request.path).toBe(path);
      expect(request.json()).toEqual(body);
      expect(payment.type).toBe("PAYOUT");
    },
  );

  test.each([
    ["pending_approval", "PENDING"],
    ["pending_transfer_session_confirmation", "PENDING"],
    ["pending_submission", "PENDING"],
    ["pending_reviewing", "PENDING"],
    ["pending_creating", "PENDING"],
    ["pending_mailing", "PENDING"],
    ["requires_attention", "PENDING"],
    ["complete", "SUCCEEDED"],
    ["mailed", "SUCCEEDED"],
    ["deposited", "SUCCEEDED"],
    ["submitted", "SUCCEEDED"],
    ["canceled", "CANCELLED"],
    ["rejected", "CANCELLED"],
    ["stopped", "CANCELLED"],
    ["reversed", "REFUNDED"],
    ["returned", "REFUNDED"],
    ["lately_invented", "OTHER"],
    ["constructor", "OTHER"],
  ])("a movement at Increase that is %s is %s", async (status, expected) => {
    expect((await made(movement("TRANSFER"), { status })).payment.status).toBe(expected);
    expect(Object.keys(STATUSES)).toHaveLength(10);
  });

  const nameless = { destination: { reference: "external_account_1", metadata: {} } };
  const without = (name: keyof typeof CHECK) => payout({ ...CHECK, [name]: "" });
  test.each<RefusedOrder>([
    ...incompleteOrders(movement("TRANSFER")),
    [
      movement("TRANSFER", { description: "" }),
      "description is required in transfer/payout request",
    ],
    [movement("TRANSFER", { asset: "SEK/2" }), "the provider does not take the asset SEK/2"],
    [movement("TRANSFER", { asset: "EUR/2" }), "the source account holds USD/2 and not EUR/2"],
    [payout({}), `${SPEC}payoutMethod is required in the metadata of this payout`],
    [
      payout({ payoutMethod: "toString" }),
      `${SPEC}payoutMethod is 'toString', and not one of ach, wire, check, rtp`,
    ],
    [
      payout({ payoutMethod: "wire" }, nameless),
      "destination account name is required in payout request",
    ],
    [
      payout({ ...CHECK, fulfillmentMethod: "pigeon" }),
      `${SPEC}fulfillmentMethod is 'pigeon', and not one of third_party, physical_check`,
    ],
    [
      without("sourceAccountNumberID"),
      `${SPEC}sourceAccountNumberID is required in the metadata of this payout`,
    ],
    [without("addressCity"), `${SPEC}addressCity is required in the metadata of this payout`],
  ])("a movement at Increase is refused: %#", async (asked, message) => {
    await expect(made(asked)).rejects.toMatchObject({ kind: "invalid", message });
  });

  test.each([
    ["that cannot be read", { created_at: "yesterday" }],
    ["in a currency that is not known", { currency: "XBT" }],
    ["in another currency", { currency: "EUR" }],
  ])("a movement at Increase has not failed when its answer has one %s", async (_, answered) => {
    await expect(made(movement("TRANSFER"), answered)).rejects.toMatchObject({ kind: "unknown" });
  });

  test("a movement at Increase is refused under a reference that the provider knows from another one", async () => {
    const { plugin } = openBench(subject);
    await plugin.createTransfer?.(movement("TRANSFER"));
    const other = movement("TRANSFER", { amount: 7n });
    await expect(plugin.createTransfer?.(other)).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("webhooks of Increase", () => {
  const registration = { baseUrl: BASE_URL, connectorId: CONNECTOR_ID, registered: [] };
  const registered = async () => {
    const bench = openBench(subject);
    const webhooks = present(bench.plugin.webhooks, "it has webhooks");
    return { ...bench, webhooks, configs: await webhooks.create(registration) };
  };

  test("webhooks of Increase are a subscription for each kind of event, with the shared secret", async () => {
    const { psp } = await registered();
    const bodies = psp.requests.filter(({ method }) => method === "POST").map(({ json }) => json());
    expect(bodies).toEqual(
      SUBSCRIPTIONS.map(({ category, urlPath }) => ({
        url: `${BASE_URL}${urlPath}`,
        selected_event_category: category,
        shared_secret: subject.config.webhookSharedSecret,
      })),
    );
  });

  test("webhooks of Increase are made anew after a change of the shared secret, or when the provider has disabled them", async () => {
    const { psp, webhooks, configs } = await registered();
    const [first, ...others] = configs.map(({ metadata, ...config }, at) => ({
      ...config,
      metadata: at === 0 ? { secret: "an older one" } : metadata,
    }));
    const items = psp.itemsOf("event_subscriptions");
    items[1] = { ...present(items[1], "there are four"), status: "disabled" };
    const renewed = await webhooks.create({
      ...registration,
      registered: [present(first, "there are four"), ...others],
    });
    expect(renewed.map(({ name }, at) => name === configs[at]?.name)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(items.map((item) => item["status"])).toEqual(
      "deleted deleted active active active active".split(" "),
    );
  });

  test.each([
    ["declined_transaction.created", "declined_transactions", "FAILED"],
    ["transaction.created", "transactions", "SUCCEEDED"],
    ["pending_transaction.created", "pending_transactions", "PENDING"],
    ["pending_transaction.updated", "pending_transactions", "PENDING"],
  ] as const)(
    "webhooks of Increase about %s report the present state of the transaction",
    async (category, list, status) => {
      const { psp, webhooks, configs } = await registered();
      const id = psp.addTransaction(list, "card_settlement");
      const at = SUBSCRIPTIONS.findIndex((each) => each.category === category);
      const config = present(configs[at], "it is subscribed to");
      const report = await webhooks.translate(toWebhook(config, psp.notify(category, id, NOW)));
      expect(report.payments).toMatchObject([{ reference: id, status, type: "PAYOUT" }]);
    },
  );

  test("webhooks of Increase about a transaction that is gone report nothing", async () => {
    const { psp, webhooks, configs } = await registered();
    const sent = psp.notify("transaction.created", "transaction_gone", NOW);
    const config = present(configs[1], "it is subscribed to");
    expect(await webhooks.translate(toWebhook(config, sent))).toEqual({});
  });
});
