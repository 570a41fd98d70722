import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What code must know to work on this database: one row with the migration that it has to know at least. A migration that only adds leaves
 * the row as it is. One that takes something away which older code uses sets it to its own name, or to that of the last migration whose
 * code no longer used it.
 */
export const requiredMigration = sqliteTable("required_migration", {
  id: integer("id").primaryKey(),
  /** The name of the migration as `d1_migrations` has it: `0014_required_migration.sql`. */
  name: text("name").notNull(),
});
