import { atlarKind } from "#modules/payments/connectors/atlar/index.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import type { Conformance } from "#test/support/payments/conformance/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { ATLAR_CONFIG, CLOSED_ACCOUNT, FakeAtlar, problem } from "#test/support/psp/atlar.ts";

/** The prefix of metadata keys with Atlar's own members. */
export const SPEC = "com.atlar.spec/";

export const ofAccount = () => ({
  parent: { reference: "accounts-1", createdAt: NOW, metadata: {}, raw: "{}" },
});

export const payout = (more: Partial<Movement> = {}): Movement => ({
  type: "PAYOUT",
  reference: "order-1",
  createdAt: NOW,
  description: "rent",
  source: { reference: "accounts-1", metadata: {} },
  destination: { reference: "external-accounts-2", metadata: {} },
  amount: 1050n,
  asset: "EUR/2",
  metadata: {},
  ...more,
});

/** Atlar for the conformance suite. */
export const atlarSubject = {
  kind: atlarKind,
  psp: () => new FakeAtlar(),
  config: ATLAR_CONFIG,
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      add: (psp: FakeAtlar, count: number) => many(count, () => psp.addAccount()),
    },
    {
      task: "FETCH_BALANCES",
      parent: ofAccount,
      max: 1,
      add: (psp: FakeAtlar, count: number) => many(count, () => `${psp.addAccount()} EUR/2`),
    },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      add: (psp: FakeAtlar, count: number) => many(count, () => psp.addExternalAccount()),
    },
    {
      task: "FETCH_PAYMENTS",
      add: (psp: FakeAtlar, count: number) => many(count, () => psp.addTransaction()),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "BAD_REQUEST", "no"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "INTERNAL", "Oops"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the state of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp: FakeAtlar) =>
        void psp.addTransaction(1, { reconciliation: { status: "LATELY_INVENTED" } }),
      expected: { type: "PAY-IN", status: "OTHER" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp: FakeAtlar) =>
        void psp.addTransaction(1, { amount: { currency: "SEK", value: 1 } }),
      expected: undefined,
    },
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      arrange: (psp: FakeAtlar) => void psp.addAccount({ currency: "XXX" }),
      expected: { reference: "accounts-1" },
    },
  ],
  movements: [
    {
      name: "a payout",
      movement: () => payout(),
      made: (psp: FakeAtlar) => psp.creditTransfers.length,
      refused: () => payout({ destination: { reference: CLOSED_ACCOUNT, metadata: {} } }),
    },
  ],
  bankAccounts: {
    details: {
      id: "8d6a3c1e-6b1e-4c55-9a70-2f6c1d0b7e12",
      createdAt: NOW,
      name: "Landlord",
      iban: "FR7630006000011234567890189",
      swiftBicCode: "AGRIFRPP",
      country: "FR",
      metadata: { [`${SPEC}owner/name`]: "Landlord", [`${SPEC}owner/type`]: "COMPANY" },
    },
    made: (psp: FakeAtlar) => psp.itemsOf("counterparties").length,
  },
} as const satisfies Conformance<FakeAtlar>;
