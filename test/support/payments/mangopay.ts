import type { FetchRequest, Movement } from "#modules/payments/connectors/contract.ts";
import { mangopayKind } from "#modules/payments/connectors/mangopay/index.ts";
import type { Conformance } from "#test/support/payments/conformance/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import {
  CLOSED_ACCOUNT,
  FakeMangopay,
  MANGOPAY_CONFIG,
  problem,
} from "#test/support/psp/mangopay.ts";

/** The prefix of metadata keys with Mangopay's own members. */
export const SPEC = "com.mangopay.spec/";
export const USER = "user_m_1";
export const WALLET = "wlt_m_1";

export const ofUser = (): Pick<FetchRequest, "other"> => ({
  other: { reference: USER, raw: "{}" },
});
export const ofWallet = (): Pick<FetchRequest, "parent"> => ({
  parent: { reference: WALLET, createdAt: NOW, metadata: { userID: USER }, raw: "{}" },
});

export const movement = (type: Movement["type"], more: Partial<Movement> = {}): Movement => ({
  type,
  reference: "8d6a3c1e-6b1e-4c55-9a70-2f6c1d0b7e11",
  createdAt: NOW,
  description: "rent42",
  source: { reference: WALLET, metadata: { userID: USER } },
  destination: { reference: type === "PAYOUT" ? "bankacc_m_2" : "wlt_m_2", metadata: {} },
  amount: 1050n,
  asset: "EUR/2",
  metadata: {},
  ...more,
});

const closed = { reference: CLOSED_ACCOUNT, metadata: {} };
const transactionsOf = (psp: FakeMangopay) => psp.transactions.length;

/** Mangopay for the conformance suite. */
export const mangopaySubject = {
  kind: mangopayKind,
  psp: () => new FakeMangopay(),
  config: MANGOPAY_CONFIG,
  lists: [
    {
      task: "FETCH_OTHERS",
      add: (psp: FakeMangopay, count: number) => many(count, () => psp.addUser()),
    },
    {
      task: "FETCH_ACCOUNTS",
      parent: ofUser,
      add: (psp: FakeMangopay, count: number) => many(count, () => psp.addWallet(USER)),
    },
    {
      task: "FETCH_BALANCES",
      parent: ofWallet,
      max: 1,
      add: (psp: FakeMangopay, count: number) => many(count, () => `${psp.addWallet(USER)} EUR/2`),
    },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      parent: ofUser,
      add: (psp: FakeMangopay, count: number) => many(count, () => psp.addBankAccount(USER).Id),
    },
    {
      task: "FETCH_PAYMENTS",
      parent: ofWallet,
      add: (psp: FakeMangopay, count: number) => many(count, () => psp.addTransaction()),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "param_error", "no"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "internal_error", "Oops"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the type and the status of a transaction",
      task: "FETCH_PAYMENTS",
      parent: ofWallet,
      arrange: (psp: FakeMangopay) =>
        void psp.addTransaction({ Type: "LATELY_INVENTED", Status: "LATELY_INVENTED" }),
      expected: { type: "OTHER", status: "OTHER" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      parent: ofWallet,
      arrange: (psp: FakeMangopay) =>
        void psp.addTransaction({ DebitedFunds: { Currency: "XBT", Amount: 1 } }),
      expected: undefined,
    },
    {
      name: "the currency of a wallet",
      task: "FETCH_ACCOUNTS",
      parent: ofUser,
      arrange: (psp: FakeMangopay) => void psp.addWallet(USER, { Currency: "XBT" }),
      expected: { reference: WALLET },
    },
  ],
  movements: [
    {
      name: "a transfer",
      movement: () => movement("TRANSFER"),
      made: transactionsOf,
      refused: () => movement("TRANSFER", { destination: closed }),
    },
    {
      name: "a payout",
      movement: () => movement("PAYOUT"),
      made: transactionsOf,
      refused: () => movement("PAYOUT", { destination: closed }),
    },
  ],
  bankAccounts: {
    details: {
      id: "8d6a3c1e-6b1e-4c55-9a70-2f6c1d0b7e12",
      createdAt: NOW,
      name: "Ada",
      iban: "FR7630006000011234567890189",
      swiftBicCode: "AGRIFRPP",
      country: "FR",
      metadata: { [`${SPEC}userID`]: USER },
    },
    made: (psp: FakeMangopay) => psp.bankAccounts.length,
  },
  webhooks: {
    registered: (psp: FakeMangopay) =>
      psp.hooks.filter((hook) => hook["Status"] === "ENABLED").length,
    addForeign: (psp: FakeMangopay) =>
      void psp.hooks.push({
        Id: "hook_other",
        Url: "https://other.example/kyc",
        EventType: "KYC_SUCCEEDED",
        Status: "ENABLED",
        Validity: "VALID",
      }),
    deliver: (psp: FakeMangopay, { urlPath }) => psp.notify(urlPath, psp.addTransaction()),
    unknown: (psp: FakeMangopay, { urlPath }) => psp.notify(urlPath, "of-somebody-else"),
  },
} as const satisfies Conformance<FakeMangopay>;
