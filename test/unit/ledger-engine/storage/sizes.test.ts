import { describe, expect, test } from "vitest";
import { decodeCursor } from "#platform/paging/cursor.ts";
import {
  BARE,
  create,
  deleteMetadata,
  element,
  EXPANDED,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

/** Postings from `world` to `count` accounts. */
const many = (count: number, { amount = 1n, prefix = "u" } = {}) =>
  Array.from({ length: count }, (_, index) => posting(`world -> ${prefix}:${index}`, amount));

describe("sizes", () => {
  test("a bulk whose answer would be too large keeps nothing, and the ledger goes on", () => {
    const ledger = new TestLedger();
    const prefix = "users".repeat(20);
    const elements = Array.from({ length: 100 }, () => element(create(many(300, { prefix }))));
    const options = { atomic: false, continueOnFailure: false };
    expect(refusalOf(() => ledger.engine.executeBulk(elements, options))).toBe(
      "BULK_SIZE_EXCEEDED",
    );
    expect(ledger.logs()).toEqual([]);
    const [result] = ledger.engine.executeBulk(elements.slice(99), options);
    expect(result?.ok).toBe(true);
  });

  test("a revert is refused when volumes have outgrown its event", () => {
    const ledger = new TestLedger();
    ledger.run(create(many(700)));
    expect(refusalOf(() => ledger.run(revert(1), { dryRun: true }))).toBe("none");
    const large = many(700, { amount: 10n ** 900n });
    for (let start = 0; start < 700; start += 50) {
      ledger.run(create(large.slice(start, start + 50)));
    }
    expect(refusalOf(() => ledger.run(revert(1)))).toBe("VALIDATION");
  });

  test("a page with many postings ends early, and the walk goes on", () => {
    const ledger = new TestLedger();
    for (let round = 0; round < 16; round++) ledger.run(create(many(700)));
    const page = ledger.engine.reads.listTransactions(
      { kind: "column", column: "id", order: "asc", pageSize: 1000, reverse: false },
      EXPANDED,
    );
    expect(page.data.length).toBe(14);
    expect(page).toMatchObject({ hasMore: true, pageSize: 1000 });
  });
});

test("pages with much metadata end early, and walks go on", () => {
  const ledger = new TestLedger();
  const metadata = { k: "x".repeat(65_000) };
  for (let index = 0; index < 150; index++) {
    ledger.run(create(posting("world -> a", 1), { metadata }));
    ledger.run(setMetadata(`users:${index}`, metadata));
  }
  const query = { column: "id", order: "asc", pageSize: 1000, reverse: false } as const;
  const transactions = ledger.engine.reads.listTransactions({ ...query, kind: "column" }, EXPANDED);
  expect(transactions).toMatchObject({ hasMore: true });
  expect(transactions.data.length).toBeLessThan(130);
  const byAddress = { ...query, column: "address" };
  for (const place of [{ kind: "column" as const }, { kind: "offset" as const, offset: 0 }]) {
    const accounts = ledger.engine.reads.listAccounts({ ...byAddress, ...place }, BARE);
    expect(accounts).toMatchObject({ hasMore: true });
    const rules = { columns: { address: "text" as const }, pageSizeMax: 1000 };
    const rest = ledger.engine.reads.listAccounts(decodeCursor(accounts.next ?? "", rules), BARE);
    const addresses = [...accounts.data, ...rest.data].map(({ address }) => address);
    expect(new Set(addresses).size).toBe(152);
    expect(addresses).toHaveLength(152);
  }
});

test("a bulk of replays counts the metadata that it would answer", () => {
  const ledger = new TestLedger();
  ledger.run(create(posting("world -> a", 1), { metadata: { k: "x".repeat(65_000) } }), {
    key: "k",
  });
  const { metadata } = ledger.transaction(1);
  const again = create(posting("world -> a", 1), { metadata });
  const elements = Array.from({ length: 300 }, () => element(again, "k"));
  const options = { atomic: false, continueOnFailure: false };
  expect(refusalOf(() => ledger.engine.executeBulk(elements, options))).toBe("BULK_SIZE_EXCEEDED");
});

test("the deletion of a key that is too long to be logged is refused, even if no such key exists", () => {
  const ledger = new TestLedger();
  const key = "k".repeat(70_000);
  expect(refusalOf(() => ledger.run(deleteMetadata("a", key)))).toBe("VALIDATION");
  expect(ledger.logs()).toEqual([]);
});

test("a replay without effective volumes shows none either", () => {
  const features = { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" } as const;
  const ledger = new TestLedger({ features });
  const command = create(posting("world -> a", 5));
  const first = ledger.run(command, { key: "k" });
  expect(first.transaction).not.toHaveProperty("effectiveVolumes");
  expect(ledger.run(command, { key: "k" })).toEqual({ ...first, isReplay: true });
});
