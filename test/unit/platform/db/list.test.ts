import { and, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FilterKeys } from "#platform/db/keys.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { decodeCursor } from "#platform/paging/cursor.ts";
import { type ColumnQuery, type PageQuery } from "#platform/paging/query.ts";
import { fromMillis, type Timestamp, toMicros } from "#platform/time.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const items = sqliteTable("items", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  madeAt: text("made_at").$type<Timestamp>().notNull(),
});

type Item = typeof items.$inferSelect;

const SORT: ListTable<Item>["sort"] = {
  id: { column: items.id, type: "integer", keyOf: ({ id }) => ({ value: BigInt(id) }) },
  name: { column: items.name, type: "text", keyOf: ({ name }) => ({ value: name }) },
  made_at: {
    column: items.madeAt,
    type: "date",
    tie: items.id,
    keyOf: ({ id, madeAt }) => ({ value: toMicros(madeAt), tie: BigInt(id) }),
  },
};
const KEYS: FilterKeys = { id: { type: "integer", column: items.id } };
const RULES = {
  columns: { id: "integer", name: "text", made_at: "date" } as const,
  pageSizeMax: 1000,
};
const BASE_MS = Date.parse("2026-03-01T12:00:00Z");

class Items {
  readonly #d1 = new NodeD1();

  constructor() {
    this.#d1.exec(
      "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, made_at TEXT NOT NULL)",
    );
  }

  /** Adds items with the given ids, on only three dates, so that many dates are equal. */
  add(...ids: number[]): void {
    const rows = ids.map((id) => {
      const madeAt = fromMillis(BASE_MS + (id % 3) * 1000);
      return `(${id}, 'item ${String(id).padStart(5, "0")}', '${madeAt}')`;
    });
    if (rows.length > 0) this.#d1.exec(`INSERT INTO items VALUES ${rows.join(",")}`);
  }

  remove(id: number): void {
    this.#d1.exec(`DELETE FROM items WHERE id = ${id}`);
  }

  page(query: PageQuery) {
    return listPage(query, {
      keys: KEYS,
      sort: SORT,
      read: ({ where, orderBy, limit, offset }) =>
        this.#d1.db
          .select()
          .from(items)
          .where(and(sql`1`, where))
          .orderBy(...orderBy)
          .limit(limit)
          .offset(offset),
    });
  }

  follow(cursor: string) {
    return this.page(decodeCursor(cursor, RULES));
  }
}

const first = (
  column: string,
  order: "asc" | "desc",
  { pageSize, where }: { readonly pageSize: number; readonly where?: string },
): ColumnQuery => ({
  kind: "column",
  column,
  order,
  pageSize,
  reverse: false,
  ...(where === undefined ? {} : { where }),
});

describe("a walk", () => {
  const walks = fc.record({
    column: fc.constantFrom("id", "name", "made_at"),
    order: fc.constantFrom("asc" as const, "desc" as const),
    pageSize: fc.integer({ min: 1, max: 7 }),
    ids: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }),
    isFiltered: fc.boolean(),
  });

  test("a walk through a list shows each row once, in order, and back again the same pages", async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ({ column, order, pageSize, ids, isFiltered }) => {
        const list = new Items();
        list.add(...ids);
        const filter = isFiltered ? { where: '{"$gt":{"id":20}}' } : {};
        const wanted = ids.filter((id) => !isFiltered || id > 20);
        const pages: number[][] = [];
        let page = await list.page(first(column, order, { pageSize, ...filter }));
        for (;;) {
          pages.push(page.data.map(({ id }) => id));
          expect(page.hasMore).toBe(page.next !== undefined);
          if (page.next === undefined) break;
          page = await list.follow(page.next);
        }
        const rank = (id: number): number => (column === "made_at" ? (id % 3) * 1000 + id : id);
        const sorted = wanted.toSorted((a, b) => (rank(a) - rank(b)) * (order === "asc" ? 1 : -1));
        expect(pages.flat()).toEqual(sorted);
        for (const before of pages.slice(0, -1).toReversed()) {
          page = await list.follow(page.previous ?? "");
          expect(page.data.map(({ id }) => id)).toEqual(before);
        }
        expect(page.previous).toBeUndefined();
      }),
      { numRuns: runsOf(60) },
    );
  });

  test("a walk through a list does not shift when rows are written or deleted meanwhile", async () => {
    const list = new Items();
    list.add(10, 20, 30, 40, 50);
    const page = await list.page(first("id", "asc", { pageSize: 2 }));
    list.add(5, 15);
    list.remove(10);
    const next = await list.follow(page.next ?? "");
    expect(next.data.map(({ id }) => id)).toEqual([30, 40]);
    list.add(25);
    const back = await list.follow(next.previous ?? "");
    expect(back.data.map(({ id }) => id)).toEqual([20, 25]);
  });
});

describe("a filter", () => {
  test("a filter of a key that the list does not have is refused", async () => {
    const list = new Items();
    const refused = list.page(
      first("id", "asc", { pageSize: 2, where: '{"$match":{"name":"x"}}' }),
    );
    await expect(refused).rejects.toThrow("unknown key 'name' when building query");
  });

  test("a filter of a list without keys is refused", async () => {
    const query = first("id", "asc", { pageSize: 2, where: '{"$match":{"id":1}}' });
    const refused = listPage(query, { sort: SORT, read: () => Promise.resolve([]) });
    await expect(refused).rejects.toThrow("unknown key 'id' when building query");
  });
});
