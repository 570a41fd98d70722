import type { SQLInputValue } from "node:sqlite";
import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { NaiveRow, NaiveValue } from "./naive-filter.ts";
import type { FilterKeys } from "#platform/db/keys.ts";
import { stringifyJson } from "#platform/json.ts";

/** A table with a column of each filterable type. */
export const things = sqliteTable("things", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  note: text("note"),
  state: text("state").notNull(),
  count: integer("count"),
  amount: text("amount"),
  madeAt: text("made_at"),
  isOpen: integer("is_open"),
  goneAt: text("gone_at"),
  features: text("features").notNull(),
  metadata: text("metadata").notNull(),
});

export const THINGS_SQL =
  "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT, state TEXT NOT NULL, count INTEGER, amount TEXT, made_at TEXT, is_open INTEGER, gone_at TEXT, features TEXT NOT NULL, metadata TEXT NOT NULL) STRICT";

export const THING_KEYS: FilterKeys = {
  name: { type: "text", column: things.name },
  note: { type: "text", column: things.note, nullable: true },
  only: { type: "text", column: things.name, operators: ["$match"] },
  state: { type: "set", column: things.state },
  count: { type: "integer", column: things.count, nullable: true },
  amount: { type: "bigint", column: things.amount, nullable: true },
  made_at: { type: "date", column: things.madeAt, nullable: true },
  is_open: { type: "boolean", column: things.isOpen, nullable: true },
  is_gone: { type: "boolean", column: sql`${things.goneAt} IS NOT NULL` },
  features: { type: "map", column: things.features },
  metadata: { type: "metadata", column: things.metadata },
};

/** The statement that stores a row under an id. */
export function insertThing(
  id: number,
  row: NaiveRow,
): { readonly text: string; readonly params: SQLInputValue[] } {
  const params = [id, ...COLUMNS.map((name) => toColumn(name, row[name] ?? null))];
  return { text: `INSERT INTO things VALUES (${params.map(() => "?").join(", ")})`, params };
}

/** The columns after the id in their order, by filter key. */
const COLUMNS = [
  "name",
  "note",
  "state",
  "count",
  "amount",
  "made_at",
  "is_open",
  "is_gone",
  "features",
  "metadata",
] as const;

function toColumn(name: (typeof COLUMNS)[number], value: NaiveValue): SQLInputValue {
  if (name === "is_gone") return value === true ? "2026-03-01T09:30:00.000000Z" : null;
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "bigint") return name === "amount" ? value.toString() : Number(value);
  return stringifyJson(value);
}
