import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Events that the index has not got, because its shard could not be reached or the search was off. The sweep repairs each gap. */
export const searchGaps = sqliteTable("search_gaps", {
  /** The uuid of a ledger, or the name of a kind. */
  origin: text("origin").primaryKey(),
  /** The name of the ledger; empty for a kind. */
  ledger: text("ledger").notNull(),
  /** When the gap began: RFC 3339 in UTC with six decimals. */
  since: text("since").notNull(),
  /** Why there is a gap. */
  reason: text("reason").notNull(),
  /** How often the gap was noted: a repair closes the gap as it was when the repair began. */
  revision: integer("revision").notNull(),
});
