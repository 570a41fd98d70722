import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bloomTable } from "#modules/payments/bloom-index/table.ts";
import { ACCOUNT_LAYOUT } from "#modules/payments/core/bloom/account-layout.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Accounts at providers. A row never changes after it was inserted. */
export const paymentAccounts = sqliteTable(
  "payment_accounts",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The provider's id of the account. */
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    type: text("type").$type<AccountType>().notNull(),
    name: text("name"),
    defaultAsset: text("default_asset"),
    psuId: text("psu_id"),
    connectionId: text("connection_id"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    /** The provider's or client's data, as JSON. */
    raw: text("raw").notNull(),
  },
  (table) => [
    uniqueIndex("payment_accounts_identity").on(table.reference, table.connectorKey),
    // In the order of lists, with all columns that filters test.
    index("payment_accounts_listed").on(
      table.createdAt,
      table.key,
      table.connectorKey,
      table.type,
      table.defaultAsset,
      table.name,
      table.psuId,
      table.connectionId,
      table.metadataBits,
    ),
  ],
);

/** Blocks of accounts; see `bloom-index/bloom-index.ts`. */
export const paymentAccountSegments = bloomTable("payment_account_segments", ACCOUNT_LAYOUT);
