import { describe, expect, test } from "vitest";
import { ALL_IDS, type IdRange } from "#ledger-engine/read/scan/id-scan.ts";
import { mergeStreams } from "#ledger-engine/read/scan/merge.ts";
import { MovesByRole } from "#ledger-engine/read/transactions/moves-by-role.ts";
import { textBelow } from "#platform/filter/text-ranges.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

const ORDERS = ["asc", "desc"] as const;

describe("the moves of an account on one side", () => {
  const SIZE = 5000;
  /** The ids of transactions in which the account sends: far apart, adjacent, at either end, and also with an amount of zero. */
  const sent = new Set([1, 2, 700, 701, 702, 705, 2500, 4000, 4998, SIZE]);
  const zeroAmount = new Set([2, 1500, 1501, 2500, 4997]);
  const both = new Set([701, 3000]);

  function filled(): Sql {
    const ledger = new TestLedger();
    for (let from = 1; from <= SIZE; from += 1000) {
      ledger.bulk(
        Array.from({ length: 1000 }, (_, index) => {
          const id = from + index;
          const amount = zeroAmount.has(id) ? 0 : 10n ** 15n * BigInt(id);
          const postings = [
            ...(both.has(id) || !sent.has(id) ? [posting("world -> a", amount)] : []),
            ...(both.has(id) || sent.has(id) ? [posting("a -> world", amount)] : []),
            ...(id === 1500 ? [posting("a -> world", 0)] : []),
          ];
          return create(postings, { force: true });
        }),
      );
    }
    return ledger.sql;
  }

  const sql = filled();
  const [row] = sql.all<{ id: number }>("SELECT id FROM account WHERE address = 'a'");
  const pair = { account: row?.id ?? 0, asset: 1 };
  const rising = [...new Set([...sent, ...both, 1500])].toSorted((a, b) => a - b);
  const spans: IdRange[] = [
    ALL_IDS,
    { from: 3, to: 699 },
    { from: 702, to: 4000 },
    { from: 703, to: 3999 },
    { from: 2500, to: 2500 },
    { from: 4001, to: 4997 },
    { from: 4999, to: ALL_IDS.to },
    { from: 10, to: 5 },
  ];

  test.each(ORDERS)(
    "the moves of an account on one side are found among thousands on the other side, %s",
    (order) => {
      for (const range of spans) {
        const within = rising.filter((id) => id >= range.from && id <= range.to);
        const expected = order === "asc" ? within : within.toReversed();
        const moves = new MovesByRole(sql, pair, "source");
        for (const batch of [1, 16, 5000]) {
          expect([...moves.iterate({ range, order, batch })]).toEqual(expected);
        }
      }
    },
  );

  test.each(ORDERS)(
    "the moves of an account on one side are nearly all moves if the other side is rare, %s",
    (order) => {
      const only = new Set(rising.filter((id) => !both.has(id) && id !== 1500));
      const all = Array.from({ length: SIZE }, (_, index) => index + 1).filter(
        (id) => !only.has(id),
      );
      const moves = new MovesByRole(sql, pair, "destination");
      expect([...moves.iterate({ range: ALL_IDS, order, batch: 16 })]).toEqual(
        order === "asc" ? all : all.toReversed(),
      );
    },
  );

  test("the moves of an account on one side are none for an account that never plays the role", () => {
    const fresh = new NodeSql();
    const ledger = new TestLedger({ sql: fresh });
    ledger.bulk(Array.from({ length: 200 }, () => create(posting("world -> b", 1))));
    const [{ id } = { id: 0 }] = fresh.all<{ id: number }>(
      "SELECT id FROM account WHERE address = 'b'",
    );
    const moves = new MovesByRole(fresh, { account: id, asset: 1 }, "source");
    for (const order of ORDERS) {
      expect([...moves.iterate({ range: ALL_IDS, order, batch: 1 })]).toEqual([]);
    }
  });
});

describe("merged streams", () => {
  const rising = (a: number, b: number): number => a - b;

  test("merged streams give all items in order, equal ones together", () => {
    const lists = [[1, 4, 9], [], [2, 2, 4, 10], [0], [4, 5, 6, 7, 8]];
    const streams = lists.map((list) => ({ items: list.values() }));
    expect([...mergeStreams(streams, rising)]).toEqual(lists.flat().toSorted(rising));
    expect([...mergeStreams([], rising)]).toEqual([]);
  });

  test("merged streams are not read before their turn if a hint says where they start", () => {
    const read: string[] = [];
    function* items(name: string, list: readonly number[]): Generator<number> {
      read.push(name);
      yield* list;
    }
    const merged = mergeStreams(
      [
        { items: items("far", [7, 8]), hint: 6 },
        { items: items("near", [1, 5]), hint: 0 },
        { items: items("nothing", []), hint: 4 },
      ],
      rising,
    );
    expect(merged.next().value).toBe(1);
    expect(read).toEqual(["near"]);
    expect([...merged]).toEqual([5, 7, 8]);
    expect(read).toEqual(["near", "nothing", "far"]);
  });
});

describe("the first text after all texts with a prefix", () => {
  test.each([
    ["a", "b"],
    ["users:1", "users:2"],
    ["az\u{10ffff}", "a{"],
    ["\ud7ff", "\ue000"],
    ["é", "ê"],
    ["😀", "😁"],
    ["", undefined],
    ["\u{10ffff}\u{10ffff}", undefined],
  ])("the first text after all texts with the prefix %j is %j", (prefix, below) => {
    expect(textBelow(prefix)).toBe(below);
  });
});
