import type { Movement } from "#modules/payments/connectors/contract.ts";
import { exampleKind } from "#scripts/connector-template/connector/index.ts";
import { EXAMPLE_CONFIG, FakeExample } from "#scripts/connector-template/psp.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { jsonAnswer } from "#test/support/psp/fake-psp.ts";

const parent = { reference: "account-1", createdAt: NOW, metadata: {}, raw: "{}" };

const movement = (type: Movement["type"]): Movement => ({
  type,
  reference: "order-1",
  createdAt: NOW,
  description: "rent",
  source: { reference: "account-1", metadata: {} },
  destination: { reference: "account-2", metadata: {} },
  amount: 1000n,
  asset: "EUR/2",
  metadata: {},
});

connectorConformance<FakeExample>({
  kind: exampleKind,
  psp: () => new FakeExample(),
  config: EXAMPLE_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp, count) => psp.addAccounts(count) },
    // With `add` as soon as the fake has them.
    { task: "FETCH_BALANCES", parent: () => ({ parent }) },
    { task: "FETCH_PAYMENTS" },
  ],
  errors: [
    { name: "a bad request", answer: () => jsonAnswer({ message: "bad" }, 400), kind: "invalid" },
  ],
  unknownValues: [],
  movements: [
    { name: "a transfer", movement: () => movement("TRANSFER"), made: () => 0 },
    { name: "a payout", movement: () => movement("PAYOUT"), made: () => 0 },
  ],
  webhooks: {
    registered: () => 0,
    addForeign: () => undefined,
    deliver: () => ({ headers: {}, body: "{}" }),
    forgeries: { body: (sent) => sent, signature: (sent) => sent, absence: (sent) => sent },
    unknown: () => ({ headers: {}, body: "{}" }),
  },
});
