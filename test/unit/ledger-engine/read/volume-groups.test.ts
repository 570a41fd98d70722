import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groupOf, GroupWalk } from "#ledger-engine/read/volumes/volume-groups.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import {
  DATED_ROWS,
  datedVolumes,
  volumeRows,
  type VolumesWanted,
  walkVolumes,
} from "#test/support/ledger-engine/volume-reads.ts";
import { runsOf } from "#test/support/runner/runs.ts";

describe("groups of accounts", () => {
  const grouped = (groupBy: number, wanted: VolumesWanted = {}) =>
    volumeRows(datedVolumes(), { ...wanted, options: { insertionDate: false, groupBy } });

  test("groups of accounts are cut to their first segments, and summed by asset", () => {
    expect(grouped(1)).toEqual([
      "account EUR 7/0",
      "account USD 170/30",
      "bank USD 10/0",
      "world EUR 0/7",
      "world USD 0/150",
    ]);
    for (const groupBy of [0, -1, 2, 9, 9_999_999_999])
      expect(grouped(groupBy)).toEqual(DATED_ROWS);
  });

  test("groups of accounts include only accounts that match, and only a period", () => {
    expect(grouped(1, { to: "2025-01-01T12:00:00Z" })).toEqual([
      "account USD 170/20",
      "world USD 0/150",
    ]);
    expect(grouped(1, { where: { $match: { account: "account:user2" } } })).toEqual([
      "account USD 50/20",
    ]);
    expect(grouped(1, { where: { $match: { "metadata[vip]": "yes" } } })).toEqual([
      "account EUR 7/0",
      "account USD 120/10",
    ]);
    expect(grouped(1, { where: { $gt: { "balance[USD]": 50 } } })).toEqual(["account USD 120/10"]);
    expect(grouped(1, { where: { $gt: { "balance[USD]": 500 } } })).toEqual([]);
  });

  test.each([1, 2])(
    "groups of accounts of %i segments stand in byte order, though their accounts do not",
    (groupBy) => {
      const ledger = new TestLedger();
      const addresses = [
        "users",
        "users-x",
        "users-x:1",
        "users1:a",
        "users:1",
        "users:1-x:2",
        "users:1:2",
        "a:b:c",
      ];
      ledger.commit(create(addresses.map((address) => posting(`world -> ${address}`, 1))));
      const options = { insertionDate: false, groupBy };
      const expected =
        groupBy === 1
          ? ["a 1", "users 4", "users-x 2", "users1 1"]
          : [
              "a:b 1",
              "users 1",
              "users-x 1",
              "users-x:1 1",
              "users1:a 1",
              "users:1 2",
              "users:1-x 1",
            ];
      const texts = (wanted: VolumesWanted) =>
        volumeRows(ledger, { ...wanted, options })
          .filter((row) => !row.startsWith("world"))
          .map((row) => row.replace(" USD", "").replace("/0", ""));
      expect(texts({})).toEqual(expected);
      expect(texts({ order: "desc" })).toEqual(expected.toReversed());
    },
  );

  const segment = fc.constantFrom(
    "a",
    "a-",
    "a1",
    "a-1",
    "aa",
    "b",
    "A",
    "0",
    "-",
    "_",
    "a0",
    "a--",
  );
  const address = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(":"));

  const addresses = fc.uniqueArray(address, { minLength: 1, maxLength: 60, size: "max" });

  test("groups of accounts are walked in order, a few addresses at a time, from any group on", () => {
    fc.assert(
      fc.property(
        fc.record({
          addresses,
          segments: fc.integer({ min: 1, max: 4 }),
          order: fc.constantFrom("asc" as const, "desc" as const),
          start: fc.option(address, { nil: undefined }),
          size: fc.integer({ min: 1, max: 5 }),
        }),
        ({ addresses, segments, order, start, size }) => {
          const ledger = new TestLedger();
          ledger.commit(
            create(
              addresses.map((it) => posting(`${it} -> ${it}`, 0)),
              { force: true },
            ),
          );
          const first = start === undefined ? undefined : groupOf(start, segments);
          const isBehind = (name: string): boolean =>
            first === undefined || (order === "asc" ? name >= first : name <= first);
          const all = [...new Set(addresses.map((it) => groupOf(it, segments)))]
            .filter(isBehind)
            .toSorted();
          const walk = new GroupWalk(ledger.sql, {
            segments,
            order,
            start: first,
            path: undefined,
          });
          const found: string[] = [];
          for (let next = walk.next(size); next.length > 0; next = walk.next(size)) {
            found.push(...next);
          }
          // A walk may also return groups without accounts, at their places in the order.
          expect(found).toEqual(order === "asc" ? found.toSorted() : found.toSorted().toReversed());
          expect(new Set(found).size).toBe(found.length);
          const known = new Set(all);
          expect(found.filter((name) => known.has(name)).toSorted()).toEqual(all);
        },
      ),
      { numRuns: runsOf(300) },
    );
  });

  test("groups of accounts are those of a naive reader, page by page, for hostile names", () => {
    fc.assert(
      fc.property(
        fc.record({
          addresses,
          groupBy: fc.integer({ min: 1, max: 4 }),
          order: fc.constantFrom("asc" as const, "desc" as const),
          pageSize: fc.integer({ min: 1, max: 7 }),
          pattern: fc.option(
            fc.constantFrom("a:...", "a:", "a:b:...", "a1:a", "a-:...", ":a", "aa::..."),
          ),
        }),
        ({ addresses, groupBy, order, pageSize, pattern }) => {
          const ledger = new TestLedger();
          ledger.commit(
            create(
              addresses.map((it, index) => posting(`${it} -> ${it}`, index + 1)),
              { force: true },
            ),
          );
          const wanted = pattern === null ? {} : { where: { $match: { account: pattern } } };
          const sums = new Map<string, number>();
          for (const row of volumeRows(ledger, wanted)) {
            const [name = "", , amounts = ""] = row.split(" ");
            const group = name.split(":").slice(0, groupBy).join(":");
            sums.set(group, (sums.get(group) ?? 0) + Number(amounts.split("/")[0]));
          }
          const sorted = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
          const expected = (order === "asc" ? sorted : sorted.toReversed()).map(
            ([group, sum]) => `${group} USD ${sum}/${sum}`,
          );
          const options = { insertionDate: false, groupBy };
          const { forward, backward } = walkVolumes(ledger, {
            ...wanted,
            options,
            order,
            pageSize,
          });
          expect(forward.flat()).toEqual(expected);
          expect(backward.toReversed()).toEqual(forward.slice(0, -1));
        },
      ),
      { numRuns: runsOf(300) },
    );
  });

  test.each([
    ["a", 1, "a"],
    ["a:b", 1, "a"],
    ["a:b:c", 2, "a:b"],
    ["a:b", 2, "a:b"],
    ["a", 3, "a"],
  ])("the account %s in %i segments is of the group %s", (name, segments, group) => {
    expect(groupOf(name, segments)).toBe(group);
  });
});
