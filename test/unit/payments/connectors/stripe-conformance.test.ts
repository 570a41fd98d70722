import type { Movement } from "#modules/payments/connectors/contract.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { stripeKind } from "#modules/payments/connectors/stripe/index.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { jsonAnswer } from "#test/support/psp/fake-psp.ts";
import { FakeStripe, STRIPE_KEY, STRIPE_ROOT } from "#test/support/psp/stripe/index.ts";
import { cardCharge, dispute, payout } from "#test/support/psp/stripe/objects.ts";
import { problem } from "#test/support/psp/stripe/wire.ts";

const accountOf = (reference: string): { parent: ProviderAccount } => ({
  parent: { reference, createdAt: NOW, metadata: {}, raw: "{}" },
});
const own = () => accountOf(STRIPE_ROOT);

const times = (count: number, add: () => string): string[] => Array.from({ length: count }, add);

const CURRENCIES = ["eur", "usd", "gbp", "jpy", "chf"];
const ASSETS = ["EUR/2", "USD/2", "GBP/2", "JPY", "CHF/2"];

const movement = (type: Movement["type"], destination = "acct_9"): Movement => ({
  type,
  reference: "order-1",
  createdAt: NOW,
  description: "an order",
  source: { reference: STRIPE_ROOT, metadata: {} },
  destination: { reference: destination, metadata: {} },
  amount: 1000n,
  asset: "EUR/2",
  metadata: { order: "1" },
});

connectorConformance<FakeStripe>({
  kind: stripeKind,
  psp: () => new FakeStripe(),
  config: { apiKey: STRIPE_KEY },
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      always: [STRIPE_ROOT],
      add: (psp, count) => times(count, () => psp.addAccount()),
    },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      parent: (psp) => accountOf(psp.addAccount()),
      add: (psp, count) => times(count, () => psp.addBankAccount(psp.accounts[0]?.id ?? "")),
    },
    {
      task: "FETCH_BALANCES",
      parent: own,
      add: (psp, count) =>
        times(count, () => {
          const at = psp.booksOf().available.length;
          psp.booksOf().available.push({ amount: at - 1, currency: CURRENCIES[at] ?? "" });
          return `${STRIPE_ROOT} ${ASSETS[at]}`;
        }),
    },
    {
      task: "FETCH_PAYMENTS",
      parent: own,
      add: (psp, count) => times(count, () => psp.addCharge()),
    },
  ],
  errors: [
    {
      name: "a limit by its code",
      answer: () => problem(400, { code: "rate_limit", message: "Too many requests" }),
      kind: "rate-limited",
    },
    {
      name: "an object that is locked",
      answer: () => problem(429, { code: "lock_timeout", message: "Locked" }),
      kind: "rate-limited",
    },
    {
      name: "a key whose first request is under way",
      answer: () => problem(409, { code: "idempotency_key_in_use", message: "In use" }),
      kind: "unknown",
    },
    {
      name: "a request that is not valid",
      answer: () => problem(402, { code: "balance_insufficient", message: "No funds" }),
      kind: "invalid",
    },
    {
      name: "a key with other parameters",
      answer: () => problem(400, { type: "idempotency_error", message: "Other parameters" }),
      kind: "invalid",
    },
    {
      name: "a fault of the provider, whatever its status",
      answer: () => problem(400, { type: "api_error", message: "Oops" }),
      kind: "unknown",
    },
    {
      name: "a request that came too late",
      answer: () => problem(408, { message: "Timeout" }),
      kind: "unknown",
    },
    {
      name: "a request that is repeated later",
      answer: () => problem(425, { message: "Too early" }),
      kind: "rate-limited",
    },
    {
      name: "another form of error",
      answer: () => jsonAnswer({ error: "nothing" }, 400),
      kind: "invalid",
    },
  ],
  unknownValues: [
    {
      name: "a type of balance transactions",
      task: "FETCH_PAYMENTS",
      parent: own,
      arrange: (psp) => psp.addTransaction("lately_invented", (id) => cardCharge("ch_a", id)),
      expected: undefined,
    },
    {
      name: "the status of a payout",
      task: "FETCH_PAYMENTS",
      parent: own,
      arrange: (psp) =>
        psp.addTransaction("payout", (id) => payout("po_a", id, { status: "lately_invented" })),
      expected: { type: "PAYOUT", status: "OTHER" },
    },
    {
      name: "the status of a dispute",
      task: "FETCH_PAYMENTS",
      parent: own,
      arrange: (psp) => {
        psp.add(cardCharge("ch_a", "txn_a"));
        const status = "lately_invented";
        psp.addTransaction("adjustment", () => dispute("dp_a", "ch_a", { status }));
      },
      expected: { type: "PAY-IN", status: "DISPUTE", parentReference: "txn_a" },
    },
    {
      name: "the brand of a card",
      task: "FETCH_PAYMENTS",
      parent: own,
      arrange: (psp) =>
        psp.addCharge(STRIPE_ROOT, { payment_method_details: { card: { brand: "eftpos_au" } } }),
      expected: { scheme: "UNKNOWN" },
    },
    {
      name: "the currency of a charge",
      task: "FETCH_PAYMENTS",
      parent: own,
      arrange: (psp) => psp.addCharge(STRIPE_ROOT, { currency: "xxx" }),
      expected: undefined,
    },
    {
      name: "the currency of a balance",
      task: "FETCH_BALANCES",
      parent: own,
      arrange: (psp) => psp.booksOf().available.push({ amount: 1, currency: "usdc" }),
      expected: undefined,
    },
  ],
  movements: [
    {
      name: "a transfer",
      movement: () => movement("TRANSFER"),
      made: (psp) => psp.booksOf().transfers.length,
      refused: () => movement("TRANSFER", "closed"),
      reversal: {
        metadata: (psp) => ({
          "com.stripe.spec/transfer_id": psp.booksOf().transfers[0]?.id ?? "",
        }),
      },
    },
    {
      name: "a payout",
      movement: () => movement("PAYOUT", "ba_own"),
      made: (psp) => psp.booksOf().payouts.length,
      refused: () => movement("PAYOUT", "closed"),
    },
  ],
  webhooks: {
    registered: (psp) => psp.endpoints.length,
    addForeign: (psp) => {
      psp.endpoints.push({ id: "we_foreign", url: "https://florin.example/hook/root" });
    },
    deliver: (psp, { urlPath, at }) => {
      const available = [{ amount: 100, currency: "eur" }];
      return psp.notify(urlPath, { type: "balance.available", object: { available } }, at);
    },
    forgeries: {
      body: ({ headers, body }) => ({
        headers,
        body: body.replace('"amount":100', '"amount":900'),
      }),
      signature: ({ headers, body }) => ({
        headers: {
          "Stripe-Signature": (headers["Stripe-Signature"] ?? "").replace(/v1=./, "v1=x"),
        },
        body,
      }),
      absence: ({ body }) => ({ headers: {}, body }),
    },
    unknown: (psp, { urlPath, at }) =>
      psp.notify(urlPath, { type: "person.created", object: { id: "person_1" } }, at),
    toleranceMs: 300_000,
  },
});
