import type { Movement, Plugin } from "#modules/payments/connectors/contract.ts";
import { dummypayKind } from "#modules/payments/connectors/dummypay/index.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { DUMMYPAY_DIRECTORY, FakeDummypay } from "#test/support/psp/dummypay.ts";
import { accountOf } from "#test/support/psp/suite.ts";

const parent = accountOf("acc-1");

const movement = (type: Movement["type"]): Movement => ({
  type,
  reference: "order-1",
  createdAt: NOW,
  description: "",
  source: { reference: "acc-2", metadata: {} },
  destination: { reference: "acc-1", metadata: {} },
  amount: 1000n,
  asset: "EUR/2",
  metadata: {},
});

/** The number of movements that have paid the account. */
async function made(_: FakeDummypay, plugin: Plugin): Promise<number> {
  const page = await plugin.fetchBalances?.({ parent, state: undefined, pageSize: 10 });
  return Number(page?.items[0]?.amount ?? 0n) / 1000;
}

const movementCase = (type: Movement["type"]) => ({
  name: type === "TRANSFER" ? "a transfer" : "a payout",
  movement: () => movement(type),
  made,
  refused: (): Movement => {
    const { source: _, ...others } = movement(type);
    return others;
  },
  reversal: { metadata: () => ({}) },
});

connectorConformance<FakeDummypay>({
  kind: dummypayKind,
  psp: () => new FakeDummypay(),
  config: { directory: DUMMYPAY_DIRECTORY, linkFlowError: false, updateLinkFlowError: false },
  lists: [
    {
      task: "FETCH_ACCOUNTS",
      add: (psp, count) =>
        Array.from({ length: count }, () => {
          const id = `acc-${psp.accounts.length}`;
          const opened = { opening_date: "2026-01-01T00:00:00Z", currency: "EUR/2" };
          psp.accounts.push({ id, name: "An account", ...opened });
          return id;
        }),
    },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent }),
      add: (psp, count) =>
        Array.from({ length: count }, () => {
          const currency = `A${psp.balances.length}/2`;
          psp.balances.push({ account_id: "acc-1", amount_in_minors: 10, currency });
          return `acc-1 ${currency}`;
        }),
    },
    { task: "FETCH_EXTERNAL_ACCOUNTS" },
    { task: "FETCH_PAYMENTS" },
  ],
  errors: [],
  unknownValues: [],
  movements: [movementCase("TRANSFER"), movementCase("PAYOUT")],
  bankAccounts: {
    details: {
      id: "11111111-2222-4333-8444-555555555555",
      createdAt: NOW,
      name: "Landlord",
      iban: "DE89370400440532013000",
      metadata: {},
    },
    // The provider keeps no bank accounts, because its answer follows from the id.
    made: () => 1,
  },
});
