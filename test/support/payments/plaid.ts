import type { Conformance } from "./conformance/index.ts";
import { NOW } from "./plugins.ts";
import { plaidKind } from "#modules/payments/connectors/plaid/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import { FakePlaid, ITEM_TOKEN, PLAID_CONFIG, problem } from "#test/support/psp/plaid.ts";

export const user = {
  id: "psu-1",
  name: "Ann Smith",
  country: "FR",
  locale: "fr_FR",
  email: "a@b.example",
};
export const forwarded = {
  providerUserId: "user-1",
  accessToken: "user-token-psu-1",
  metadata: {},
};
export const linked = {
  user,
  forwarded,
  connectionId: "item-1",
  accessToken: ITEM_TOKEN,
  metadata: {},
};
const ofConnection = () => ({ connection: linked });
const parent = { reference: "account-1", createdAt: NOW, metadata: {}, raw: "{}" };

export const ready = { webhook_type: "TRANSACTIONS", webhook_code: "SYNC_UPDATES_AVAILABLE" };

/** Plaid for the conformance suite. */
export const plaidSubject = {
  kind: plaidKind,
  psp: () => new FakePlaid(),
  config: PLAID_CONFIG,
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
    { name: "a refusal", answer: () => problem(400, "INVALID_FIELD"), kind: "invalid" },
    {
      name: "a bank that does not answer",
      answer: () => problem(400, "INSTITUTION_DOWN", "INSTITUTION_ERROR"),
      kind: "unreachable",
    },
    {
      name: "what is not ready yet",
      answer: () => problem(400, "PRODUCT_NOT_READY", "ITEM_ERROR"),
      kind: "unreachable",
    },
    {
      name: "a limit",
      answer: () => problem(429, "RATE_LIMIT", "RATE_LIMIT_EXCEEDED"),
      kind: "rate-limited",
    },
    { name: "a fault", answer: () => problem(500, "INTERNAL_SERVER_ERROR"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      parent: ofConnection,
      arrange: (psp) => void psp.addAccount({ balances: { iso_currency_code: "XBT" } }),
      expected: { reference: "account-1" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      parent: ofConnection,
      arrange: (psp) => void psp.addTransaction({ iso_currency_code: null }),
      expected: undefined,
    },
  ],
  webhooks: {
    deliver: (psp, { at }) => psp.notify({ ...ready, item_id: "item-1" }, at),
    forgeries: {
      body: ({ headers, body }) => ({ headers, body: body.replace("item-1", "item-2") }),
      signature: ({ headers, body }) => ({
        headers: {
          "Plaid-Verification": String(headers["Plaid-Verification"]).replace(
            /\.[^.]{20}([^.]*)$/,
            ".$1",
          ),
        },
        body,
      }),
      absence: ({ body }) => ({ headers: {}, body }),
    },
    unknown: (psp, { at }) =>
      psp.notify({ webhook_type: "ASSETS", webhook_code: "PRODUCT_READY" }, at),
    toleranceMs: 300_000,
  },
} as const satisfies Conformance<FakePlaid>;
