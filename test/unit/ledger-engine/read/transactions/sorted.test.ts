import { describe, expect, test } from "vitest";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import {
  at,
  BARE,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { idsOf, transactionPage } from "#test/support/ledger-engine/transaction-reads.ts";
import { walk } from "#test/support/ledger-engine/walks.ts";

const COLUMNS = {
  id: "integer",
  inserted_at: "date",
  timestamp: "date",
  updated_at: "date",
  reverted_at: "date",
} as const;

/** Options of `engine.execute`, which unlike `ledger.run` does not advance the clock, so that writes can have equal dates. */
const OPTIONS = { idempotencyKey: "", dryRun: false };

/** A ledger with sixty transactions at six times. Every third has an effective date, one of only two. */
function crowded(): TestLedger {
  const ledger = new TestLedger();
  for (let index = 0; index < 60; index++) {
    if (index % 10 === 0) ledger.tick();
    const own = index % 3 === 0 ? at(index % 2 === 0 ? "10:00:03" : "09:00") : undefined;
    const fields = own === undefined ? {} : { timestamp: own };
    const way = index % 4 === 0 ? "world -> a" : "world -> b";
    ledger.engine.execute(create(posting(way, 1), fields), OPTIONS);
  }
  ledger.tick();
  for (const id of [5, 6, 30, 60]) ledger.engine.execute(revert(id, { force: true }), OPTIONS);
  ledger.tick();
  for (const id of [1, 6, 17]) ledger.engine.execute(setMetadata(id, { k: "v" }), OPTIONS);
  return ledger;
}

const FILTERS: readonly (object | undefined)[] = [
  undefined,
  { $match: { destination: "a" } },
  { $not: { $match: { account: "a" } } },
  { $gte: { timestamp: "2026-03-01T10:00:03Z" } },
];

describe("a walk through transactions with equal dates", () => {
  const cases = Object.keys(COLUMNS).flatMap((column) =>
    FILTERS.flatMap((where) =>
      (["asc", "desc"] as const).map((order) => ({ column, where, order })),
    ),
  );

  test.each(cases)(
    "a walk through equal dates by $column $order with the filter $where gives each once, both ways, during writes",
    async ({ column, where, order }) => {
      const ledger = crowded();
      const atBegin = idsOf(ledger, { column, order, where });
      const known = new Set(atBegin);
      expect(known.size).toBe(atBegin.length);
      const filter = where === undefined ? {} : { where: stringifyJson(where) };
      let count = 0;
      const read = async (query: PageQuery) => {
        const page = ledger.engine.reads.listTransactions({ ...query, ...filter }, BARE);
        // New transactions have dates in the past, the present and the future.
        const date = [at("09:00"), undefined, at("10:00:03"), at("23:00")][count++ % 4];
        const fields = date === undefined ? {} : { timestamp: date };
        ledger.engine.execute(create(posting("world -> a", 1), fields), OPTIONS);
        return page;
      };
      const options = { columns: COLUMNS, column, order, pageSize: 7 };
      const { forward, backward } = await walk(read, options);
      const seen = forward.flat().map(({ id }) => id);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => known.has(id))).toEqual(atBegin);
      const back = backward
        .toReversed()
        .flat()
        .map(({ id }) => id);
      const lastPage = new Set(forward.at(-1)?.map(({ id }) => id));
      expect(new Set(back).size).toBe(back.length);
      expect(back.filter((id) => known.has(id))).toEqual(atBegin.filter((id) => !lastPage.has(id)));
    },
  );
});

describe("a list of transactions", () => {
  test("a list of transactions sorted by the date of the revert has those without a revert first, or last if descending", () => {
    const ledger = new TestLedger();
    for (let index = 0; index < 5; index++) ledger.commit(create(posting("world -> a", 1)));
    ledger.run(revert(4, { force: true }));
    ledger.run(revert(2, { force: true }));
    const column = "reverted_at";
    expect(idsOf(ledger, { column, order: "asc" })).toEqual([1, 3, 5, 6, 7, 4, 2]);
    expect(idsOf(ledger, { column, order: "desc" })).toEqual([2, 4, 7, 6, 5, 3, 1]);
  });

  test("a list of transactions goes on from any position that a cursor may name", () => {
    const ledger = crowded();
    const dates = ["0001-01-01T00:00:00Z", "2026-03-01T10:00:03Z", "9999-12-31T23:59:59.999999Z"];
    for (const column of ["timestamp", "updated_at", "reverted_at"]) {
      for (const order of ["asc", "desc"] as const) {
        const all = transactionPage(ledger, { column, order }).data;
        for (const [date, tie] of dates.flatMap((date) =>
          [-(2n ** 63n), 0n, 31n, 2n ** 63n - 1n].map((tie): [string, bigint] => [date, tie]),
        )) {
          const start = { value: toMicros(at(date)), tie };
          const expected = all
            .filter(({ id, ...row }) => {
              const none = fromMicros(toMicros(at("0001-01-01T00:00:00Z")));
              const own = { timestamp: row.timestamp, updated_at: row.updatedAt }[column];
              const value = toMicros(own ?? row.revertedAt ?? none);
              const place = value === start.value ? BigInt(id) - tie : value - start.value;
              return order === "asc" ? place >= 0n : place <= 0n;
            })
            .map(({ id }) => id);
          expect(idsOf(ledger, { column, order, start })).toEqual(expected);
        }
      }
    }
  });

  test("a list of transactions ends a page early if its transactions are large, and the next one goes on there", () => {
    const ledger = new TestLedger();
    const metadata = { k: "v".repeat(60_000) };
    for (let index = 0; index < 300; index++) {
      ledger.engine.execute(create(posting("world -> a", 1), { metadata }), OPTIONS);
    }
    const where = { $match: { destination: "a" } };
    const page = transactionPage(ledger, { where, column: "timestamp" });
    expect(page.hasMore).toBe(true);
    expect(page.data.length).toBeGreaterThan(100);
    expect(page.data.length).toBeLessThan(200);
    expect(page.data.at(-1)?.id).toBe(301 - page.data.length);
  });
});

test("a transaction that was changed at the date of its insertion is listed once by date of change", async () => {
  const ledger = new TestLedger();
  for (let id = 1; id <= 200; id++) {
    const metadata: Record<string, string> = id % 3 === 0 ? { k: "v" } : {};
    const commands = [create(posting("world -> a", 1), { metadata }), setMetadata(id, { x: "y" })];
    ledger.bulk(commands, { atomic: true });
  }
  const wanted = Array.from({ length: 66 }, (_, index) => 3 * (index + 1));
  const where = stringifyJson({ $match: { "metadata[k]": "v" } });
  for (const order of ["asc", "desc"] as const) {
    const options = { columns: COLUMNS, column: "updated_at", order, pageSize: 20 };
    const { forward } = await walk(
      async (page) => ledger.engine.reads.listTransactions({ ...page, where }, BARE),
      options,
    );
    const ids = forward.flat();
    expect(ids.map(({ id }) => id)).toEqual(order === "asc" ? wanted : wanted.toReversed());
  }
});
