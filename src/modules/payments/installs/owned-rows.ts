import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { paymentPluginTexts } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";

/** The rows of one table that belong to connectors. The removal of a connector deletes them. */
export interface OwnedRows {
  readonly table: SQLiteTable;
  readonly connectorKey: AnySQLiteColumn;
  /** Rows of other tables that belong to rows of this table; the removal deletes them first. */
  readonly children?: readonly ChildRows[];
  /** Rows that summarise many rows of this table; the removal deletes them after the rows with these keys. */
  readonly blocks?: {
    removeEmpty(db: Database, keys: readonly number[]): BatchItem<"sqlite">;
  };
}

export interface ChildRows {
  readonly table: SQLiteTable;
  /** A condition on child rows: the keys of their owners are in the result of a query. */
  readonly isOfOneOf: (keys: SQL) => SQL;
}

/** The child rows of a table with the key of their owner in a column. */
export const childRows = (table: SQLiteTable, key: AnySQLiteColumn): ChildRows => ({
  table,
  isOfOneOf: (keys) => sql`${key} IN (${keys})`,
});

/** The texts that plugins store. */
export const PLUGIN_ROWS: OwnedRows = {
  table: paymentPluginTexts,
  connectorKey: paymentPluginTexts.connectorKey,
};
