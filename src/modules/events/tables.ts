import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Has a row while events are recorded for those who listen. */
export const eventRecordings = sqliteTable("event_recordings", {
  /** 1: a deployment has one recording. */
  id: integer("id").primaryKey(),
});
