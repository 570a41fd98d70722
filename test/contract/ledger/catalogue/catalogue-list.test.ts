import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { beforeAll, describe, expect, test } from "vitest";
import { LedgerCatalogue } from "#modules/catalogue/index.ts";
import { present } from "#platform/assert.ts";
import { ANONYMOUS } from "#platform/context.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { okBodyOf, refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";

interface Item {
  readonly id: number;
  readonly name: string;
  readonly deletedAt?: string;
}

interface Listed {
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly previous?: string;
  readonly next: string;
  readonly data: readonly Item[];
}

const get = (parameters: Record<string, string>): Promise<Response> =>
  api(`/api/ledger/v2?${new URLSearchParams(parameters).toString()}`);
const list = async (parameters: Record<string, string>): Promise<Listed> =>
  (await okBodyOf<{ cursor: Listed }>(get(parameters))).cursor;
const filtered = (filter: unknown, parameters: Record<string, string> = {}): Promise<Listed> =>
  list({ ...parameters, query: JSON.stringify(filter) });
const namesOf = ({ data }: Listed): string[] => data.map(({ name }) => name);

/** The pages from the first given page to the last one, in the direction of `member`. */
async function walk(first: Listed, member: "next" | "previous"): Promise<Listed[]> {
  const pages = [first];
  for (;;) {
    const cursor = pages.at(-1)?.[member] ?? "";
    if (cursor === "") return pages;
    pages.push(await list({ cursor }));
  }
}

const decode = (cursor: string): unknown =>
  JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
const encode = (value: unknown): string =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

async function create(name: string, body: object = {}): Promise<string> {
  const response = await api(`/api/ledger/v2/${name}`, { method: "POST", body });
  expect(response.status).toBe(204);
  return name;
}

const prefix = freshName("list");
const [a, b, c, d] = [`${prefix}-a`, `${prefix}-b`, `${prefix}-c`, `${prefix}-d`] as const;
const bucket = `${prefix}-bucket`;
const mine = { $like: { name: `${prefix}-%` } };

beforeAll(async () => {
  await create(a, { bucket, metadata: { env: "prod" } });
  await create(b, { bucket, metadata: { env: "test", ["__proto__"]: "x" } });
  await create(c, { metadata: { env: "prod", tier: "1" }, features: { HASH_LOGS: "DISABLED" } });
  await create(d, { metadata: JSON.parse('{"__proto__":"own"}') as object });
});

describe("a filter of ledgers", () => {
  test.each<[unknown, string[]]>([
    [{ $match: { name: a } }, [a]],
    [{ $match: { name: prefix } }, []],
    [{ $match: { name: `${prefix}-%` } }, []],
    [{ $in: { name: [c, a, "nobody"] } }, [a, c]],
    [{ $in: { name: [] } }, []],
    [mine, [a, b, c, d]],
    [{ $like: { name: `${prefix}-_` } }, [a, b, c, d]],
    [{ $like: { name: `${prefix.toUpperCase()}-%` } }, []],
    [{ $match: { bucket } }, [a, b]],
    [{ $in: { bucket: [bucket, "nothing"] } }, [a, b]],
    [{ $like: { bucket: `${prefix}%` } }, [a, b]],
    [{ $and: [mine, { $match: { bucket: "_default" } }] }, [c, d]],
    [{ $and: [mine, { $match: { "metadata[env]": "prod" } }] }, [a, c]],
    [{ $and: [mine, { $in: { "metadata[env]": ["test", "x"] } }] }, [b]],
    [{ $and: [mine, { $like: { "metadata[env]": "%o%" } }] }, [a, c]],
    [{ $and: [mine, { $match: { "metadata[__proto__]": "own" } }] }, [d]],
    [{ $and: [mine, { $match: { "metadata[constructor]": "x" } }] }, []],
    [{ $and: [mine, { $exists: { metadata: "tier" } }] }, [c]],
    [{ $and: [mine, { $match: { metadata: "tier" } }] }, [c]],
    [{ $and: [mine, { $exists: { "metadata[tier]": false } }] }, [a, b, d]],
    [{ $and: [mine, { $not: { $match: { "metadata[env]": "prod" } } }] }, [b, d]],
    [{ $and: [mine, { $match: { "features[HASH_LOGS]": "DISABLED" } }] }, [c]],
    [{ $and: [mine, { $in: { "features[HASH_LOGS]": ["SYNC", "x"] } }] }, [a, b, d]],
    [{ $and: [mine, { $match: { "features[NOTHING]": "SYNC" } }] }, []],
    [{ $or: [{ $match: { name: d } }, { $match: { bucket } }] }, [a, b, d]],
    [{ $and: [mine, { $not: { $or: [{ $match: { name: d } }, { $match: { bucket } }] } }] }, [c]],
    [
      { $or: [{ $match: { name: b } }, { $and: [mine, { $exists: { metadata: "tier" } }] }] },
      [b, c],
    ],
    [
      { $or: Array.from({ length: 300 }, (_, index) => ({ $match: { name: `${a}${index}` } })) },
      [],
    ],
    [{ $or: Array.from({ length: 300 }, () => ({ $match: { name: b } })) }, [b]],
  ])("a filter of ledgers may be %j", async (filter, names) => {
    expect(namesOf(await filtered(filter, { pageSize: "1000" }))).toEqual(names);
    const first = await filtered(filter, { pageSize: "1", sort: "id:desc" });
    const walked = (await walk(first, "next")).flatMap(namesOf);
    expect(walked).toEqual(names.toReversed());
  });

  test.each<[unknown, string]>([
    [{ $match: { nope: "x" } }, "unknown key 'nope'"],
    [{ $match: { id: 1 } }, "unknown key 'id'"],
    [{ $match: { features: "HASH_LOGS" } }, "unknown key 'features'"],
    [{ $match: { "name[x]": "y" } }, "unknown key 'name[x]'"],
    [{ $match: { name: 1 } }, "expected string value"],
    [{ $lt: { name: "a" } }, "operator '$lt'"],
    [{ $exists: { "features[HASH_LOGS]": true } }, "operator '$exists'"],
    [{ $match: {} }, "single key"],
  ])("the filter %j of ledgers is refused", async (filter, why) => {
    const refusal = await refusalOf(get({ query: JSON.stringify(filter) }));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(why);
  });
});

