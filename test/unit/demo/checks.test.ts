import { describe, expect, it } from "vitest";
import { type Outcome, outcomeOf } from "#scripts/demo/books.ts";
import {
  checkAbsence,
  checkAccountMetadata,
  checkAccounts,
  checkConservation,
  checkCopy,
  checkTransactions,
  checkWayBack,
  type Played,
} from "#scripts/demo/checks.ts";
import {
  checkEvents,
  checkSignatures,
  distinctDeliveries,
  expectedEvents,
} from "#scripts/demo/event-checks.ts";
import type { Plan, Step } from "#scripts/demo/plan.ts";
import type { Account, Transaction } from "#scripts/demo/wire.ts";

const AMOUNT = 10n ** 30n;
const POSTING = { source: "world", destination: "bank", amount: AMOUNT, asset: "ETH/18" };
const TIMESTAMP = new Date("2026-03-02T10:00:00Z");
const STEPS: Step[] = [
  {
    kind: "commit",
    fate: "kept",
    transaction: {
      reference: "order-1",
      postings: [POSTING],
      metadata: { channel: "web" },
      accountMetadata: { bank: { tier: "gold" } },
      timestamp: TIMESTAMP,
    },
  },
  {
    kind: "commit",
    fate: "refused",
    transaction: {
      reference: "overdraft-1",
      postings: [{ ...POSTING, source: "nobody", destination: "ghost" }],
      metadata: {},
    },
  },
  { kind: "revert", reference: "order-1" },
  { kind: "tagAccount", address: "bank", metadata: { city: "Lyon" } },
];
const PLAN: Plan = {
  hours: [{ title: "08:00", phases: STEPS.map((step) => [{ via: "single", step }]) }],
};
const OUTCOME: Outcome = outcomeOf(PLAN);
const PLAYED: Played = {
  outcome: OUTCOME,
  ids: new Map([["order-1", 4]]),
  revertIds: new Map([["order-1", 7]]),
};

const ORDER: Transaction = {
  id: 4,
  reference: "order-1",
  postings: [POSTING],
  metadata: { channel: "web" },
  timestamp: "2026-03-02T10:00:00Z",
  reverted: true,
};
const REVERT: Transaction = {
  id: 7,
  postings: [{ ...POSTING, source: "bank", destination: "world" }],
  metadata: { "com.formance.spec/state/reverts": "4" },
  timestamp: "2026-11-21T10:00:00Z",
  reverted: false,
};
const LISTED = [REVERT, ORDER];

const volumes = (input: bigint, output: bigint) => ({
  "ETH/18": { input, output, balance: input - output },
});
const BANK: Account = {
  address: "bank",
  metadata: { city: "Lyon", tier: "gold" },
  volumes: volumes(AMOUNT, AMOUNT),
};
const WORLD: Account = { address: "world", metadata: {}, volumes: volumes(AMOUNT, AMOUNT) };

describe("the demo's checks of the ledger", () => {
  it("the demo's checks of the ledger pass when all is as it should be", async () => {
    const checks = [
      checkTransactions(LISTED, PLAYED),
      checkWayBack(LISTED, [4, 7]),
      checkAccounts([BANK, WORLD], OUTCOME.books),
      checkConservation([BANK, WORLD]),
      checkAccountMetadata([BANK, WORLD], OUTCOME.accountMetadata),
      await checkAbsence(OUTCOME.absentAccounts, { hasAccount: async () => false }),
    ];
    expect(checks.flatMap(({ differences }) => differences)).toEqual([]);
  });

  it.each([
    ["is missing", [REVERT]],
    ["is listed twice", [REVERT, ORDER, ORDER]],
    ["was not sent", [REVERT, ORDER, { ...ORDER, id: 9 }]],
    ["is off by one unit", [REVERT, { ...ORDER, postings: [{ ...POSTING, amount: AMOUNT + 1n }] }]],
    ["lacks its revert's mark", [REVERT, { ...ORDER, reverted: false }]],
    ["has other metadata", [REVERT, { ...ORDER, metadata: {} }]],
    ["has another time", [REVERT, { ...ORDER, timestamp: "2026-03-02T10:00:01Z" }]],
  ])(
    "the demo's checks of the ledger notice a transaction that %s",
    (_what, listed: Transaction[]) => {
      expect(checkTransactions(listed, PLAYED).differences).toHaveLength(1);
    },
  );

  it("the demo's checks of the ledger notice different pages on the way back, and an order that is not that of the ids", () => {
    expect(checkWayBack(LISTED, [4]).differences).toHaveLength(1);
    expect(checkWayBack(LISTED, [7, 4]).differences).toHaveLength(1);
    expect(checkWayBack([ORDER, REVERT], [7, 4]).differences).toHaveLength(1);
  });

  it("the demo's checks of the ledger notice a balance that is off by one, a missing account and one too many", () => {
    const off = { ...BANK, volumes: volumes(AMOUNT + 1n, AMOUNT) };
    expect(checkAccounts([off, WORLD], OUTCOME.books).differences).toHaveLength(1);
    expect(checkAccounts([BANK], OUTCOME.books).differences).toHaveLength(1);
    expect(
      checkAccounts([BANK, WORLD, { ...BANK, address: "ghost" }], OUTCOME.books).differences,
    ).toHaveLength(1);
    expect(checkConservation([off, WORLD]).differences).toEqual(["ETH/18: 1 too many"]);
  });

  it("the demo's checks of the ledger notice a balance that is not input less output", () => {
    const wrong = {
      ...BANK,
      volumes: { "ETH/18": { input: AMOUNT, output: AMOUNT, balance: 1n } },
    };
    expect(checkAccounts([wrong, WORLD], OUTCOME.books).differences).toHaveLength(1);
  });

  it("the demo's checks of the ledger notice metadata that is lost, and an account of a refused transaction", async () => {
    expect(
      checkAccountMetadata([{ ...BANK, metadata: {} }], OUTCOME.accountMetadata).differences,
    ).toHaveLength(1);
    expect(OUTCOME.absentAccounts).toEqual(["nobody", "ghost"]);
    const check = await checkAbsence(["ghost"], { hasAccount: async () => true });
    expect(check.differences).toEqual(["ghost is there"]);
  });
});

