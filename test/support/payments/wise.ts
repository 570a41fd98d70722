import type { Conformance } from "./conformance/index.ts";
import { NOW } from "./plugins.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { wiseKind } from "#modules/payments/connectors/wise/index.ts";
import {
  CLOSED_RECIPIENT,
  FakeWise,
  problem,
  PROFILE,
  WISE_CONFIG,
} from "#test/support/psp/wise.ts";

/** A fetch that depends on the first profile. */
export const ofProfile = (psp: FakeWise) => ({
  other: { reference: String(psp.addProfile()), raw: "{}" },
});

export const account = (reference: string): ProviderAccount => ({
  reference,
  createdAt: NOW,
  metadata: { profile_id: String(PROFILE) },
  raw: "{}",
});

const many = (count: number, add: () => number): string[] =>
  Array.from({ length: count }, () => String(add()));

const CURRENCIES = ["EUR", "USD", "GBP", "JPY", "SEK"];

export const movement = (type: Movement["type"], more: Partial<Movement> = {}): Movement => ({
  type,
  reference: "order-1",
  createdAt: NOW,
  description: "",
  source: { reference: "1", metadata: { profile_id: String(PROFILE) } },
  destination:
    type === "TRANSFER"
      ? { reference: "2", metadata: { profile_id: "102" } }
      : { reference: "500", metadata: {} },
  amount: 1050n,
  asset: "EUR/2",
  metadata: {},
  ...more,
});

const movementCase = (type: Movement["type"]) => ({
  name: type === "TRANSFER" ? "a transfer" : "a payout",
  movement: () => movement(type),
  made: (psp: FakeWise) => psp.transfers.length,
  refused: () =>
    movement(type, {
      destination: {
        reference: String(CLOSED_RECIPIENT),
        metadata: type === "TRANSFER" ? { profile_id: String(CLOSED_RECIPIENT) } : {},
      },
    }),
});

let state = 0;

/** Wise for the conformance suite. */
export const wiseSubject = {
  kind: wiseKind,
  psp: () => new FakeWise(),
  config: WISE_CONFIG,
  lists: [
    {
      task: "FETCH_OTHERS",
      add: (psp: FakeWise, count: number) =>
        many(count, () => psp.addProfile(PROFILE + psp.profiles.length)),
    },
    {
      task: "FETCH_ACCOUNTS",
      parent: ofProfile,
      add: (psp: FakeWise, count: number) =>
        many(count, () => psp.addBalance(CURRENCIES[psp.balances.length])),
    },
    {
      task: "FETCH_BALANCES",
      parent: (psp: FakeWise) => ({ parent: account(String(psp.balances[0]?.id ?? 1001)) }),
      add: (psp: FakeWise, count: number) =>
        many(count, () => psp.addBalance()).map((id) => `${id} EUR/2`),
      max: 1,
    },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      parent: ofProfile,
      add: (psp: FakeWise, count: number) => many(count, () => psp.addRecipient()),
    },
    {
      task: "FETCH_PAYMENTS",
      parent: ofProfile,
      add: (psp: FakeWise, count: number) =>
        many(count, () =>
          psp.addTransfer({ status: state++ % 2 === 0 ? "processing" : "cancelled" }),
        ),
    },
  ],
  errors: [
    {
      name: "a refusal",
      answer: () => problem(422, "NOT_VALID", "size is not valid"),
      kind: "invalid",
    },
    { name: "a fault", answer: () => problem(500, "internal", "Oops"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the status of a transfer",
      task: "FETCH_PAYMENTS",
      parent: ofProfile,
      arrange: (psp: FakeWise) => psp.addTransfer({ status: "lately_invented" }),
      expected: { status: "OTHER", type: "PAYOUT" },
    },
    {
      name: "the currency of a transfer",
      task: "FETCH_PAYMENTS",
      parent: ofProfile,
      arrange: (psp: FakeWise) => psp.addTransfer({ targetCurrency: "XBT" }),
      expected: undefined,
    },
    {
      name: "the currency of a balance",
      task: "FETCH_ACCOUNTS",
      parent: ofProfile,
      arrange: (psp: FakeWise) => psp.addBalance("ARS"),
      expected: undefined,
    },
    {
      name: "the currency of a recipient",
      task: "FETCH_EXTERNAL_ACCOUNTS",
      parent: ofProfile,
      arrange: (psp: FakeWise) => psp.addRecipient({ currency: "ARS" }),
      expected: undefined,
    },
  ],
  movements: [movementCase("TRANSFER"), movementCase("PAYOUT")],
  webhooks: {
    parent: ofProfile,
    registered: (psp: FakeWise) => psp.subscriptions.size,
    addForeign: (psp: FakeWise) =>
      psp.subscriptions.set("foreign", {
        id: "foreign",
        profile: String(psp.addProfile()),
        name: "other",
        trigger_on: "transfers#state-change",
        delivery: { version: "2.0.0", url: "https://other.example/transferstatechanged" },
      }),
    deliver: (psp: FakeWise) => psp.changeTransfer(psp.addTransfer(), "outgoing_payment_sent"),
    forgeries: {
      body: ({ headers, body }) => ({ headers, body: body.replace("#state-change", "#other") }),
      signature: ({ headers, body }) => ({
        headers: { ...headers, "X-Signature-Sha256": "AAAA" },
        body,
      }),
      absence: ({ body }) => ({ headers: { "X-Delivery-Id": crypto.randomUUID() }, body }),
    },
    unknown: (psp: FakeWise) => psp.notify("profiles#verification-state-change", { resource: {} }),
  },
} as const satisfies Conformance<FakeWise>;
