import { asc, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FILTER_PARAMETERS_MAX, toCondition } from "#platform/db/filter-sql.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";
import {
  type FilterJson,
  isNaiveMatch,
  type NaiveRow,
} from "#test/support/platform/naive-filter.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { insertThing, THING_KEYS, THINGS_SQL, things } from "#test/support/platform/things.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** A table of things, and the ids of those that a filter matches by SQL. */
class Things {
  readonly #d1 = new NodeD1();

  constructor(rows: readonly NaiveRow[] = []) {
    this.#d1.exec(THINGS_SQL);
    this.fill(rows);
  }

  fill(rows: readonly NaiveRow[]): void {
    this.#d1.exec("DELETE FROM things");
    for (const [id, row] of rows.entries()) {
      const { text, params } = insertThing(id, row);
      this.#d1.rows(text, ...params);
    }
  }

  async matching(filter: FilterJson): Promise<number[]> {
    const found = await this.#d1.db
      .select({ id: things.id })
      .from(things)
      .where(toCondition(THING_KEYS, stringifyJson(filter)))
      .orderBy(asc(things.id));
    return found.map(({ id }) => id);
  }
}

const DATES = new Set(["made_at"]);
const expected = (filter: FilterJson, rows: readonly NaiveRow[]): number[] =>
  [...rows.entries()].filter(([, row]) => isNaiveMatch(filter, row, DATES)).map(([id]) => id);

function refusalOf(filter: unknown): string {
  try {
    toCondition(THING_KEYS, stringifyJson(filter));
  } catch (error) {
    if (error instanceof AppError && error.kind === "VALIDATION") return error.message;
    throw error;
  }
  throw new Error(`accepted: ${stringifyJson(filter)}`);
}

const rendered = (filter: unknown) => {
  const condition = toCondition(THING_KEYS, stringifyJson(filter));
  return new SQLiteSyncDialect().sqlToQuery(condition ?? sql``);
};

const LETTERS = ["a", "b", "B", "%", "_", "\\", "*", "?", "[", "]", "^", "-", "é", "😀", "'", '"'];
const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 5 });
const pattern = fc.string({
  unit: fc.constantFrom("%", "%", "_", "a", "b", "\\", "[", "]", "*", "😀"),
  maxLength: 7,
});
const state = fc.constantFrom("OPEN", "PAID", "FAILED");
const small = fc.bigInt(-12n, 12n);
const amount = fc.oneof(small, fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.constantFrom(99n, 100n));
const count = fc.oneof(small, fc.constantFrom(BigInt(Number.MAX_SAFE_INTEGER)));
const date = fc.integer({ min: 0, max: 3 }).map((ms) => fromMillis(ms));
const name = fc.constantFrom(
  "k",
  "K",
  "_",
  'a"b',
  "$.x",
  "__proto__",
  "x]y[",
  "é\n",
  "constructor",
  "'",
);
/** Maps of texts. `fromEntries` defines `__proto__` as an own member. */
const map = fc
  .array(fc.tuple(name, text), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));

const row: fc.Arbitrary<NaiveRow> = fc.record({
  name: text,
  note: fc.option(text),
  state,
  count: fc.option(count),
  amount: fc.option(amount),
  made_at: fc.option(date),
  is_open: fc.option(fc.boolean()),
  is_gone: fc.boolean(),
  features: map,
  metadata: map,
});

const COMPARISONS = ["$match", "$lt", "$lte", "$gt", "$gte"];

/** Tests of a key by its operators for one value, by lists, by patterns, and by existence. */
const testsOf = (
  key: string,
  value: fc.Arbitrary<unknown>,
  operators: readonly string[],
): fc.Arbitrary<FilterJson> =>
  fc.constantFrom(...operators).chain((operator) => {
    const operand =
      operator === "$in"
        ? fc.array(value, { maxLength: 4 })
        : operator === "$like"
          ? pattern
          : operator === "$exists"
            ? fc.boolean()
            : value;
    return operand.map((it) => ({ [operator]: Object.fromEntries([[key, it]]) }));
  });

