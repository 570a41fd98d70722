import { bankingcircleKind } from "#modules/payments/connectors/bankingcircle/index.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import type { Conformance } from "#test/support/payments/conformance/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import {
  BANKINGCIRCLE_CONFIG,
  CLOSED_ACCOUNT,
  FakeBankingCircle,
  IDENTIFIER,
  problem,
} from "#test/support/psp/bankingcircle.ts";

export const ofAccount = (reference = "account-1") => ({
  parent: { reference, createdAt: NOW, metadata: {}, raw: "{}" },
});

export const DETAILS = {
  id: "8d6a3c1e-6b1e-4c55-9a70-2f6c1d0b7e12",
  createdAt: NOW,
  name: "Landlord",
  iban: "FR7630006000011234567890189",
  swiftBicCode: "AGRIFRPP",
  country: "FR",
  metadata: { order: "42" },
} as const;

export const transfer = (more: Partial<Movement> = {}): Movement => ({
  type: "TRANSFER",
  reference: "order-1",
  createdAt: NOW,
  description: "rent",
  source: { reference: "account-1", metadata: {} },
  destination: { reference: "account-2", name: "Savings", metadata: {} },
  amount: 1050n,
  asset: "EUR/2",
  metadata: {},
  ...more,
});

export const payout = (more: Partial<Movement> = {}): Movement =>
  transfer({
    type: "PAYOUT",
    destination: { reference: DETAILS.id, name: "Landlord", metadata: {} },
    ...more,
  });

/** Adds the two accounts of transfers to the fake. */
export function withAccounts(psp: FakeBankingCircle): FakeBankingCircle {
  psp.addAccount();
  psp.addAccount({ accountIdentifiers: [{ ...IDENTIFIER, account: "DK9000400440116299" }] });
  return psp;
}

/** Banking Circle for the conformance suite. */
export const bankingcircleSubject = {
  kind: bankingcircleKind,
  psp: () => new FakeBankingCircle(),
  config: BANKINGCIRCLE_CONFIG,
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      add: (psp: FakeBankingCircle, count: number) => many(count, () => psp.addAccount()),
    },
    {
      task: "FETCH_BALANCES",
      parent: () => ofAccount(),
      max: 1,
      add: (psp: FakeBankingCircle, count: number) =>
        many(count, () => `${psp.addAccount()} EUR/2`),
    },
    {
      task: "FETCH_PAYMENTS",
      add: (psp: FakeBankingCircle, count: number) => many(count, () => psp.addPayment()),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "no"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "Oops"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the classification and the status of a payment",
      task: "FETCH_PAYMENTS",
      arrange: (psp: FakeBankingCircle) =>
        void psp.addPayment({ classification: "LatelyInvented", status: "LatelyInvented" }),
      expected: { type: "OTHER", status: "OTHER" },
    },
    {
      name: "the currency of a payment",
      task: "FETCH_PAYMENTS",
      arrange: (psp: FakeBankingCircle) =>
        void psp.addPayment({ transfer: { amount: { currency: "XXX", amount: 1 } } }),
      expected: undefined,
    },
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      arrange: (psp: FakeBankingCircle) => void psp.addAccount({ currency: "XXX" }),
      expected: { reference: "account-1" },
    },
  ],
  movements: [
    {
      name: "a transfer",
      movement: (psp: FakeBankingCircle) => {
        withAccounts(psp);
        return transfer();
      },
      made: (psp: FakeBankingCircle) => psp.payments.length,
      refused: (psp: FakeBankingCircle) => {
        psp.addAccount();
        psp.addAccount({ accountIdentifiers: [{ account: CLOSED_ACCOUNT }] });
        return transfer();
      },
    },
    {
      name: "a payout",
      arrange: async ({ plugin }) => plugin.createBankAccount?.(DETAILS),
      movement: (psp: FakeBankingCircle) => {
        withAccounts(psp);
        return payout();
      },
      made: (psp: FakeBankingCircle) => psp.payments.length,
      refused: (psp: FakeBankingCircle) => {
        withAccounts(psp);
        return payout({ destination: { reference: "unknown", name: "Landlord", metadata: {} } });
      },
    },
  ],
  bankAccounts: { details: DETAILS },
} as const satisfies Conformance<FakeBankingCircle>;
