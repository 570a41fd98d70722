import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Applications that may ask for tokens. Lists and metadata are JSON texts. */
export const authClients = sqliteTable("auth_clients", {
  /** Order in which clients are listed: the order in which they were created. */
  sequence: integer("sequence").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  name: text("name").notNull(),
  description: text("description").notNull(),
  public: integer("public", { mode: "boolean" }).notNull(),
  trusted: integer("trusted", { mode: "boolean" }).notNull(),
  redirectUris: text("redirect_uris").notNull(),
  postLogoutRedirectUris: text("post_logout_redirect_uris").notNull(),
  scopes: text("scopes").notNull(),
  metadata: text("metadata").notNull(),
  /** Whether the client has all scopes of the modules, including those that a later release adds. */
  hasAllScopes: integer("has_all_scopes", { mode: "boolean" }).notNull().default(false),
  /** Pairs of a redirect URI and the authority of its maker (`core/authority.ts`), as JSON. */
  redirectUriMakers: text("redirect_uri_makers").notNull().default("[]"),
  /** A text that changes with the client's authority and its secrets. */
  version: text("version").notNull().default(""),
});

/** Secrets of clients. The clear text is shown once, at creation, and is not stored. */
export const authClientSecrets = sqliteTable(
  "auth_client_secrets",
  {
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    clientId: text("client_id")
      .notNull()
      .references(() => authClients.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Base64 of the SHA-256 of the clear text, which has 122 random bits and so needs no salt. */
    hash: text("hash").notNull(),
    lastDigits: text("last_digits").notNull(),
    metadata: text("metadata").notNull(),
    /** The authority of the secret's maker (`core/authority.ts`), as JSON. */
    maker: text("maker").notNull(),
  },
  (table) => [index("auth_client_secrets_client").on(table.clientId)],
);

/** Keys that sign tokens. The key with the highest sequence signs; the others verify until all tokens that they have signed have expired. */
export const authSigningKeys = sqliteTable("auth_signing_keys", {
  /** The number after the highest one that the key's creator saw. If two keys are created at once, only one is stored. */
  sequence: integer("sequence").primaryKey(),
  kid: text("kid").notNull().unique(),
  /** The members `n` and `e` of the public JSON Web Key, as JSON. */
  publicKey: text("public_key").notNull(),
  /** The private key as PKCS #8, encrypted. */
  privateKey: text("private_key").notNull(),
  /** When the key was made, in milliseconds since the epoch. */
  createdMs: integer("created_ms").notNull(),
});
