import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The last runs of sweeps, which their clocks write. Times are in milliseconds since the epoch. */
export const sweepRuns = sqliteTable("sweep_runs", {
  name: text("name").primaryKey(),
  /** The end of the last run that is recorded, or when one was put off; runs that succeed in quick succession are recorded once. */
  ranMs: integer("ran_ms").notNull(),
  /** When the clock rings again at the latest, as the last recorded run has set it. */
  nextMs: integer("next_ms").notNull(),
  /** The end of the last run that has succeeded, and of the last one that has not; null for none. */
  succeededMs: integer("succeeded_ms"),
  failedMs: integer("failed_ms"),
  /** The error of the last run that has failed; null for none. */
  error: text("error"),
  /** Failed runs in a row. */
  failures: integer("failures").notNull(),
  /** Recorded runs that have failed since the table was made. */
  failuresTotal: integer("failures_total").notNull(),
});

/** Keys that have encrypted secrets at rest, by their ids, which reveal nothing of them. Rows are added and never changed. */
export const secretKeys = sqliteTable("secret_keys", {
  /** The id of the key in the texts that it has encrypted. */
  id: text("id").primaryKey(),
  /** When the key was first seen in force, in milliseconds since the epoch. */
  firstSeenMs: integer("first_seen_ms").notNull(),
});

/**
 * Work that waits in Durable Objects longer than it should, written by each object itself. An object that keeps up has no row, so that the
 * table is as long as the list of problems. Times are in milliseconds since the epoch.
 */
export const objectBacklogs = sqliteTable(
  "object_backlogs",
  {
    /** What waits, such as `webhook-deliveries`, and the name of the object among those of its kind. */
    kind: text("kind").notNull(),
    name: text("name").notNull(),
    /** How many pieces of work wait; at least so many. */
    waiting: integer("waiting").notNull(),
    /** Since when the oldest one waits, so that the age grows although the object may never write again. */
    sinceMs: integer("since_ms").notNull(),
    /** Why it waits, as a sentence. */
    reason: text("reason").notNull(),
    writtenMs: integer("written_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.name] }),
    index("object_backlogs_oldest").on(table.kind, table.sinceMs),
  ],
);
