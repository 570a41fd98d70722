import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Bank accounts of users. They belong to no connector. */
export const paymentBankAccounts = sqliteTable(
  "payment_bank_accounts",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    country: text("country"),
    /** Encrypted JSON of account number, IBAN and bank code. Lists do not read it. */
    numbers: text("numbers").notNull(),
    /** The payment service user who owns the bank account; null for none. */
    psuId: text("psu_id"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    // In the order of lists, with all columns that filters test.
    index("payment_bank_accounts_listed").on(
      table.createdAt,
      table.key,
      table.country,
      table.name,
      table.metadataBits,
    ),
    index("payment_bank_accounts_user").on(table.psuId),
  ],
);

/** Accounts that connectors have created for bank accounts. */
export const paymentBankAccountRelations = sqliteTable(
  "payment_bank_account_relations",
  {
    bankAccountKey: integer("bank_account_key").notNull(),
    connectorKey: integer("connector_key").notNull(),
    /** The reference of the account at the connector. */
    accountReference: text("account_reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.bankAccountKey, table.connectorKey, table.accountReference] }),
    index("payment_bank_account_relations_connector").on(table.connectorKey),
  ],
);