const beyond = fc.constantFrom(2n ** 53n, -(2n ** 53n) - 1n, 2n ** 64n, -(10n ** 400n));
const KEY_TESTS: Readonly<Record<string, fc.Arbitrary<FilterJson>>> = {
  text: testsOf("name", text, ["$match", "$in", "$like"]),
  "text that may be absent": testsOf("note", text, ["$match", "$in", "$like", "$exists"]),
  set: testsOf("state", fc.oneof(state, fc.constant("NO_STATE")), ["$match", "$in"]),
  integer: testsOf("count", fc.oneof(count, beyond), [...COMPARISONS, "$in", "$exists"]),
  bigint: testsOf("amount", fc.oneof(amount, beyond), [...COMPARISONS, "$in", "$exists"]),
  date: testsOf("made_at", date, [...COMPARISONS, "$in", "$exists"]),
  boolean: testsOf("is_open", fc.boolean(), ["$match", "$exists"]),
  "boolean expression": testsOf("is_gone", fc.boolean(), ["$match"]),
  map: name.chain((it) => testsOf(`features[${it}]`, text, ["$match", "$in"])),
  metadata: fc.oneof(
    name.chain((it) => testsOf(`metadata[${it}]`, text, ["$match", "$in", "$like", "$exists"])),
    name.map((it) => ({ $match: { metadata: it } })),
    name.map((it) => ({ $exists: { metadata: it } })),
  ),
};

/** Filters that nest the given tests. */
const filterOf = (leaf: fc.Arbitrary<FilterJson>): fc.Arbitrary<FilterJson> =>
  fc.letrec<{ node: FilterJson }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      tie("node").map((it) => ({ $not: it })),
      fc.array(tie("node"), { maxLength: 4 }).map((filters) => ({ $and: filters })),
      fc.array(tie("node"), { maxLength: 4 }).map((filters) => ({ $or: filters })),
    ),
  })).node;

describe("a filter in SQL leaves the rows that a naive one leaves", () => {
  const rows = fc.array(row, { minLength: 1, maxLength: 6 });

  test.each(Object.entries(KEY_TESTS))(
    "a filter in SQL leaves the rows that a naive one leaves, for tests and their negations: %s",
    async (_, leaf) => {
      const list = new Things();
      const property = fc.asyncProperty(rows, leaf, async (all, filter) => {
        list.fill(all);
        for (const whole of [filter, { $not: filter }, { $or: [filter, filter] }]) {
          expect(await list.matching(whole)).toEqual(expected(whole, all));
        }
      });
      await fc.assert(property, { numRuns: runsOf(100) });
    },
  );

  test("a filter in SQL leaves the rows that a naive one leaves, for any combination of tests", async () => {
    const list = new Things();
    const filter = filterOf(fc.oneof(...Object.values(KEY_TESTS)));
    const property = fc.asyncProperty(rows, filter, async (all, filter) => {
      list.fill(all);
      expect(await list.matching(filter)).toEqual(expected(filter, all));
    });
    await fc.assert(property, { numRuns: runsOf(300) });
  });
});

const ROW: NaiveRow = {
  name: "a",
  note: null,
  state: "OPEN",
  count: null,
  amount: null,
  made_at: null,
  is_open: null,
  is_gone: false,
  features: {},
  metadata: {},
};

describe("a value that a row lacks", () => {
  test.each(["note", "count", "amount", "made_at", "is_open"])(
    "a value that a row lacks matches no test of %s, nor its negation",
    async (key) => {
      const list = new Things([ROW]);
      const values: Record<string, unknown> = { note: "a", count: 1, amount: 1, is_open: true };
      const value = values[key] ?? "2026-03-01T09:30:00Z";
      const tests: FilterJson[] = [{ $match: { [key]: value } }];
      if (key !== "is_open") tests.push({ $in: { [key]: [] } }, { $in: { [key]: [value] } });
      if (key === "note") tests.push({ $like: { [key]: "%" } }, { $like: { [key]: "%a" } });
      for (const filter of tests) {
        expect(await list.matching(filter)).toEqual([]);
        expect(await list.matching({ $not: filter })).toEqual([]);
      }
      expect(await list.matching({ $exists: { [key]: false } })).toEqual([0]);
      expect(await list.matching({ $exists: { [key]: true } })).toEqual([]);
    },
  );

  test("a value of a map that a row lacks is known to be absent", async () => {
    const list = new Things([ROW]);
    expect(await list.matching({ $not: { $match: { "metadata[k]": "x" } } })).toEqual([0]);
    expect(await list.matching({ $not: { $like: { "metadata[k]": "%" } } })).toEqual([0]);
  });
});