describe("the cursor of a list of ledgers", () => {
  test("the cursor of a list of ledgers has the form of the reference's, with its options and the filter", async () => {
    const { next } = await filtered(mine, { pageSize: "2", includeDeleted: "true" });
    expect(decode(next)).toEqual({
      column: "id",
      order: 0,
      pageSize: 2,
      filters: {
        pit: null,
        oot: null,
        qb: mine,
        opts: { Bucket: "", Features: null, IncludeDeleted: true },
      },
      bottom: expect.any(Number) as number,
      paginationID: expect.any(Number) as number,
      reverse: false,
      list: "ledgers",
    });
  });

  test("the cursor of a list of ledgers goes both ways, with the filter", async () => {
    const pages = await walk(await filtered(mine, { pageSize: "3" }), "next");
    expect(pages.map(namesOf)).toEqual([[a, b, c], [d]]);
    const back = await walk(present(pages.at(-1), "a walk has a page"), "previous");
    expect(back.map(namesOf)).toEqual([[d], [a, b, c]]);
  });

  test("the cursor of a list of ledgers of the reference server is accepted, with a bucket, too", async () => {
    const cursor = {
      column: "id",
      order: 0,
      pageSize: 5,
      filters: {
        pit: null,
        oot: null,
        qb: null,
        opts: { Bucket: bucket, Features: null, IncludeDeleted: false },
      },
      bottom: 1,
      paginationID: 1,
      reverse: false,
    };
    expect(namesOf(await list({ cursor: encode(cursor) }))).toEqual([a, b]);
    for (const opts of [{ IncludeDeleted: "yes" }, { Bucket: null }, { Features: {} }, { X: 1 }]) {
      const bad = encode({ ...cursor, filters: { ...cursor.filters, opts } });
      expect(await refusalOf(get({ cursor: bad }))).toMatchObject({ status: 400 });
    }
    const other = encode({ ...cursor, list: "main/transactions" });
    expect(await refusalOf(get({ cursor: other }))).toMatchObject({ status: 400 });
  });
});

