import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { retryInstance } from "#modules/orchestration/instances/retry.ts";
import { getInstance } from "#modules/orchestration/instances/store.ts";
import { advance } from "#modules/orchestration/run/advance.ts";
import type { PluginConfig } from "#modules/payments/connectors/config.ts";
import { ArmingWatch, HELD_MS, HeldError } from "#platform/arming/arming-watch.ts";
import { activitiesOf, Flows } from "#test/support/orchestration/flows.ts";
import {
  EUR,
  flows,
  freshLedger,
  freshPayee,
  freshWallet,
  funded,
  mainOf,
  movedIn,
  WALLETS,
} from "#test/support/orchestration/sends.ts";
import { containing } from "#test/support/orchestration/triggers.ts";
import { type StoredConnector, storeConnector } from "#test/support/payments/connectors.ts";

const AMOUNT = { amount: "100", asset: EUR };
const DUMMY = { provider: "dummypay", config: { directory: "payouts" } };

let shop = "";
let connector: StoredConnector;
let other: StoredConnector;
/** Two accounts of the connector. */
let ours = "";
let payee = "";

beforeAll(async () => {
  shop = await freshLedger("payouts");
  connector = await storeConnector(DUMMY);
  other = await storeConnector(DUMMY);
  [ours, payee] = [await freshPayee(connector), await freshPayee(connector)];
});

const only = async (provider: string, config: PluginConfig) => storeConnector({ provider, config });

/** A payout's stage, and the account that it pays. */
interface Payout {
  readonly payment: object;
  readonly to?: string;
  readonly amount?: object;
}

/** A source of money, and a read of its balance. */
interface Purse {
  readonly source: object;
  readonly left: () => Promise<bigint>;
}

async function accountThatPays(to: string): Promise<Purse> {
  const address = await funded(shop);
  const client = new LedgerClient(flows.context, shop);
  const target = { targetType: "ACCOUNT", targetId: address } as const;
  await client.saveMetadata(target, { formanceAccountID: to }, { idempotencyKey: undefined });
  return {
    source: { account: { id: address, ledger: shop } },
    left: () => client.balance(address, EUR),
  };
}

async function walletThatPays(to: string): Promise<Purse> {
  const id = await freshWallet(1000n, { formanceAccountID: to });
  const client = new LedgerClient(flows.context, WALLETS);
  return { source: { wallet: { id } }, left: () => client.balance(mainOf(id), EUR) };
}

const PURSES = [
  ["an account", accountThatPays],
  ["a wallet", walletThatPays],
] as const;

const stageOf = (source: object, { payment, amount = AMOUNT }: Payout) => ({
  send: { source, destination: { payment }, amount },
});

/** A valid payout, changed by the given members. */
const payment = (more: object = {}) => ({
  psp: "dummypay",
  type: "PAYOUT",
  connectorId: connector.text,
  sourceAccount: ours,
  waitingValidation: true,
  ...more,
});