describe("a filter is refused", () => {
  test.each<[unknown, string]>([
    [{ $match: { nope: "x" } }, "unknown key 'nope' when building query"],
    [{ $match: { constructor: "x" } }, "unknown key 'constructor' when building query"],
    [{ $match: { "name[x]": "y" } }, "unknown key 'name[x]' when building query"],
    [{ $match: { features: "k" } }, "unknown key 'features' when building query"],
    [{ $match: { "metadata[]": "k" } }, "unknown key 'metadata[]' when building query"],
    [{ $lt: { name: "a" } }, "operator '$lt' is not allowed for property 'name'"],
    [{ $exists: { name: true } }, "operator '$exists' is not allowed for property 'name'"],
    [{ $like: { state: "O%" } }, "operator '$like' is not allowed for property 'state'"],
    [{ $in: { only: ["a"] } }, "operator '$in' is not allowed for property 'only'"],
    [{ $in: { is_open: [true] } }, "operator '$in' is not allowed for property 'is_open'"],
    [{ $like: { count: "1%" } }, "operator '$like' is not allowed for property 'count'"],
    [{ $in: { metadata: ["k"] } }, "operator '$in' is not allowed for property 'metadata'"],
    [{ $lt: { "metadata[k]": "a" } }, "operator '$lt' is not allowed for property 'metadata[k]'"],
    [
      { $exists: { "features[k]": true } },
      "operator '$exists' is not allowed for property 'features[k]'",
    ],
    [
      { $match: { name: 1 } },
      "invalid value '1' for property 'name': expected string value, got number",
    ],
    [{ $in: { name: "a" } }, "$in takes a list of values for 'name'"],
    [
      { $match: { state: 1 } },
      "invalid value '1' for property 'state': expected string value, got number",
    ],
    [
      { $gt: { count: "1" } },
      "invalid value '1' for property 'count': expected numeric value, got string",
    ],
    [
      { $lte: { amount: true } },
      "invalid value 'true' for property 'amount': expected numeric value, got boolean",
    ],
    [
      { $gte: { made_at: "2026-03-01" } },
      "invalid value '2026-03-01' for property 'made_at': expected an RFC 3339 date with zone",
    ],
    [
      { $match: { is_open: "true" } },
      "invalid value 'true' for property 'is_open': expected boolean value, got string",
    ],
    [
      { $exists: { note: "x" } },
      "invalid value 'x' for property 'note': expected boolean value, got string",
    ],
    [
      { $exists: { metadata: true } },
      "invalid value 'true' for property 'metadata': expected string value, got boolean",
    ],
    [
      { $like: { name: "x".repeat(1025) } },
      "the pattern for 'name' is longer than 1024 characters",
    ],
  ])("the filter %j is refused", (filter, message) => {
    for (const whole of [filter, { $not: filter }, { $or: [{ $and: [filter] }] }]) {
      expect(refusalOf(whole)).toBe(message);
    }
  });
});

test.each([undefined, "", "null", "{}", '{"$and":[]}', '{"$or":[]}'])(
  "the text %j is no condition",
  (where) => {
    expect(toCondition(THING_KEYS, where)).toBeUndefined();
  },
);

