import { beforeAll, describe, expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { findInstance, stagesOf } from "#modules/orchestration/instances/store.ts";
import { activitiesOf, Flows, inputsOf } from "#test/support/orchestration/flows.ts";
import {
  EUR,
  expectInitiation,
  flows,
  freshLedger,
  freshPayee,
  freshPayment,
  freshWallet,
  funded,
  INTERNAL,
  mainOf,
  movedIn,
  movedInWallets,
  nameOf,
  WALLETS,
} from "#test/support/orchestration/sends.ts";
import { type StoredConnector, storeConnector } from "#test/support/payments/connectors.ts";
import { freshName } from "#test/support/platform/api.ts";

const amount = { amount: "100", asset: EUR };

let connector: StoredConnector;
let shop = "";
let bank = "";

beforeAll(async () => {
  connector = await storeConnector({ provider: "dummypay", config: { directory: "flows" } });
  [shop, bank] = [await freshLedger("shop"), await freshLedger("bank")];
});

const send = (source: object, destination: object, more: object = { amount }) => ({
  send: { source, destination, ...more },
});

async function succeed(stage: object, variables: Record<string, string> = {}): Promise<string> {
  const instance = await flows.run(stage, variables);
  expect([instance.error, instance.terminatedAt !== undefined]).toEqual([undefined, true]);
  return instance.id;
}

const tx = (ledger: string, [source, destination]: readonly [string, string], more = {}) => [
  "CreateTransaction",
  ledger,
  { postings: [{ amount: 100, asset: EUR, destination, source }], ...more },
];
const leaving = (to: string) => ({ "orchestration/move-to-ledger": to });
const arriving = (from: string) => ({ "orchestration/move-from-ledger": from });

describe("a send from an account", () => {
  test("a send from an account to an account of the same ledger is one transaction", async () => {
    const from = await funded(shop);
    const id = await succeed(
      send(
        { account: { id: from, ledger: shop, throughAccount: "x", allowOverdraft: true } },
        { account: { id: "orders:1", ledger: shop } },
        { amount, metadata: { order: "1" }, timestamp: "2026-01-02T03:04:05.5Z" },
      ),
    );
    const data = { metadata: { order: "1" }, timestamp: "2026-01-02T03:04:05.5Z" };
    expect(await inputsOf(id)).toEqual([tx(shop, [from, "orders:1"], data)]);
    expect(await movedIn(shop, id)).toEqual([[[from, "orders:1", 100n], { order: "1" }]]);
  });

  test("a send from an account to an account of another ledger leaves and arrives through bridges", async () => {
    const from = await funded(shop);
    const id = await succeed(
      send(
        { account: { id: from, ledger: shop, throughAccount: "out" } },
        { account: { id: "in:1", ledger: bank } },
      ),
    );
    expect(await inputsOf(id)).toEqual([
      tx(shop, [from, "out"], { metadata: leaving(bank) }),
      tx(bank, ["world", "in:1"], { metadata: arriving(shop) }),
    ]);
    expect(await movedIn(bank, id)).toEqual([[["world", "in:1", 100n], arriving(shop)]]);
  });

  test("a send from an account that may go below zero to one of another ledger is made by scripts", async () => {
    const id = await succeed(
      send(
        { account: { id: "poor:1", ledger: shop, throughAccount: "out", allowOverdraft: true } },
        { account: { id: "in:2", ledger: bank, throughAccount: "gate", allowOverdraft: true } },
      ),
    );
    const plain = (source: string, destination: string) =>
      `send [EUR/2 100] (\n  source = @${source} allowing unbounded overdraft\n  destination = @${destination}\n)`;
    expect(await inputsOf(id)).toEqual([
      [
        "CreateTransaction",
        shop,
        { script: { plain: plain("poor:1", "out") }, metadata: leaving(bank) },
      ],
      [
        "CreateTransaction",
        bank,
        { script: { plain: plain("gate", "in:2") }, metadata: arriving(shop) },
      ],
    ]);
    expect(await movedIn(bank, id)).toEqual([[["gate", "in:2", 100n], arriving(shop)]]);
  });

  test("a send from an account to a wallet of the same ledger is a credit from the account", async () => {
    const [wallet, from] = [await freshWallet(0n), await funded(WALLETS)];
    const id = await succeed(
      send({ account: { id: from, ledger: WALLETS } }, { wallet: { id: wallet } }),
    );
    expect(await inputsOf(id)).toEqual([
      ["GetWallet", { id: wallet }],
      [
        "CreditWallet",
        {
          id: wallet,
          data: {
            amount: { amount: 100, asset: EUR },
            balance: "main",
            metadata: {},
            sources: [{ type: "ACCOUNT", identifier: from }],
          },
        },
      ],
    ]);
    expect(await movedInWallets(1)).toEqual([[from, mainOf(wallet), 100n]]);
  });

  test("a send from an account to a wallet of another ledger leaves, and is credited from the bridge", async () => {
    const [wallet, from] = [await freshWallet(0n), await funded(shop)];
    const id = await succeed(
      send({ account: { id: from, ledger: shop } }, { wallet: { id: wallet } }),
    );
    const [, left, credited] = await inputsOf(id);
    expect(left).toEqual(tx(shop, [from, "world"], { metadata: leaving(WALLETS) }));
    expect(credited).toMatchObject([
      "CreditWallet",
      { data: { metadata: arriving(shop), sources: [{ identifier: "world" }] } },
    ]);
    expect(await movedInWallets(1)).toEqual([["world", mainOf(wallet), 100n]]);
  });

  test("a send from an account to a payment pays the account that the payment knows through the connector", async () => {
    const [from, payee] = [await funded(shop), await freshPayee(connector)];
    const sourceAccount = await freshPayee(connector);
    const client = new LedgerClient(flows.context, shop);
    const target = { targetType: "ACCOUNT", targetId: from } as const;
    await client.saveMetadata(target, { payTo: payee }, { idempotencyKey: undefined });
    const id = await succeed(
      send(
        { account: { id: from, ledger: shop, throughAccount: "payouts" } },
        {
          payment: {
            psp: "dummypay",
            type: "payout",
            metadata: "payTo",
            connectorId: connector.text,
            sourceAccount,
            waitingValidation: true,
          },
        },
        { amount, metadata: { order: "7" } },
      ),
    );
    expect(await inputsOf(id)).toEqual([
      ["GetAccount", { ledger: shop, id: from }],
      tx(shop, [from, "payouts"], { metadata: { order: "7" } }),
      [
        "CreateTransferInitiation",
        {
          amount: 100,
          asset: EUR,
          connectorID: connector.text,
          destination: payee,
          metadata: { order: "7" },
          provider: "DUMMYPAY",
          source: sourceAccount,
          type: "PAYOUT",
          waitingValidation: true,
        },
      ],
    ]);
    await expectInitiation(`${id}-0-3`, {
      amount: 100n,
      type: "PAYOUT",
      description: "dummypay PAYOUT",
    });
  });
});

describe("a send from a wallet", () => {
  test("a send from a wallet to an account of the same ledger is a debit to the account", async () => {
    const wallet = await freshWallet();
    const id = await succeed(
      send({ wallet: { id: wallet } }, { account: { id: "sales", ledger: WALLETS } }),
    );
    expect((await inputsOf(id))[1]).toEqual([
      "DebitWallet",
      {
        id: wallet,
        data: {
          amount: { amount: 100, asset: EUR },
          balances: ["main"],
          destination: { type: "ACCOUNT", identifier: "sales" },
          metadata: {},
        },
      },
    ]);
    expect(await movedInWallets(1)).toEqual([[mainOf(wallet), "sales", 100n]]);
  });

  test("a send from a wallet to an account of another ledger is a debit, and arrives", async () => {
    const wallet = await freshWallet();
    const id = await succeed(
      send({ wallet: { id: wallet } }, { account: { id: "in:3", ledger: bank } }),
    );
    const [, debited, arrived] = await inputsOf(id);
    expect(debited).toMatchObject(["DebitWallet", { data: { metadata: leaving(bank) } }]);
    expect(arrived).toEqual(tx(bank, ["world", "in:3"], { metadata: arriving(WALLETS) }));
    expect(await movedInWallets(1)).toEqual([[mainOf(wallet), "world", 100n]]);
  });

  test("a send from a wallet to a wallet, found by its name, is a credit from the other wallet", async () => {
    const [from, to] = [await freshWallet(), await freshWallet(0n)];
    const name = await nameOf(to);
    const id = await succeed(send({ wallet: { id: from } }, { wallet: { name } }));
    expect((await activitiesOf(id)).map((item) => item.name)).toEqual([
      "GetWallet",
      "ListWallets",
      "CreditWallet",
    ]);
    expect((await inputsOf(id))[2]).toMatchObject([
      "CreditWallet",
      { id: to, data: { sources: [{ type: "WALLET", identifier: from, balance: "main" }] } },
    ]);
    expect(await movedInWallets(1)).toEqual([[mainOf(from), mainOf(to), 100n]]);
  });

  test("a send from a wallet to a payment is a debit, and the account that the wallet knows is paid", async () => {
    const wallet = await freshWallet(1000n, { formanceAccountID: await freshPayee(connector) });
    const id = await succeed(
      send(
        { wallet: { id: wallet } },
        {
          payment: {
            psp: "dummypay",
            connectorId: connector.text,
            sourceAccount: await freshPayee(connector),
            waitingValidation: true,
          },
        },
      ),
    );
    expect((await activitiesOf(id)).map((item) => item.name)).toEqual([
      "GetWallet",
      "DebitWallet",
      "CreateTransferInitiation",
    ]);
    expect(await movedInWallets(1)).toEqual([[mainOf(wallet), "world", 100n]]);
    await expectInitiation(`${id}-0-3`, {
      amount: 100n,
      type: "TRANSFER",
      description: "dummypay TRANSFER",
    });
  });

  test("a send from a wallet that does not exist by this name, or twice, fails", async () => {
    const to = { account: { id: "in:4", ledger: bank } };
    const missing = await flows.run(send({ wallet: { name: freshName("nobody") } }, to));
    expect(missing.error).toBe("wallet not found");
  });
});

describe("a send from a payment", () => {
  test("a send from a payment to an account follows the worked example of the reference", async () => {
    const pay = await freshPayment(connector, 5000n);
    const stage = send(
      { payment: { id: "${pay}" } },
      { account: { id: "${to}", ledger: shop, throughAccount: "in:psp", allowOverdraft: true } },
      {},
    );
    const id = await succeed(stage, { pay, to: "shops:9" });
    const held = `payment:${pay.replaceAll("-", "_")}`;
    const move = (source: string, destination: string) => [
      { amount: 5000, asset: EUR, destination, source },
    ];
    const plain =
      "send [EUR/2 5000] (\n  source = @in:psp allowing unbounded overdraft\n  destination = @shops:9\n)";
    expect(await inputsOf(id)).toEqual([
      ["GetPayment", { id: pay }],
      ["CreateTransaction", INTERNAL, { postings: move("world", held), reference: held }],
      ["CreateTransaction", INTERNAL, { postings: move(held, "world"), metadata: leaving(shop) }],
      ["CreateTransaction", shop, { script: { plain }, metadata: arriving(INTERNAL) }],
    ]);
    expect(await movedIn(INTERNAL, id)).toEqual([
      [["world", held, 5000n], {}, held],
      [[held, "world", 5000n], leaving(shop)],
    ]);
    expect(await movedIn(shop, id)).toEqual([[["in:psp", "shops:9", 5000n], arriving(INTERNAL)]]);
  });

  test("a send from a payment that was brought in before moves only what is left of it", async () => {
    const pay = await freshPayment(connector, 150n);
    const stage = send(
      { payment: { id: pay, ledger: shop } },
      { account: { id: "part:1", ledger: shop } },
    );
    await succeed(stage);
    const second = await flows.start([stage]);
    expect(await flows.drive(second, 2)).toMatchObject({ kind: "wait" });
    const [, ingested, pending] = await activitiesOf(second.id);
    expect(ingested?.error).toContain("reference");
    expect(pending).toMatchObject({ attempt: 3, terminated: false });
    expect(pending?.lastFailure).toContain("insufficient");
  });

  test("a send from a payment to a wallet is brought in, leaves and is credited", async () => {
    const [pay, wallet] = [await freshPayment(connector, 100n), await freshWallet(0n)];
    const id = await succeed(send({ payment: { id: pay } }, { wallet: { id: wallet } }, {}));
    expect((await activitiesOf(id)).map((item) => item.name)).toEqual([
      "GetPayment",
      "GetWallet",
      "CreateTransaction",
      "CreateTransaction",
      "CreditWallet",
    ]);
    expect(await movedInWallets(1)).toEqual([["world", mainOf(wallet), 100n]]);
  });

  test("a send from a payment to a payment is refused before anything moves", async () => {
    const failed = await flows.run(
      send({ payment: { id: "a" } }, { payment: { psp: "dummypay" } }, {}),
    );
    expect(failed.error).toBe("send from payment to payment is not supported");
    expect(await activitiesOf(failed.id)).toEqual([]);
  });
});

describe("what cannot be sent", () => {
  test("a send without an amount, or with one below zero, fails", async () => {
    const from = { account: { id: "world", ledger: shop } };
    const to = { account: { id: "a", ledger: shop } };
    expect((await flows.run(send(from, to, {}))).error).toBe("amount must be specified");
    const negative = await flows.run(send(from, to, { amount: { amount: -1, asset: EUR } }));
    expect(negative.error).not.toBeUndefined();
    const [activity] = await activitiesOf(negative.id);
    expect(activity?.error).toBe(negative.error);
    const [status] = await stagesOf(flows.context, negative);
    expect(status?.historyError).toBe("activity error");
  });

  test("a send to a payment of whose account nothing is known moves nothing", async () => {
    const from = { account: { id: await funded(shop), ledger: shop } };
    const failed = await flows.run(
      send(from, { payment: { psp: "dummypay", connectorId: connector.text } }),
    );
    expect(failed.error).toBe(
      "expected 'formanceAccountID' metadata containing formance account ID",
    );
    expect(await movedIn(shop, failed.id)).toEqual([]);
  });

  test("a send with a variable that would say more in a script than a name fails", async () => {
    const name =
      "a allowing unbounded overdraft\n destination = @b\n)\nsend [EUR/2 5] (\n source = @victim";
    const account = (id: string, throughAccount = "out") => ({
      account: { id, ledger: shop, throughAccount, allowOverdraft: true },
    });
    const to = {
      account: { id: "in", ledger: bank, throughAccount: "gate", allowOverdraft: true },
    };
    const bad = { account: { ...to.account, throughAccount: "${name}" } };
    const asset = { amount: { amount: "1", asset: "${name}" } };
    for (const stage of [
      send(account("${name}"), to),
      send(account("poor", "${name}"), to),
      send(account("poor"), bad),
      send(account("poor"), to, asset),
    ]) {
      const failed = await flows.run(stage, { name });
      expect(failed.error).toMatch(/^invalid (?:account address|asset) 'a allowing/);
      expect(await movedIn(shop, failed.id)).toEqual([]);
    }
  });

  test("a send beyond the scopes and the ledgers of who has started it fails", async () => {
    const to = { account: { id: "a", ledger: shop } };
    const stage = send({ account: { id: "world", ledger: shop } }, to);
    const reader = await new Flows(["ledger:read"]).run(stage);
    expect(reader.error).toBe("the instance was started without the scope ledger:write");
    const bound = await new Flows(["ledger:write"], [bank]).run(stage);
    expect(bound.error).toBe(`the instance was started without access to the ledger '${shop}'`);
    expect(await findInstance(flows.context, bound.id)).toMatchObject({ stage: 0 });
  });
});