/** Payouts that can never be made, with the error of each. */
const IMPOSSIBLE: readonly (readonly [string, () => Promise<Payout>, string])[] = [
  [
    "through a connector of no such id",
    async () => ({ payment: payment({ connectorId: "none" }) }),
    "connectorID: 'none' is no connector's id",
  ],
  [
    "through a connector that is not installed",
    async () => {
      const gone = await only("dummypay", { directory: "gone" });
      await env.DB.prepare("DELETE FROM payment_connectors WHERE key = ?").bind(gone.key).run();
      return { payment: payment({ connectorId: gone.text }) };
    },
    "connectorID: no connector 'dummypay' of this id is installed",
  ],
  [
    "through a connector that is being uninstalled",
    async () => {
      const going = await only("dummypay", { directory: "going" });
      await env.DB.prepare("UPDATE payment_connectors SET deleted_at = created_at WHERE key = ?")
        .bind(going.key)
        .run();
      return { payment: payment({ connectorId: going.text }) };
    },
    "connectorID: no connector 'dummypay' of this id is installed",
  ],
  [
    "through a provider of which there is no connector",
    async () => ({ payment: payment({ psp: "increase", connectorId: undefined }) }),
    "connectorID is required: 'increase' has no connector",
  ],
  [
    "through a provider that there is not",
    async () => ({ payment: payment({ psp: "nobody", connectorId: undefined }) }),
    "connectorID is required: 'nobody' has no connector",
  ],
  [
    "where several connectors are meant",
    async () => ({ payment: payment({ connectorId: undefined }) }),
    "connectorID is required: 'dummypay' has several connectors",
  ],
  [
    "where neither a connector nor a provider is named",
    async () => ({ payment: payment({ psp: "", connectorId: undefined }) }),
    "a payment needs a connectorId, or the psp of the only connector",
  ],
  [
    "through a provider that makes no payouts",
    async () => {
      const qonto = await only("qonto", {});
      return {
        payment: payment({ connectorId: qonto.text, sourceAccount: undefined }),
        to: await freshPayee(qonto),
      };
    },
    "CreatePayout capability is not supported by the provider qonto",
  ],
  [
    "of a type that there is not",
    async () => ({ payment: payment({ type: "LOAN" }) }),
    "the type of a payment is TRANSFER or PAYOUT, and not 'LOAN'",
  ],
  [
    "to something that is no account",
    async () => ({ payment: payment(), to: "nobody" }),
    "destinationAccountID: 'nobody' is no account's id",
  ],
  [
    "to an account that the connector does not know",
    async () => ({ payment: payment(), to: connector.idOf("stranger") }),
    "the connector has no account 'stranger'",
  ],
  [
    "to an account of another connector",
    async () => ({ payment: payment(), to: await freshPayee(other) }),
    "destinationAccountID is an account of another connector",
  ],
  [
    "from something that is no account",
    async () => ({ payment: payment({ sourceAccount: "nobody" }) }),
    "sourceAccountID: 'nobody' is no account's id",
  ],
  [
    "from an account that the connector does not know",
    async () => ({ payment: payment({ sourceAccount: connector.idOf("stranger") }) }),
    "the connector has no account 'stranger'",
  ],
  [
    "from no account, where the provider wants one",
    async () => ({ payment: payment({ sourceAccount: undefined }) }),
    "source account is required",
  ],
  [
    "of something that is no asset",
    async () => ({ payment: payment(), amount: { amount: "100", asset: "euro" } }),
    "asset: 'euro' is no asset",
  ],
  [
    "of an asset that the provider does not move",
    async () => {
      const config = { loginID: "l", apiKey: "k", endpoint: "https://psp.test" };
      const euros = await only("currencycloud", config);
      return {
        payment: payment({ connectorId: euros.text, sourceAccount: await freshPayee(euros) }),
        to: await freshPayee(euros),
        amount: { amount: "100", asset: "GOLD/2" },
      };
    },
    "GOLD",
  ],
  [
    "of nothing",
    async () => ({ payment: payment(), amount: { amount: "0", asset: EUR } }),
    "amount: must be greater than 0",
  ],
];

describe.each(PURSES)("a payout from %s that can never be made takes no money", (_what, fill) => {
  test.each(IMPOSSIBLE)(
    "a payout that can never be made takes no money: %s",
    async (_case, make, message) => {
      const payout = await make();
      const purse = await fill(payout.to ?? payee);
      const failed = await flows.run(stageOf(purse.source, payout));
      expect(failed.error).toEqual(containing(message));
      expect(failed.error).not.toContain("has moved");
      expect(await purse.left()).toBe(1000n);
      const changing = (await activitiesOf(failed.id)).filter(
        ({ name }) => !name.startsWith("Get"),
      );
      expect(changing).toEqual([]);
    },
  );
});

test("a payout by somebody who may not pay takes no money", async () => {
  const purse = await accountThatPays(payee);
  const bookkeeper = new Flows(["ledger:write"]);
  const failed = await bookkeeper.run(stageOf(purse.source, { payment: payment() }));
  expect(failed.error).toBe("the instance was started without the scope payments:write");
  expect(await purse.left()).toBe(1000n);
});

describe("a payout while the deployment is disarmed", () => {
  test("a payout that is refused because the deployment has just been disarmed has had no attempt, and is made later", async () => {
    const purse = await accountThatPays(payee);
    const payout = { payment: payment({ waitingValidation: false }) };
    const instance = await flows.start([stageOf(purse.source, payout)]);
    for (let call = 0; call < 3; call++) await advance(flows.context, instance);
    const stored = () =>
      env.DB.prepare(
        `SELECT attempt, last_failure AS failure, hold FROM orchestration_activities
         JOIN orchestration_instances AS i ON i.key = instance_key WHERE i.id = ? AND ordinal = 3`,
      )
        .bind(instance.id)
        .first();
    const gate = vi.spyOn(ArmingWatch.prototype, "assertMayCall");
    for (let round = 0; round < 2; round++) {
      gate.mockRejectedValueOnce(new HeldError("OVERLOADED", "the database does not say"));
      expect(await advance(flows.context, instance)).toEqual({ kind: "wait", waitMs: HELD_MS });
      expect(await stored()).toEqual({ attempt: 0, failure: null, hold: null });
      flows.nowMs += HELD_MS;
    }
    gate.mockRestore();
    expect(await flows.drive(instance)).toEqual({ kind: "end" });
    expect(await stored()).toMatchObject({ attempt: 1, failure: null });
    expect(await purse.left()).toBe(900n);
  });

  test("a payout's workflow that passes several stages in one call asks before each stage", async () => {
    const pause = { delay: { duration: "0s" } };
    const instance = await flows.start([pause, pause, pause]);
    const mayCall = vi.spyOn(ArmingWatch.prototype, "mayCall");
    mayCall.mockResolvedValueOnce(true).mockResolvedValueOnce(false);
    expect(await advance(flows.context, instance)).toEqual({ kind: "wait", waitMs: HELD_MS });
    mayCall.mockRestore();
    expect(await flows.drive(instance)).toEqual({ kind: "end" });
  });
});