describe("a deleted ledger", () => {
  test("a deleted ledger is listed only where it is asked for", async () => {
    const name = await create(`${prefix}-gone`);
    await env.DB.prepare("UPDATE ledgers SET deleted_at = ? WHERE name = ?")
      .bind("2026-03-01T09:30:00.250000Z", name)
      .run();
    const filter = { $match: { name } };
    for (const includeDeleted of ["", "false", "no"]) {
      expect((await filtered(filter, { includeDeleted })).data).toEqual([]);
    }
    for (const includeDeleted of ["true", "1", "TRUE"]) {
      expect((await filtered(filter, { includeDeleted })).data).toMatchObject([
        { name, deletedAt: "2026-03-01T09:30:00.25Z" },
      ]);
    }
    const both = { $in: { name: [a, name] } };
    const first = await filtered(both, { includeDeleted: "true", pageSize: "1" });
    expect((await walk(first, "next")).flatMap(namesOf)).toEqual([a, name]);
    await env.DB.prepare("UPDATE ledgers SET deleted_at = NULL WHERE name = ?").bind(name).run();
    expect((await filtered(filter)).data).toHaveLength(1);
    await env.DB.prepare("DELETE FROM ledgers WHERE name = ?").bind(name).run();
  });
});

test("points in time are read and change nothing", async () => {
  const moment = "2020-01-01T00:00:00+04:00";
  expect(namesOf(await filtered(mine, { pit: moment, oot: moment }))).toEqual([a, b, c, d]);
  for (const parameter of ["pit", "oot"]) {
    expect(await refusalOf(get({ [parameter]: "yesterday" }))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
  }
});

describe("a filter that matches few of many ledgers", () => {
  const COUNT = 12_000;
  const rare = { $match: { "metadata[rare]": "yes" } };
  const RARE = ["m-00005", "m-05999", "m-06000", "m-11999"];

  beforeAll(async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
      INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at)
      SELECT 'u' || i, printf('m-%05d', i), 'many',
        CASE WHEN i IN (5, 5999, 6000, 11999) THEN '{"rare":"yes"}' ELSE '{}' END,
        '{"HASH_LOGS":"SYNC"}', '2026-03-01T09:30:00.000000Z' FROM n`,
    )
      .bind(COUNT)
      .run();
  });

  test("a filter that matches few of many ledgers fills its pages, and a walk sees all of them, both ways", async () => {
    for (const pageSize of ["1", "3", "100"]) {
      const pages = await walk(await filtered(rare, { pageSize }), "next");
      expect(pages.flatMap(namesOf)).toEqual(RARE);
      expect(pages).toHaveLength(Math.ceil(RARE.length / Number(pageSize)));
      const end = present(pages.at(-1), "a walk has a page");
      const back = await walk(end, "previous");
      expect(back.toReversed().flatMap(namesOf)).toEqual(RARE);
    }
    const newest = await walk(await filtered(rare, { pageSize: "2", sort: "id:desc" }), "next");
    expect(newest.flatMap(namesOf)).toEqual(RARE.toReversed());
  });

  test("a filter that matches few of many ledgers on names or a bucket reads few rows, wherever the ledgers are", async () => {
    const statements: D1PreparedStatement[] = [];
    const logger = {
      logQuery: (text: string, params: unknown[]) =>
        void statements.push(env.DB.prepare(text).bind(...params)),
    };
    const catalogue = new LedgerCatalogue(drizzle(env.DB, { logger }));
    const read = async (filter: unknown): Promise<{ names: string[]; rows: number }> => {
      statements.length = 0;
      const query: PageQuery = {
        kind: "column",
        column: "id",
        order: "desc",
        pageSize: 3,
        reverse: false,
        where: JSON.stringify(filter),
      };
      const page = await catalogue.list(query, ANONYMOUS);
      const [statement, ...others] = statements;
      expect(others).toEqual([]);
      const { meta } = await present(statement, "a page is one statement").run();
      return { names: page.data.map(({ name }) => name), rows: meta.rows_read };
    };
    const three = ["m-00009", "m-00008", "m-00007"];
    const late = ["m-11999", "m-11998", "m-11997"];
    for (const [filter, names] of [
      [{ $match: { name: "m-00003" } }, ["m-00003"]],
      [{ $like: { name: "m-0000_" } }, three],
      [{ $in: { name: [...three, "m-00001"] } }, three],
      [{ $match: { bucket: "many" } }, late],
    ] as const) {
      const found = await read(filter);
      expect(found.names).toEqual(names);
      expect(found.rows).toBeLessThan(50);
    }
    const inBucket = { $and: [{ $match: { bucket: "many" } }, { $like: { name: "m-0000%" } }] };
    expect((await read(inBucket)).names).toEqual(three);
    expect((await read(rare)).names).toEqual(RARE.slice(1).toReversed());
  });
});
