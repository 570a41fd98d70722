import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { authPeople } from "#modules/auth/people/tables.ts";

/** Passkeys of people. A row can verify a login and cannot make one. */
export const authPasskeys = sqliteTable(
  "auth_passkeys",
  {
    /** The id of the credential, in base64url. */
    id: text("id").primaryKey(),
    personId: text("person_id")
      .notNull()
      .references(() => authPeople.id, { onDelete: "cascade" }),
    /** The public key in COSE form, in base64url. */
    publicKey: text("public_key").notNull(),
    /** How often the device has used the passkey; 0 for devices that do not count. */
    counter: integer("counter").notNull(),
  },
  (table) => [index("auth_passkeys_person").on(table.personId)],
);
