import { columnKind } from "#modules/payments/connectors/column/index.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import type { Conformance } from "#test/support/payments/conformance/index.ts";
import { many, movementOf } from "#test/support/payments/conformance/orders.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { CLOSED_ACCOUNT, COLUMN_CONFIG, FakeColumn, problem } from "#test/support/psp/column.ts";

/** The prefix of metadata keys with Column's own members. */
export const SPEC = "com.column.spec/";

export const accountOf = (reference: string): ProviderAccount => ({
  reference,
  createdAt: NOW,
  metadata: {},
  raw: "{}",
});

export const movement = (type: Movement["type"], more: Partial<Movement> = {}): Movement =>
  movementOf(type, {
    source: { reference: "bacc_1", name: "Main account", metadata: {} },
    destination: { reference: "cpty_2", name: "Landlord", metadata: {} },
    asset: "USD/2",
    metadata: type === "PAYOUT" ? { [`${SPEC}payout_type`]: "ach" } : {},
    ...more,
  });

const closed = { reference: CLOSED_ACCOUNT, metadata: {} };
const transfersOf = (psp: FakeColumn) => psp.itemsOf("/transfers").length;

/** Column for the conformance suite. */
export const columnSubject = {
  kind: columnKind,
  psp: () => new FakeColumn(),
  config: COLUMN_CONFIG,
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      add: (psp: FakeColumn, count: number) => many(count, () => psp.addAccount()),
    },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent: accountOf("bacc_1") }),
      max: 1,
      add: (psp: FakeColumn, count: number) => many(count, () => `${psp.addAccount()} USD/2`),
    },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      add: (psp: FakeColumn, count: number) => many(count, () => psp.addCounterparty().id),
    },
    {
      task: "FETCH_PAYMENTS",
      add: (psp: FakeColumn, count: number) => many(count, () => psp.addTransfer()),
    },
  ],
  errors: [
    {
      name: "a refusal",
      answer: () => problem(400, "insufficient_funds", "no"),
      kind: "invalid",
    },
    {
      name: "a request with the same key that is under way",
      answer: () => problem(409, "idempotency_key_in_use", "wait"),
      kind: "unknown",
    },
    { name: "a fault", answer: () => problem(500, "internal", "Oops"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the type and the status of a transfer",
      task: "FETCH_PAYMENTS",
      arrange: (psp: FakeColumn) =>
        void psp.addTransfer({ type: "LATELY_INVENTED", status: "lately_invented" }),
      expected: { type: "TRANSFER", status: "UNKNOWN" },
    },
    {
      name: "the currency of a transfer",
      task: "FETCH_PAYMENTS",
      arrange: (psp: FakeColumn) => void psp.addTransfer({ currency_code: "EUR" }),
      expected: undefined,
    },
    {
      name: "the currency of an account",
      task: "FETCH_ACCOUNTS",
      arrange: (psp: FakeColumn) => void psp.addAccount({ currency_code: "EUR" }),
      expected: { reference: "bacc_1" },
    },
  ],
  movements: [
    {
      name: "a transfer",
      movement: () => movement("TRANSFER"),
      made: transfersOf,
      refused: () => movement("TRANSFER", { destination: closed }),
    },
    {
      name: "a payout",
      movement: () => movement("PAYOUT"),
      made: transfersOf,
      refused: () => movement("PAYOUT", { destination: closed }),
      reversal: { metadata: () => ({ [`${SPEC}reason`]: "duplicated_entry" }) },
    },
  ],
  bankAccounts: {
    details: {
      id: "8d6a3c1e-6b1e-4c55-9a70-2f6c1d0b7e11",
      createdAt: NOW,
      name: "Landlord",
      accountNumber: "91000123451012",
      country: "US",
      metadata: { [`${SPEC}routing_number`]: "322271627" },
    },
    made: (psp: FakeColumn) => psp.itemsOf("/counterparties").length,
  },
  webhooks: {
    registered: (psp: FakeColumn) => psp.itemsOf("/webhook-endpoints").length,
    addForeign: (psp: FakeColumn) =>
      void psp
        .itemsOf("/webhook-endpoints")
        .push({ id: "wbep_other", url: "https://other.example/events", enabled_events: [] }),
    deliver: (psp: FakeColumn, { urlPath, at }) =>
      psp.notify(urlPath, {
        type: "ach.outgoing_transfer.settled",
        data: achTransfer({ status: "SETTLED" }),
        at,
      }),
    forgeries: {
      body: ({ headers, body }) => ({ headers, body: body.replace("1050", "9050") }),
      signature: ({ headers, body }) => ({
        headers: { ...headers, "Column-Signature": "0".repeat(64) },
        body,
      }),
      absence: ({ body }) => ({ headers: {}, body }),
    },
    unknown: (psp: FakeColumn, { urlPath }) =>
      psp.notify(urlPath, { type: "check.outgoing_debit.settled", data: { id: "chkt_1" } }),
  },
} as const satisfies Conformance<FakeColumn>;

/** An ACH transfer object as in events. */
export const achTransfer = (more: object = {}) => ({
  id: "acht_1",
  created_at: "2026-02-03T08:00:00Z",
  type: "CREDIT",
  status: "SUBMITTED",
  amount: 1050,
  currency_code: "USD",
  is_incoming: false,
  bank_account_id: "bacc_1",
  counterparty_id: "cpty_2",
  description: "",
  ...more,
});
