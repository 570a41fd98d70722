import { type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, index, integer, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * The columns of a table whose rows describe the wanted state of another system: of an object, or of a provider. A row is pending while
 * `syncedRevision` is below `revision`; see `Reconciler`.
 */
export const syncColumns = () => ({
  /** The number of changes of the wanted state. */
  revision: integer("revision").notNull().default(0),
  /** The last revision that the other side is known to have. */
  syncedRevision: integer("synced_revision").notNull().default(0),
  /** Attempts for the current revision so far. */
  syncAttempts: integer("sync_attempts").notNull().default(0),
  /** Time before which no attempt begins, because another attempt is under way or has failed. Null if the row is not pending. */
  syncAfter: text("sync_after").$type<Timestamp>(),
});

/** The index of a table's pending rows, which are few, by the times at which they are due. */
export const pendingIndex = (
  name: string,
  { syncAfter, id }: { readonly syncAfter: AnySQLiteColumn; readonly id: AnySQLiteColumn },
) => index(name).on(syncAfter, id).where(IS_PENDING);

/** The condition of pending rows, as a literal: SQLite uses a partial index only if the planner sees its condition. */
export const IS_PENDING: SQL = sql`synced_revision < revision`;

/**
 * The columns that each change of a row sets besides its own. The new revision is due at once, but behind older due rows, so that many
 * changes at a time delay no older change.
 */
export const nextRevision = (now: Timestamp) => ({
  revision: sql`revision + 1`,
  syncAttempts: 0,
  syncAfter: now,
});
