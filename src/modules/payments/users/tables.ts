import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { ConnectionStatus, LinkStatus } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Payment service users: the people and companies on whose behalf providers read accounts. */
export const paymentUsers = sqliteTable(
  "payment_users",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    /** JSON objects of the contact details and the address that are known; null for none. */
    contactDetails: text("contact_details"),
    address: text("address"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [index("payment_users_listed").on(table.createdAt, table.key, table.metadataBits)],
);

/** Users that were forwarded to connectors, with the data that the providers have given for them. */
export const paymentForwardedUsers = sqliteTable(
  "payment_forwarded_users",
  {
    userKey: integer("user_key").notNull(),
    connectorKey: integer("connector_key").notNull(),
    providerUserId: text("provider_user_id"),
    /** The provider's token for the user, encrypted. */
    accessToken: text("access_token"),
    metadata: text("metadata").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userKey, table.connectorKey] }),
    index("payment_forwarded_users_connector").on(table.connectorKey, table.providerUserId),
  ],
);

/** Connections of users to their banks. */
export const paymentUserConnections = sqliteTable(
  "payment_user_connections",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    userKey: integer("user_key").notNull(),
    connectorKey: integer("connector_key").notNull(),
    /** The provider's id of the connection. */
    connectionId: text("connection_id").notNull(),
    status: text("status").$type<ConnectionStatus>().notNull(),
    error: text("error"),
    /** The provider's token for the connection, encrypted. */
    accessToken: text("access_token"),
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    /** The last time at which its data was fetched. */
    dataUpdatedAt: text("data_updated_at").$type<Timestamp>(),
  },
  (table) => [
    uniqueIndex("payment_user_connections_identity").on(
      table.connectorKey,
      table.connectionId,
      table.userKey,
    ),
    // In the order of lists, with all columns that filters test.
    index("payment_user_connections_listed").on(
      table.userKey,
      table.createdAt,
      table.key,
      table.connectorKey,
      table.status,
      table.connectionId,
      table.metadataBits,
    ),
  ],
);

/** Attempts to link a user to a bank. */
export const paymentLinkAttempts = sqliteTable(
  "payment_link_attempts",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    userKey: integer("user_key").notNull(),
    connectorKey: integer("connector_key").notNull(),
    status: text("status").$type<LinkStatus>().notNull(),
    error: text("error"),
    clientRedirectUrl: text("client_redirect_url").notNull(),
    /** The hash of the random part of the state, which only the user's browser has. */
    stateHash: text("state_hash").notNull(),
    /** Encrypted JSON of the link and of the token that completes it. */
    link: text("link").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("payment_link_attempts_listed").on(
      table.userKey,
      table.connectorKey,
      table.createdAt,
      table.key,
      table.status,
    ),
    index("payment_link_attempts_connector").on(table.connectorKey),
  ],
);