describe("the bounds of a statement", () => {
  test("the bounds of a statement count a list of values once, and alternatives of one key as a list", async () => {
    const names = Array.from({ length: 900 }, (_, index) => `n${index}`);
    const list = new Things([ROW, { ...ROW, name: "n7" }, { ...ROW, name: "n899" }]);
    const matches = names.map((it) => ({ $match: { name: it } }));
    for (const filter of [{ $in: { name: names } }, { $or: matches }]) {
      expect(rendered(filter).params).toHaveLength(1);
      expect(await list.matching(filter)).toEqual([1, 2]);
      expect(await list.matching({ $not: filter })).toEqual([0]);
    }
    const members = names.map((it) => ({ $match: { "metadata[k]": it } }));
    expect(rendered({ $or: members }).params).toHaveLength(2);
  });

  const many = (count: number): FilterJson => ({
    $and: Array.from({ length: count }, (_, index) => ({ $gt: { count: index } })),
  });

  test("the bounds of a statement let a filter have so many values, and refuse more by name", () => {
    expect(rendered(many(FILTER_PARAMETERS_MAX)).params).toHaveLength(FILTER_PARAMETERS_MAX);
    const refusal = refusalOf(many(FILTER_PARAMETERS_MAX + 1));
    expect(refusal).toContain(`more than ${FILTER_PARAMETERS_MAX} values`);
  });

  test("the bounds of a statement let few values of lists be parameters beside those, and no more", async () => {
    const short = { $in: { state: ["OPEN", "PAID", "OPEN"] } };
    expect(rendered(short).params).toEqual(["OPEN", "PAID"]);
    const lists = Array.from({ length: FILTER_PARAMETERS_MAX }, () => short);
    expect(rendered({ $and: lists }).params).toHaveLength(FILTER_PARAMETERS_MAX + 2);
    expect(refusalOf({ $and: [...lists, short] })).toContain("values");
    expect(rendered({ $in: { count: [1, 2, 3, 4, 5] } }).params).toEqual(["[1,2,3,4,5]"]);
    const list = new Things([ROW, { ...ROW, count: 7n }, { ...ROW, count: 9n }]);
    const either: FilterJson = { $in: { count: [7, 8] } };
    expect(await list.matching(either)).toEqual([1]);
    expect(await list.matching({ $not: either })).toEqual([2]);
  });

  test.each<[string, unknown]>([
    ["of existence", { $exists: { note: true } }],
    ["that are always true", { $or: [] }],
  ])("the bounds of a statement count tests %s", (_, filter) => {
    const filters = Array.from({ length: FILTER_PARAMETERS_MAX }, () => filter);
    expect(rendered({ $and: filters }).params).toEqual([]);
    expect(refusalOf({ $and: [...filters, filter] })).toContain("values");
  });

  test("the bounds of a statement hold for the length of the statement", () => {
    const long = {
      $like: { "metadata[k]": `${"a".repeat(500)}%${"_a".repeat(10)}${"b".repeat(400)}` },
    };
    const filters = Array.from({ length: 1000 }, () => ({ $not: long }));
    const fitting = filters.findIndex((_, count) => {
      try {
        return rendered({ $and: filters.slice(0, count + 1) }).sql.length === 0;
      } catch {
        return true;
      }
    });
    expect(fitting).toBeGreaterThan(5);
    expect(rendered({ $and: filters.slice(0, fitting) }).sql.length).toBeLessThan(50_000);
  });
});

describe("what a client sends", () => {
  const HOSTILE = "x' OR 1=1; DROP TABLE things; --";

  test.each<[unknown]>([
    [{ $match: { name: HOSTILE } }],
    [{ $in: { note: [HOSTILE, '"]} $[0]'] } }],
    [{ $like: { name: `%${HOSTILE}%` } }],
    [{ $like: { name: `${HOSTILE}_%` } }],
    [{ $match: { [`metadata[${HOSTILE}]`]: HOSTILE } }],
    [{ $exists: { metadata: HOSTILE } }],
    [{ $exists: { [`metadata[${HOSTILE}]`]: false } }],
  ])("a value of a client is never in the statement: %j", async (filter) => {
    const { sql: statement, params } = rendered(filter);
    expect(statement).not.toContain("DROP");
    expect(params.join(" ")).toContain("DROP");
    const list = new Things([ROW, { ...ROW, name: HOSTILE, note: HOSTILE }]);
    await list.matching(filter as FilterJson); // each case is a filter
    expect(await list.matching({ $and: [{ $not: { $match: { name: "" } } }] })).toEqual([0, 1]);
  });

  test.each([`name" OR 1=1 --`, "name) --", "1=1", "things.name", "rowid"])(
    "a filter key of a client is one of the table, or none: %s",
    (key) => {
      expect(refusalOf({ $match: { [key]: "x" } })).toBe(
        `unknown key '${key}' when building query`,
      );
    },
  );
});
