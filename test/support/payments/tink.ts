import type { LinkedUser } from "#modules/payments/connectors/contract.ts";
import { tinkKind } from "#modules/payments/connectors/tink/index.ts";
import type { Conformance } from "#test/support/payments/conformance/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { FakeTink, problem, TINK_CONFIG } from "#test/support/psp/tink.ts";

export const USER = { id: "8d6a3c1e-6b1e-4c55-9a70-2f6c1d0b7e11", name: "Ada" };
export const PSU = { ...USER, country: "FR", locale: "fr_FR" };
export const CONNECTION = "credentials-1";

export const linked: LinkedUser = {
  user: PSU,
  forwarded: { providerUserId: "tink-user-1", metadata: {} },
  connectionId: CONNECTION,
  metadata: {},
};

export function ofConnection(psp: FakeTink) {
  psp.addUser(USER.id);
  return { connection: linked };
}

/** An account of the user. The first account after the user has the reference `account-2`. */
export function ofAccount(psp: FakeTink, reference = "account-2") {
  psp.addUser(USER.id);
  const psuId = USER.id;
  return { parent: { reference, createdAt: NOW, metadata: {}, raw: "{}", psuId } };
}

const amountIn = (currencyCode: string) => ({
  currencyCode,
  value: { unscaledValue: "1", scale: "0" },
});

/** Tink for the conformance suite. */
export const tinkSubject = {
  kind: tinkKind,
  psp: () => new FakeTink(),
  config: TINK_CONFIG,
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      parent: ofConnection,
      add: (psp: FakeTink, count: number) => many(count, () => psp.addAccount(USER.id, CONNECTION)),
    },
    {
      task: "FETCH_BALANCES",
      parent: ofAccount,
      max: 1,
      add: (psp: FakeTink, count: number) =>
        many(count, () => `${psp.addAccount(USER.id, CONNECTION)} EUR/2`),
    },
    {
      task: "FETCH_PAYMENTS",
      parent: ofConnection,
      add: (psp: FakeTink, count: number) =>
        many(count, () => psp.addTransaction(USER.id, "account-2")),
    },
  ],
  errors: [
    { name: "a refusal", answer: () => problem(400, "no"), kind: "invalid" },
    { name: "a fault", answer: () => problem(500, "Oops"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the status of a transaction",
      task: "FETCH_PAYMENTS",
      parent: ofConnection,
      arrange: (psp: FakeTink) =>
        void psp.addTransaction(USER.id, "account-2", { status: "LATELY_INVENTED" }),
      expected: { type: "PAYOUT", status: "OTHER" },
    },
    {
      name: "the currency of a transaction",
      task: "FETCH_PAYMENTS",
      parent: ofConnection,
      arrange: (psp: FakeTink) =>
        void psp.addTransaction(USER.id, "account-2", { amount: amountIn("XXX") }),
      expected: undefined,
    },
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      parent: ofConnection,
      arrange: (psp: FakeTink) =>
        void psp.addAccount(USER.id, CONNECTION, {
          balances: { booked: { amount: amountIn("XXX") } },
        }),
      expected: { reference: "account-2" },
    },
  ],
  webhooks: {
    arrange: async ({ plugin }) => plugin.users?.createUser(PSU),
    registered: (psp: FakeTink) => psp.endpoints.length,
    addForeign: (psp: FakeTink) =>
      void psp.endpoints.push({ id: "other", url: "https://other.example/events", secret: "" }),
    deliver: (psp: FakeTink, { urlPath, at }) => {
      const account = psp.addAccount(USER.id, CONNECTION);
      return psp.notify(urlPath, {
        event: "account:created",
        content: { id: account },
        user: USER.id,
        at,
      });
    },
    forgeries: {
      body: ({ headers, body }) => ({ headers, body: body.replace("account-", "account-9") }),
      signature: ({ headers, body }) => ({
        headers: {
          ...headers,
          "X-Tink-Signature": `${headers["X-Tink-Signature"]?.slice(0, -4)}0000`,
        },
        body,
      }),
      absence: ({ body }) => ({ headers: {}, body }),
    },
    unknown: (psp: FakeTink, { urlPath, at }) =>
      psp.notify(urlPath, { event: "lately:invented", content: {}, user: USER.id, at }),
    toleranceMs: 300_000,
  },
} as const satisfies Conformance<FakeTink>;
