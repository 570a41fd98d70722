import { describe, expect, test } from "vitest";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { Order } from "#platform/paging/query.ts";
import {
  at,
  create,
  deleteMetadata,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { walk } from "#test/support/ledger-engine/walks.ts";

/** A ledger with eleven entries and gaps in their ids. 1 to 5 have the same date, the others are a second apart. */
function ledgerWithLog(features: object = {}): TestLedger {
  const ledger = new TestLedger({ now: at("13:00"), features });
  ledger.bulk(
    [
      create(posting("world -> a", 10n ** 30n), { metadata: { note: "<é>" } }),
      create(posting("world -> b", 5), { timestamp: at("11:00"), reference: "r1" }),
      setMetadata(1, { k: "v" }),
      setMetadata("a", { k: "v" }),
      deleteMetadata("a", "k"),
    ],
    { atomic: true },
  );
  ledger.run(create(posting("world -> a", 1)), { dryRun: true });
  ledger.run(revert(2), { key: "k1" });
  for (const amount of [1, 2, 3]) ledger.run(create(posting("world -> c", amount)));
  ledger.run(create(posting("world -> c", 4)), { dryRun: true });
  ledger.run(setMetadata("c", {}));
  ledger.run(create(posting("world -> c", 5), { force: true }));
  return ledger;
}

const IDS = [1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13];

interface ListOptions {
  readonly where?: object;
  readonly column?: string;
  readonly order?: Order;
  readonly pageSize?: number;
}

const list = ({ engine }: TestLedger, options: ListOptions = {}): Page<LogListEntry> =>
  engine.reads.listLogs({
    kind: "column",
    column: options.column ?? "id",
    order: options.order ?? "desc",
    pageSize: options.pageSize ?? 100,
    reverse: false,
    ...(options.where === undefined ? {} : { where: JSON.stringify(options.where) }),
  });

const idsOf = (ledger: TestLedger, options: ListOptions = {}): number[] =>
  list(ledger, options).data.map(({ id }) => id);

describe("a list of log entries", () => {
  test("a list of log entries has all of them, in the same order by id and by date", () => {
    const ledger = ledgerWithLog();
    for (const column of ["id", "date"]) {
      expect(idsOf(ledger, { column })).toEqual(IDS.toReversed());
      expect(idsOf(ledger, { column, order: "asc" })).toEqual(IDS);
    }
    expect(idsOf(new TestLedger())).toEqual([]);
  });

  test.each(["id", "date"])(
    "a list of log entries is walked by %s, each entry once, in both directions",
    async (column) => {
      const ledger = ledgerWithLog();
      for (const order of ["asc", "desc"] as const) {
        for (const pageSize of [1, 2, 3, 11, 12]) {
          const { forward, backward } = await walk(
            async (query) => ledger.engine.reads.listLogs(query),
            { columns: { id: "integer", date: "date" }, column, order, pageSize },
          );
          const ids = forward.flat().map(({ id }) => id);
          expect(ids).toEqual(order === "asc" ? IDS : IDS.toReversed());
          const before = forward.slice(0, -1).flat();
          expect(backward.toReversed().flat()).toEqual(before);
        }
      }
    },
  );

  test("a list of log entries shows what was committed, and the hashes that only the row has", () => {
    const ledger = ledgerWithLog();
    const [entry] = list(ledger, { where: { $match: { id: 7 } } }).data;
    const logged = ledger.logs().find(({ id }) => id === 7);
    expect(entry).toEqual({
      ...logged,
      idempotencyHash: expect.stringMatching(/^[\w-]{43}=$/) as string,
      hash: expect.stringMatching(/^[\w+/]{43}=$/) as string,
    });
    expect(entry?.idempotencyKey).toBe("k1");
  });

  test("a list of log entries shows the same hash of the inputs, whether it is stored or follows from the entry", () => {
    const hashes = (key: string) => {
      const ledger = new TestLedger();
      const commands = [
        create(posting("world -> a", 5), { metadata: { k: "v" }, reference: "r" }),
        create([posting("world -> a", 5), posting("a -> b", 1)], { timestamp: at("08:00") }),
        create(posting("world -> a", 5), { accountMetadata: { a: { k: "v" } } }),
        create(posting("world -> a", 5), { accountMetadata: {} }),
        revert(1, { metadata: { why: "w" } }),
        revert(2, { force: true }),
        setMetadata("a", { k: "v" }),
        setMetadata(1, {}),
        deleteMetadata("a", "k"),
      ];
      for (const [index, command] of commands.entries()) {
        ledger.run(command, { key: key && `${key}${index}` });
      }
      return list(ledger).data.map(({ idempotencyHash }) => idempotencyHash);
    };
    expect(hashes("")).toEqual(hashes("k"));
    expect(new Set(hashes("")).size).toBe(9);
  });

  test.each(["ASYNC", "DISABLED"])(
    "a list of log entries has empty hashes where they are %s",
    (value) => {
      const { data } = list(ledgerWithLog({ HASH_LOGS: value }));
      expect(data.map(({ hash }) => hash)).toEqual(IDS.map(() => ""));
    },
  );

  test("a list of log entries ends a page early rather than holding too much, and the next one goes on there", async () => {
    const ledger = new TestLedger();
    const count = 300;
    const metadata = { k: "x".repeat(65_000) };
    for (let index = 0; index < count; index++) {
      ledger.run(index % 2 === 0 ? setMetadata("a", metadata) : create(posting("world -> a", 1)));
    }
    const { forward } = await walk(async (query) => ledger.engine.reads.listLogs(query), {
      columns: { id: "integer" },
      column: "id",
      order: "asc",
      pageSize: 1000,
    });
    expect(forward[0]?.length).toBeLessThan(count);
    expect(forward[0]?.length).toBeGreaterThan(200);
    expect(forward.flat()).toHaveLength(count);
  });
});

describe("a filter of log entries", () => {
  const ledger = ledgerWithLog();
  const dateOf = (id: number) => ledger.logs().find((entry) => entry.id === id)?.date;
  const type = (name: string) => ({ $match: { type: name } });

  test.each<[string, object, number[]]>([
    ["$match", { $match: { id: 7 } }, [7]],
    ["$match of a gap", { $match: { id: 6 } }, []],
    ["$gte", { $gte: { id: 7 } }, [7, 8, 9, 10, 12, 13]],
    ["$gt", { $gt: { id: 7 } }, [8, 9, 10, 12, 13]],
    ["$lt", { $lt: { id: 3 } }, [1, 2]],
    ["$lte", { $lte: { id: 3 } }, [1, 2, 3]],
    ["a negative id", { $gt: { id: -5 } }, IDS],
    ["no id at all", { $lte: { id: -1 } }, []],
    ["two ranges", { $or: [{ $lt: { id: 2 } }, { $gt: { id: 10 } }] }, [1, 12, 13]],
    ["a negation", { $not: { $or: [{ $lt: { id: 4 } }, { $gt: { id: 8 } }] } }, [4, 5, 7, 8]],
    ["an empty list", { $or: [] }, IDS],
  ])("a filter of log entries may be by id: %s", (_, where, ids) => {
    expect(idsOf(ledger, { where, order: "asc" })).toEqual(ids);
    expect(idsOf(ledger, { where, pageSize: 2 })).toEqual(ids.toReversed().slice(0, 2));
  });

  test("a filter of log entries by id takes integers of any size", () => {
    const where = (text: string) => ({ where: text, kind: "column" as const, column: "id" });
    const read = (text: string) =>
      ledger.engine.reads
        .listLogs({ ...where(text), order: "asc", pageSize: 100, reverse: false })
        .data.map(({ id }) => id);
    expect(read(`{"$lt":{"id":${10n ** 30n}}}`)).toEqual(IDS);
    expect(read(`{"$match":{"id":${10n ** 30n}}}`)).toEqual([]);
    expect(read(`{"$not":{"$match":{"id":${2n ** 64n}}}}`)).toEqual(IDS);
    expect(read(`{"$gte":{"id":${-(10n ** 30n)}}}`)).toEqual(IDS);
  });

  test("a filter of log entries by date is exact to the microsecond, also where entries have the same", () => {
    const first = dateOf(1);
    expect(dateOf(5)).toBe(first);
    const ids = (where: object) => idsOf(ledger, { where, order: "asc" });
    expect(ids({ $match: { date: first } })).toEqual([1, 2, 3, 4, 5]);
    expect(ids({ $gt: { date: first } })).toEqual([7, 8, 9, 10, 12, 13]);
    expect(ids({ $lt: { date: first } })).toEqual([]);
    expect(ids({ $lte: { date: dateOf(7) } })).toEqual([1, 2, 3, 4, 5, 7]);
    expect(ids({ $match: { date: "2026-03-01T13:00:01.000001Z" } })).toEqual([]);
    expect(ids({ $match: { date: "2026-03-01T17:00:01+04:00" } })).toEqual([1, 2, 3, 4, 5]);
    expect(ids({ $gte: { date: "0001-01-01T00:00:00Z" } })).toEqual(IDS);
    expect(ids({ $lt: { date: "9999-12-31T23:59:59.999999Z" } })).toEqual(IDS);
  });

  test.each<[string, object, number[]]>([
    ["transactions", type("NEW_TRANSACTION"), [1, 2, 8, 9, 10, 13]],
    ["reverts", type("REVERTED_TRANSACTION"), [7]],
    ["metadata", type("SET_METADATA"), [3, 4, 12]],
    ["schemas, which there are none of", type("INSERTED_SCHEMA"), []],
    [
      "two types",
      { $in: { type: ["DELETE_METADATA", "NEW_TRANSACTION"] } },
      [1, 2, 5, 8, 9, 10, 13],
    ],
    ["all but one", { $not: type("NEW_TRANSACTION") }, [3, 4, 5, 7, 12]],
    ["a pattern", { $like: { type: "%_METADATA" } }, [3, 4, 5, 12]],
    ["a type and ids", { $and: [type("SET_METADATA"), { $gt: { id: 3 } }] }, [4, 12]],
    ["a type or an id", { $or: [type("SET_METADATA"), { $match: { id: 8 } }] }, [3, 4, 8, 12]],
    [
      "a type within ids",
      { $and: [{ $gte: { id: 2 } }, { $lt: { id: 10 } }, type("NEW_TRANSACTION")] },
      [2, 8, 9],
    ],
  ])("a filter of log entries may be by type: %s", (_, where, ids) => {
    expect(idsOf(ledger, { where, order: "asc" })).toEqual(ids);
    expect(idsOf(ledger, { where })).toEqual(ids.toReversed());
    expect(idsOf(ledger, { where, column: "date", pageSize: 2 })).toEqual(
      ids.toReversed().slice(0, 2),
    );
  });

  test("a filter of log entries stays with its walk", async () => {
    const where = JSON.stringify({ $not: type("SET_METADATA") });
    const { forward, backward } = await walk(
      async (query) => ledger.engine.reads.listLogs({ ...query, where }),
      { columns: { id: "integer", date: "date" }, column: "date", order: "desc", pageSize: 3 },
    );
    const pages = forward.map((page) => page.map(({ id }) => id));
    expect(pages).toEqual([
      [13, 10, 9],
      [8, 7, 5],
      [2, 1],
    ]);
    expect(backward).toEqual(forward.slice(0, -1).toReversed());
  });

  test.each([{ $match: { nope: 1 } }, { $match: { id: "x" } }, { $match: { type: "NOPE" } }])(
    "a filter of log entries is refused where it is no filter of log entries: %j",
    (where) => {
      expect(refusalOf(() => list(ledger, { where }))).toBe("VALIDATION");
    },
  );

  test("a filter of log entries finds transactions after very many other entries", () => {
    const ledger = new TestLedger();
    ledger.run(create(posting("world -> a", 1)));
    ledger.bulk(Array.from({ length: 3000 }, (_, index) => setMetadata("a", { k: `${index}` })));
    ledger.run(revert(1));
    expect(idsOf(ledger, { where: type("NEW_TRANSACTION") })).toEqual([1]);
    expect(idsOf(ledger, { where: type("REVERTED_TRANSACTION") })).toEqual([3002]);
    const where = { $and: [type("NEW_TRANSACTION"), { $gt: { id: 1 } }] };
    expect(idsOf(ledger, { where })).toEqual([]);
  });
});
