import { type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, index, integer, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * The columns of a table whose rows say what should be somewhere else: in an object, or at a provider. A row is pending
 * while `syncedRevision` is below `revision`.
 */
export const syncColumns = () => ({
  /** Counts the changes of what should be. */
  revision: integer("revision").notNull().default(0),
  /** The last revision that the other side is known to have. */
  syncedRevision: integer("synced_revision").notNull().default(0),
  /** How often the revision was tried so far. */
  syncAttempts: integer("sync_attempts").notNull().default(0),
  /** Nobody tries before this time, because somebody is trying now or an attempt has failed. Null if nothing is pending. */
  syncAfter: text("sync_after").$type<Timestamp>(),
});

/** The index that finds the pending rows of a table, of which there are few, by the time at which they are due. */
export const pendingIndex = (
  name: string,
  { syncAfter, id }: { readonly syncAfter: AnySQLiteColumn; readonly id: AnySQLiteColumn },
) => index(name).on(syncAfter, id).where(IS_PENDING);

/** A literal, because a partial index is only used when the planner sees its condition. */
export const IS_PENDING: SQL = sql`synced_revision < revision`;

/**
 * What each change of a row sets besides its own columns: the new revision is due at once, and after all that is due already,
 * so that many changes at a time keep no older one waiting.
 */
export const nextRevision = (now: Timestamp) => ({
  revision: sql`revision + 1`,
  syncAttempts: 0,
  syncAfter: now,
});