test("a payout that its creator may not approve takes no money", async () => {
  const purse = await accountThatPays(payee);
  const watched = new Flows();
  watched.settings = { FLORIN_PAYMENTS_FOUR_EYES: "true" };
  const payout = { payment: payment({ waitingValidation: false }) };
  const failed = await watched.run(stageOf(purse.source, payout));
  expect(failed.error).toContain("FLORIN_PAYMENTS_FOUR_EYES is set");
  expect(await purse.left()).toBe(1000n);
});

test("a transfer between ledgers to an address that there cannot be leaves no ledger", async () => {
  const [from, bank] = [await funded(shop), await freshLedger("bank")];
  const to = { account: { id: "not an address", ledger: bank } };
  const failed = await flows.run({
    send: { source: { account: { id: from, ledger: shop } }, destination: to, amount: AMOUNT },
  });
  expect(failed.error).toBe("invalid account address 'not an address'");
  expect(await movedIn(shop, failed.id)).toEqual([]);
});

describe("a payout whose connector goes away after the money has left", () => {
  /** A payout whose connector is the only one of its provider, so that the workflow need not name the connector. */
  async function started() {
    const gone = await only("stripe", { apiKey: "k" });
    const purse = await accountThatPays(await freshPayee(gone));
    const payout = { payment: { psp: "stripe", type: "TRANSFER", waitingValidation: true } };
    const instance = await flows.start([stageOf(purse.source, payout)]);
    // Three calls read the account, check the payout, and take the money.
    for (let call = 0; call < 3; call++) await advance(flows.context, instance);
    await env.DB.prepare("DELETE FROM payment_connectors WHERE key = ?").bind(gone.key).run();
    await flows.drive(instance);
    return { gone, purse, instance };
  }

  test("a payout whose connector goes away after the money has left says so, and goes on without moving it again", async () => {
    const { purse, instance } = await started();
    const failed = await getInstance(flows.context, instance.id);
    const { account } = purse.source as { account: { id: string } };
    expect(failed.error).toEqual(containing("connector_id: value not found. Before that"));
    expect(failed.error).toMatch(
      new RegExp(
        `100 EUR/2 from '${account.id}' to 'world' \\(transaction \\d+ of the ledger '${shop}'\\)`,
      ),
    );
    expect(failed.error).toContain("/api/florin/v1/instances/{id}/retry");
    expect(await purse.left()).toBe(900n);

    // Without a connector, the repeated stage fails before it asks for the payout, and its error still says how much has moved.
    await retryInstance(flows.context, instance.id);
    await flows.drive(instance);
    const again = await getInstance(flows.context, instance.id);
    expect(again.error).toMatch(/'stripe' has no connector\. Before that, .* 100 EUR\/2/);

    const back = await only("stripe", { apiKey: "k" });
    const client = new LedgerClient(flows.context, shop);
    await client.saveMetadata(
      { targetType: "ACCOUNT", targetId: account.id },
      { formanceAccountID: await freshPayee(back) },
      { idempotencyKey: undefined },
    );
    await retryInstance(flows.context, instance.id);
    expect(await flows.drive(instance)).toEqual({ kind: "end" });
    expect((await getInstance(flows.context, instance.id)).error).toBeUndefined();
    expect(await purse.left()).toBe(900n);
    const { results } = await env.DB.prepare(
      "SELECT reference FROM payment_initiations WHERE connector_key = ?",
    )
      .bind(back.key)
      .all();
    expect(results).toEqual([{ reference: `${instance.id}-0-3` }]);
  });
});

test("a payout from a wallet says what has moved in the ledger of the wallets", async () => {
  const gone = await only("modulr", { apiKey: "k", apiSecret: "s", endpoint: "https://psp.test" });
  const [from, to] = [await freshPayee(gone), await freshPayee(gone)];
  const id = await freshWallet(1000n, { formanceAccountID: to });
  const payout = {
    payment: { psp: "modulr", type: "TRANSFER", sourceAccount: from, waitingValidation: true },
  };
  const instance = await flows.start([stageOf({ wallet: { id } }, payout)]);
  for (let call = 0; call < 3; call++) await advance(flows.context, instance);
  await env.DB.prepare("DELETE FROM payment_connectors WHERE key = ?").bind(gone.key).run();
  await flows.drive(instance);
  const { error } = await getInstance(flows.context, instance.id);
  expect(error).toMatch(
    new RegExp(
      `100 EUR/2 from '${mainOf(id)}' to 'world' \\(transaction \\d+ of the ledger '${WALLETS}'`,
    ),
  );
});
