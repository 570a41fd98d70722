import type { Conformance } from "./conformance/index.ts";
import { NOW } from "./plugins.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import { increaseKind } from "#modules/payments/connectors/increase/index.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { many, movementOf } from "#test/support/payments/conformance/orders.ts";
import {
  CLOSED_ACCOUNT,
  FakeIncrease,
  INCREASE_CONFIG,
  type IncreaseList,
  problem,
} from "#test/support/psp/increase.ts";

export const parent = (reference: string): ProviderAccount => ({
  reference,
  createdAt: NOW,
  defaultAsset: "USD/2",
  metadata: {},
  raw: "{}",
});

export const SPEC = "com.increase.spec/";

export const movement = (type: Movement["type"], more: Partial<Movement> = {}): Movement =>
  movementOf(type, {
    source: { reference: "account_in1", defaultAsset: "USD/2", metadata: {} },
    destination: { reference: "account_in2", name: "Ian Crease", metadata: {} },
    asset: "USD/2",
    metadata: { [`${SPEC}payoutMethod`]: "ach" },
    ...more,
  });

const moved = (psp: FakeIncrease, list: IncreaseList) => psp.itemsOf(list).length;

/** Increase for the conformance suite. */
export const increaseSubject = {
  kind: increaseKind,
  psp: () => new FakeIncrease(),
  config: INCREASE_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp, count) => many(count, () => psp.addAccount()) },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      add: (psp, count) => many(count, () => psp.addExternalAccount()),
    },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent: parent("account_in1") }),
      max: 1,
      add: (psp, count) => many(count, () => `${psp.addAccount()} USD/2`),
    },
    {
      task: "FETCH_PAYMENTS",
      add: (psp, count) =>
        many(count, () => psp.addTransaction("transactions", "inbound_ach_transfer")),
    },
  ],
  errors: [
    {
      name: "a refusal",
      answer: () => problem(400, "invalid_parameters_error"),
      kind: "invalid",
    },
    { name: "a fault", answer: () => problem(500, "internal_server_error"), kind: "unknown" },
    { name: "a limit", answer: () => problem(429, "rate_limited_error"), kind: "rate-limited" },
  ],
  unknownValues: [
    {
      name: "the category of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) => void psp.addTransaction("transactions", "lately_invented"),
      expected: { type: "OTHER", status: "SUCCEEDED", amount: 1050n },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) => void psp.addTransaction("transactions", "fee_payment", { currency: "XBT" }),
      expected: undefined,
    },
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      arrange: (psp) => void psp.addAccount({ currency: "SEK" }),
      expected: undefined,
    },
  ],
  movements: [
    {
      name: "a transfer",
      movement: () => movement("TRANSFER"),
      made: (psp) => moved(psp, "account_transfers"),
      refused: () => movement("TRANSFER", { description: "" }),
    },
    {
      name: "a payout",
      movement: () => movement("PAYOUT"),
      made: (psp) => moved(psp, "ach_transfers"),
      refused: () =>
        movement("PAYOUT", { destination: { reference: CLOSED_ACCOUNT, metadata: {} } }),
    },
  ],
  bankAccounts: {
    details: {
      id: "0f1d2a3b-0000-4000-8000-000000000001",
      createdAt: NOW,
      name: "Landlord",
      accountNumber: "987654321012",
      metadata: {
        [`${SPEC}routingNumber`]: "101050001",
        [`${SPEC}accountHolder`]: "business",
        [`${SPEC}description`]: "Landlord",
      },
    },
    made: (psp) => moved(psp, "external_accounts"),
  },
  webhooks: {
    registered: (psp) =>
      psp.itemsOf("event_subscriptions").filter((each) => each["status"] === "active").length,
    addForeign: (psp) =>
      void psp.add("event_subscriptions", {
        status: "active",
        url: "https://other.example/transaction/created",
        selected_event_category: "transaction.created",
      }),
    urlPath: "/transaction/created",
    deliver: (psp, { at }) =>
      psp.notify(
        "transaction.created",
        psp.addTransaction("transactions", "inbound_ach_transfer"),
        at,
      ),
    forgeries: {
      body: ({ headers, body }) => ({ headers, body: body.replace("event_", "event_x") }),
      signature: ({ headers, body }) => ({
        headers: {
          "Increase-Webhook-Signature": String(headers["Increase-Webhook-Signature"]).replaceAll(
            /v1=[0-9a-f]{4}/g,
            "v1=zzzz",
          ),
        },
        body,
      }),
      absence: ({ body }) => ({ headers: {}, body }),
    },
    unknown: (psp, { at }) => psp.notify("lately.invented", "object_1", at),
    toleranceMs: 300_000,
  },
} as const satisfies Conformance<FakeIncrease>;
