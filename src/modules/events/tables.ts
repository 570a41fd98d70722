import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Has a row while events are recorded for event streams. */
export const eventRecordings = sqliteTable("event_recordings", {
  /** Always 1, because a deployment has one recording. */
  id: integer("id").primaryKey(),
});
