import type { Movement } from "#modules/payments/connectors/contract.ts";
import { genericKind } from "#modules/payments/connectors/generic/index.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { jsonAnswer } from "#test/support/psp/fake-psp.ts";
import { FakeGeneric, GENERIC_ENDPOINT, GENERIC_KEY } from "#test/support/psp/generic.ts";
import { accountOf } from "#test/support/psp/suite.ts";

const parent = accountOf("acc-1");

const movement = (type: Movement["type"], destination = "acc-2"): Movement => ({
  type,
  reference: "order-1",
  createdAt: NOW,
  description: "",
  source: { reference: "acc-1", metadata: {} },
  destination: { reference: destination, metadata: {} },
  amount: 1000n,
  asset: "EUR/2",
  metadata: {},
});

/** Adds `count` items, whose ids continue the numbering of `items`. */
function added(count: number, items: readonly unknown[], add: (id: string) => void): string[] {
  return Array.from({ length: count }, () => {
    const id = `id-${items.length + 1}`;
    add(id);
    return id;
  });
}

const movementCase = (type: Movement["type"]) => ({
  name: type === "TRANSFER" ? "a transfer" : "a payout",
  movement: () => movement(type),
  made: (psp: FakeGeneric) => psp.movements.size,
  refused: () => movement(type, "closed"),
});

connectorConformance<FakeGeneric>({
  kind: genericKind,
  psp: () => new FakeGeneric(),
  config: { apiKey: GENERIC_KEY, endpoint: GENERIC_ENDPOINT },
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      add: (psp, count) =>
        added(count, psp.accounts, (id) => psp.accounts.push({ id, createdAt: psp.tick() })),
    },
    {
      task: "FETCH_EXTERNAL_ACCOUNTS",
      add: (psp, count) =>
        added(count, psp.beneficiaries, (id) =>
          psp.beneficiaries.push({ id, createdAt: psp.tick() }),
        ),
    },
    {
      task: "FETCH_PAYMENTS",
      add: (psp, count) => added(count, psp.transactions, (id) => psp.addTransaction(id)),
    },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent }),
      add: (psp, count) =>
        Array.from({ length: count }, () => {
          const currency = `A${psp.balances.length}/2`;
          psp.balances.push({ currency, amount: "10" });
          return `acc-1 ${currency}`;
        }),
    },
  ],
  errors: [
    {
      name: "a problem document",
      answer: () => jsonAnswer({ title: "Bad request", detail: "pageSize" }, 400),
      kind: "invalid",
    },
  ],
  unknownValues: [
    {
      name: "the status of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) => psp.addTransaction("a", { status: "LATELY_INVENTED" }),
      expected: { reference: "a", status: "OTHER" },
    },
    {
      name: "the type of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) => psp.addTransaction("a", { type: "LATELY_INVENTED" }),
      expected: { reference: "a", type: "OTHER" },
    },
  ],
  movements: [movementCase("TRANSFER"), movementCase("PAYOUT")],
});
