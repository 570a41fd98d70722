import { describe, expect, test } from "vitest";
import { type Steps, toEnd } from "#ledger-engine/read/scan/steps.ts";
import type { BalancesQuery } from "#ledger-engine/rules/reads.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { copiesOf } from "#test/support/ledger-engine/copies.ts";
import {
  ALL,
  at,
  create,
  posting,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

const REGIONS = 10;
const USERS = 250;

/** A ledger of 2,500 users in ten regions. Their money came at ten o'clock, and left in part at noon. */
const regions = copiesOf((sql) => {
  const ledger = new TestLedger({ sql, now: at("13:00") });
  const users = Array.from(
    { length: REGIONS * USERS },
    (_, index) => `users:${index % REGIONS}:${index}`,
  );
  ledger.bulk(
    users.map((user, index) =>
      create(posting(`world -> ${user}`, index + 1), { timestamp: at("10:00") }),
    ),
  );
  ledger.bulk(
    users.map((user, index) =>
      create(posting(`${user} -> shop`, index % 7), { timestamp: at("12:00") }),
    ),
  );
  return ledger;
});

const volumes = (fields: Partial<PageQuery> & { groupBy?: number; insertionDate?: boolean }) => {
  const { groupBy = 0, insertionDate = false, ...rest } = fields;
  const options = { groupBy, insertionDate };
  return { ...ALL, column: "account", options, ...rest } as PageQuery; // `ALL` with a column is a column query
};

const balances = (query: Partial<BalancesQuery>): BalancesQuery => ({
  useInsertionDate: false,
  ...query,
});

/** Takes all steps of a read, and calls `between` between two of them. Returns the result, and the number of calls. */
function interrupted<T>(steps: Steps<T>, between: () => unknown) {
  for (let count = 0; ; count++) {
    const next = steps.next();
    if (next.done === true) return { result: next.value, count };
    between();
  }
}

const USERS_ONLY = JSON.stringify({ $match: { address: "users::" } });
const SCATTERED = JSON.stringify({
  $or: Array.from({ length: REGIONS }, (_, region) => ({
    $match: { address: `users:${region}:` },
  })),
});

/** Writes that a read of an earlier time must not show: to known accounts, a new account, a new asset, and metadata. */
function write(ledger: TestLedger, count: number): void {
  ledger.commit(create([posting("world -> users:3:3", 1_000_000), posting("world -> shop", 5)]));
  ledger.commit(create(posting(`world -> new:${count}`, 5, count === 3 ? "EUR" : "USD")));
  ledger.run(setMetadata("users:4:4", { count: `${count}` }));
}

describe("volumes that are read in steps", () => {
  test.each([
    {},
    { order: "desc" },
    { groupBy: 1 },
    { groupBy: 2, order: "desc" },
    { groupBy: 3 },
    { where: USERS_ONLY },
    { where: SCATTERED },
    { where: SCATTERED, order: "desc" },
    { where: SCATTERED, groupBy: 2 },
    { where: JSON.stringify({ $gt: { "balance[USD]": 2400 } }) },
    { pit: at("11:00"), groupBy: 1 },
    { oot: at("11:00"), pit: at("12:30") },
    { pit: at("13:00"), insertionDate: true, groupBy: 2 },
    { oot: at("13:00"), insertionDate: true },
  ] as const)("volumes read in steps are those of the moment of the first step: %j", (fields) => {
    const ledger = regions();
    const { reads } = ledger.engine;
    const query = volumes(fields);
    const expected = reads.listVolumes(query);
    ledger.now = at("14:00");
    let writes = 0;
    const { result, count } = interrupted(reads.inSteps.listVolumes(query), () =>
      write(ledger, writes++),
    );
    expect(count).toBeGreaterThan(3);
    expect(result).toEqual(expected);
  });

  test("volumes read in steps begin again where a transaction with an earlier date came in between", () => {
    const ledger = regions();
    const { reads } = ledger.engine;
    const query = volumes({ pit: at("11:00"), groupBy: 1 });
    let writes = 0;
    const { result } = interrupted(reads.inSteps.listVolumes(query), () => {
      const timestamp = at(writes++ === 2 ? "10:30" : "11:30");
      ledger.commit(create(posting("world -> users:0:0", 1), { timestamp }));
    });
    expect(writes).toBeGreaterThan(6);
    expect(result).toEqual(reads.listVolumes(query));
  });

  test("volumes read in steps are read in one turn in the end, where such transactions come all the time", () => {
    const ledger = regions();
    const { reads } = ledger.engine;
    const query = volumes({ pit: at("11:00"), groupBy: 1 });
    const { result, count } = interrupted(reads.inSteps.listVolumes(query), () =>
      ledger.commit(create(posting("world -> users:0:0", 1), { timestamp: at("10:30") })),
    );
    expect(count).toBe(3);
    expect(result).toEqual(reads.listVolumes(query));
  });

  test.each(["volumes", "balances"])(
    "volumes read in steps of a filter on metadata begin again where some was written in between: %s",
    (what) => {
      const ledger = regions();
      const { reads } = ledger.engine;
      const where = JSON.stringify({ $not: { $match: { "metadata[tier]": "gold" } } });
      const [start, whole] =
        what === "volumes"
          ? [
              () => reads.inSteps.listVolumes(volumes({ where, groupBy: 1 })),
              () => reads.listVolumes(volumes({ where, groupBy: 1 })),
            ]
          : [
              () => reads.inSteps.aggregateBalances(balances({ where })),
              () => reads.aggregateBalances(balances({ where })),
            ];
      const before = whole();
      let writes = 0;
      const pay = () => ledger.commit(create(posting("world -> users:0:0", ++writes)));
      const undisturbed = interrupted<unknown>(start(), pay);
      expect(undisturbed.count).toBeGreaterThan(3);
      expect(undisturbed.result).toEqual(before);
      const began = writes;
      const tagged = interrupted<unknown>(start(), () => {
        if (writes++ === began + 2) ledger.run(setMetadata("users:9:9", { tier: "gold" }));
      });
      expect(tagged.result).toEqual(whole());
      const always = interrupted<unknown>(start(), () =>
        ledger.run(setMetadata("users:8:8", { tier: writes++ % 2 === 0 ? "gold" : "tin" })),
      );
      expect(always.count).toBe(3);
      expect(always.result).toEqual(whole());
    },
  );

  test("volumes read in steps of a filter on dates of accounts are read in one turn", () => {
    const { inSteps } = regions().engine.reads;
    const where = JSON.stringify({ $lte: { first_usage: at("10:00") } });
    expect(inSteps.listVolumes(volumes({ where })).next().done).toBe(true);
  });

  test("volumes read in steps refuse what the read in one turn refuses", () => {
    const { reads } = new TestLedger({ features: { MOVES_HISTORY: "OFF" } }).engine;
    const query = volumes({ pit: at("11:00") });
    expect(() => toEnd(reads.inSteps.listVolumes(query))).toThrow(/MOVES_HISTORY/);
    const where = JSON.stringify({ $match: { color: "red" } });
    expect(() => toEnd(reads.inSteps.listVolumes(volumes({ where })))).toThrow(/color/);
  });
});

describe("balances that are summed in steps", () => {
  test.each([
    { where: USERS_ONLY },
    { where: SCATTERED },
    { where: USERS_ONLY, pit: at("11:00") },
    { where: USERS_ONLY, pit: at("13:00"), useInsertionDate: true },
  ])("balances summed in steps are those of the moment of the first step: %j", (fields) => {
    const ledger = regions();
    const { reads } = ledger.engine;
    const query = balances(fields);
    // The expected sums come from another ledger with the same books, because a second read of a ledger has kept sums and takes
    // no steps.
    const expected = regions().engine.reads.aggregateBalances(query);
    ledger.now = at("14:00");
    let writes = 0;
    const { result, count } = interrupted(reads.inSteps.aggregateBalances(query), () =>
      write(ledger, writes++),
    );
    expect(count).toBeGreaterThan(3);
    expect(result).toEqual(expected);
  });

  test("balances summed in steps begin again where a transaction with an earlier date came in between", () => {
    const ledger = regions();
    const { reads } = ledger.engine;
    const query = balances({ where: USERS_ONLY, pit: at("11:00") });
    let writes = 0;
    const { result } = interrupted(reads.inSteps.aggregateBalances(query), () => {
      if (writes++ === 2)
        ledger.commit(create(posting("world -> users:0:0", 1), { timestamp: at("10:30") }));
    });
    expect(result).toEqual(reads.aggregateBalances(query));
  });
});
