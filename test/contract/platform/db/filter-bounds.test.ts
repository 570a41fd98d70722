import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { beforeAll, describe, expect, test } from "vitest";
import { FILTER_PARAMETERS_MAX } from "#platform/db/filter-sql.ts";
import { listPage } from "#platform/db/list.ts";
import { FILTER_DEPTH_MAX } from "#platform/filter/filter.ts";
import { stringifyJson } from "#platform/json.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import type { FilterJson, NaiveRow } from "#test/support/platform/naive-filter.ts";
import { insertThing, THING_KEYS, THINGS_SQL, things } from "#test/support/platform/things.ts";

// D1 itself has lower limits than SQLite in a test: 100 parameters, expressions of depth 100, patterns of 50 bytes.

const NAMES = Array.from({ length: 500 }, (_, index) => `thing ${index}`);
const HUGE = 10n ** 30n;

const rowOf = (name: string, index: number): NaiveRow => ({
  name,
  note: index % 2 === 0 ? null : `${"long ".repeat(20)}${index}`,
  state: "OPEN",
  count: BigInt(index),
  amount: HUGE * BigInt(index - 250),
  made_at: "2026-03-01T09:30:00.000000Z",
  is_open: index % 5 === 0,
  is_gone: false,
  features: {},
  metadata: Object.fromEntries([
    ['a"b\\\n[é]', String(index % 3)],
    ["__proto__", "x"],
  ]),
});

/** The ids that match a filter, read from a start in the middle, so that the parameters of the cursor are bound too. */
const idsOf = async (filter: FilterJson): Promise<number[]> => {
  const query: PageQuery = {
    kind: "column",
    column: "count",
    order: "asc",
    pageSize: 1000,
    reverse: false,
    start: { value: 0n, tie: 0n },
    where: stringifyJson(filter),
  };
  const page = await listPage<typeof things.$inferSelect>(query, {
    keys: THING_KEYS,
    sort: {
      count: {
        column: things.count,
        type: "integer",
        tie: things.id,
        keyOf: ({ id, count }) => ({ value: BigInt(count ?? 0), tie: BigInt(id) }),
      },
    },
    read: ({ where, orderBy, limit, offset }) =>
      drizzle(env.DB)
        .select()
        .from(things)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
  return page.data.map(({ id }) => id);
};

beforeAll(async () => {
  await env.DB.exec(THINGS_SQL);
  const inserts = NAMES.map((name, index) => {
    const { text, params } = insertThing(index, rowOf(name, index));
    return env.DB.prepare(text).bind(...params);
  });
  await env.DB.batch(inserts);
});

describe("a filter on D1", () => {
  test("a filter on D1 may have hundreds of values", async () => {
    const wanted = NAMES.slice(100, 400);
    const ids = wanted.map((_, index) => index + 100);
    expect(await idsOf({ $in: { name: wanted } })).toEqual(ids);
    expect(await idsOf({ $or: wanted.map((name) => ({ $match: { name } })) })).toEqual(ids);
    expect(await idsOf({ $in: { count: ids } })).toEqual(ids);
    expect(await idsOf({ $in: { amount: ids.map((id) => HUGE * BigInt(id - 250)) } })).toEqual(ids);
    const mixed = { $or: [{ $in: { name: wanted.slice(1) } }, { $match: { count: 100 } }] };
    expect(await idsOf(mixed)).toEqual(ids);
  });

  test("a filter on D1 may have as many values as it is allowed", async () => {
    const tests = Array.from({ length: FILTER_PARAMETERS_MAX }, (_, index) => ({
      $gte: { count: index },
    }));
    expect((await idsOf({ $and: tests }))[0]).toBe(FILTER_PARAMETERS_MAX - 1);
    expect(await idsOf({ $or: tests })).toHaveLength(NAMES.length);
  });

  test("a filter on D1 may be as deep as it is allowed", async () => {
    // A pattern is the deepest test. With these numbers of further tests on its levels, it makes the deepest expression.
    const widths = [...Array.from({ length: 6 }, () => 4), ...Array.from({ length: 25 }, () => 2)];
    expect(widths).toHaveLength(FILTER_DEPTH_MAX - 1);
    const deepest: FilterJson = { $like: { "metadata[__proto__]": "a%b_c%d" } };
    const filter = widths.reduce<FilterJson>((inner, width, level) => {
      const others = Array.from({ length: width }, () => ({ $gte: { count: 0 } }));
      return { [level % 2 === 0 ? "$or" : "$and"]: [inner, ...others] };
    }, deepest);
    expect(await idsOf(filter)).toHaveLength(NAMES.length);
    const nots = Array.from({ length: FILTER_DEPTH_MAX - 2 });
    const negated = nots.reduce<FilterJson>((inner) => ({ $not: inner }), deepest);
    expect(await idsOf(negated)).toEqual([]);
  });

  test("a filter on D1 may have long patterns", async () => {
    const long = "long ".repeat(20);
    expect(await idsOf({ $like: { note: `${long}%` } })).toHaveLength(250);
    expect(await idsOf({ $like: { note: `%${long.slice(1)}%` } })).toHaveLength(250);
    expect(await idsOf({ $like: { note: `%${long.slice(1)}17` } })).toEqual([17]);
    expect(await idsOf({ $like: { note: `${long}_` } })).toEqual([1, 3, 5, 7, 9]);
    expect(await idsOf({ $like: { note: "%g 4_1" } })).toHaveLength(10);
    const refused = idsOf({ $like: { note: `%${long}_%` } });
    await expect(refused).rejects.toMatchObject({ kind: "VALIDATION" });
  });

  test("a filter on D1 reads members of maps by any name", async () => {
    const key = 'metadata[a"b\\\n[é]]';
    expect((await idsOf({ $match: { [key]: "1" } })).slice(0, 3)).toEqual([1, 4, 7]);
    expect(await idsOf({ $match: { "metadata[__proto__]": "x" } })).toHaveLength(NAMES.length);
    expect(await idsOf({ $exists: { metadata: "nothing" } })).toEqual([]);
  });

  test("a filter on D1 compares integers of any size", async () => {
    expect(await idsOf({ $lt: { amount: -HUGE * 248n } })).toEqual([0, 1]);
    expect(await idsOf({ $gte: { amount: HUGE * 249n } })).toEqual([499]);
    expect(await idsOf({ $lt: { count: 10n ** 40n } })).toHaveLength(NAMES.length);
    expect(await idsOf({ $match: { count: 2n ** 53n } })).toEqual([]);
  });
});