/** A transaction in the body of a webhook as the server writes it, with plain integers as amounts. */
const wire = (transaction: Transaction): string =>
  JSON.stringify(transaction, (_key, value: unknown) =>
    typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value,
  );
const COMMITTED = `{"type":"ledger.committed_transactions","payload":{"ledger":"demo","transactions":[${wire(ORDER)}]}}`;
const REVERTED = `{"type":"ledger.reverted_transaction","payload":{"ledger":"demo","revertedTransaction":${wire(ORDER)},"revertTransaction":${wire(REVERT)}}}`;
const TAGGED = `{"type":"ledger.saved_metadata","payload":{"ledger":"demo","targetType":"ACCOUNT","targetId":"bank","metadata":{"city":"Lyon"}}}`;
const DELIVERIES = [COMMITTED, REVERTED, TAGGED].map((body, index) => ({
  id: `delivery-${index}`,
  body,
  isSigned: true,
}));

const check = (
  deliveries: readonly { id: string; body: string; isSigned: boolean }[],
): readonly string[] =>
  checkEvents(distinctDeliveries(deliveries, "demo"), expectedEvents(PLAN, PLAYED)).differences;

describe("the demo's checks of the webhooks", () => {
  it("the demo's checks of the webhooks pass when each event came, repeated attempts and other ledgers notwithstanding", () => {
    const repeated = DELIVERIES.slice(0, 1);
    const foreign = { id: "foreign", body: TAGGED.replace('"demo"', '"other"'), isSigned: true };
    expect(check([...DELIVERIES, ...repeated, foreign])).toEqual([]);
    expect(checkSignatures([...DELIVERIES, ...repeated]).differences).toEqual([]);
  });

  it("the demo's webhook checks notice an event that is missing, that came under two ids, and that nothing caused", () => {
    expect(check(DELIVERIES.slice(1))).toHaveLength(1);
    expect(check([...DELIVERIES, { id: "again", body: TAGGED, isSigned: true }])).toHaveLength(1);
    expect(
      check([...DELIVERIES, { id: "odd", body: '{"type":"odd"}', isSigned: true }]),
    ).toHaveLength(1);
  });

  it("the demo's checks of the webhooks notice an amount that was rounded", () => {
    const body = COMMITTED.replace(AMOUNT.toString(), "1e30");
    expect(check([{ id: "rounded", body, isSigned: true }, ...DELIVERIES.slice(1)])).toHaveLength(
      2,
    );
  });

  it("the demo's checks of the webhooks notice a bad signature, and an attempt with other bytes", () => {
    const [first] = DELIVERIES;
    expect(checkSignatures([{ id: "x", body: TAGGED, isSigned: false }]).differences).toHaveLength(
      1,
    );
    expect(
      checkSignatures([...DELIVERIES, { id: first?.id ?? "", body: TAGGED, isSigned: true }])
        .differences,
    ).toHaveLength(1);
  });
});

describe("the demo's check of the copy", () => {
  const contents = { log: "{}\n{}\n", transactions: [ORDER], accounts: [] };

  it("the demo's check of the copy passes when the copy is the same, and names what is not", () => {
    expect(checkCopy(contents, { ...contents, transactions: [{ ...ORDER }] }).differences).toEqual(
      [],
    );
    const transactions = [{ ...ORDER, reverted: !ORDER.reverted }];
    expect(checkCopy(contents, { ...contents, log: "{}\n", transactions }).differences).toEqual([
      "the copy has other contents: log",
      "the copy has other contents: transactions",
    ]);
  });
});
