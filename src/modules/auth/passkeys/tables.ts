import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { authPeople } from "#modules/auth/people/tables.ts";

/** Passkeys of people. What is stored verifies a login and cannot make one. */
export const authPasskeys = sqliteTable(
  "auth_passkeys",
  {
    /** The id of the credential, in base64url. */
    id: text("id").primaryKey(),
    personId: text("person_id")
      .notNull()
      .references(() => authPeople.id, { onDelete: "cascade" }),
    /** COSE, in base64url. */
    publicKey: text("public_key").notNull(),
    /** How often the device has used it; 0 for those that do not count. */
    counter: integer("counter").notNull(),
  },
  (table) => [index("auth_passkeys_person").on(table.personId)],
);
