import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Applications that may ask for tokens. Lists and metadata are JSON texts. */
export const authClients = sqliteTable("auth_clients", {
  /** Clients are listed in the order in which they were created. */
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
  /** Whether it was given all scopes of the modules, and so has those that a later release adds. */
  hasAllScopes: integer("has_all_scopes", { mode: "boolean" }).notNull().default(false),
  /** Pairs of a redirect URI and of what whoever has added it could do (`core/authority.ts`), as a JSON text. */
  redirectUriMakers: text("redirect_uri_makers").notNull().default("[]"),
  /** Another text after each change of what it may do, or of its secrets. */
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
    /** What whoever has made it could do (`core/authority.ts`), as a JSON text. */
    maker: text("maker").notNull(),
  },
  (table) => [index("auth_client_secrets_client").on(table.clientId)],
);

/** Keys that sign tokens. The highest sequence signs; the others verify until all that they have signed has expired. */
export const authSigningKeys = sqliteTable("auth_signing_keys", {
  /**
   * A new key takes the number after the highest one that its creator saw, so if two are created at once, only one is
   * stored.
   */
  sequence: integer("sequence").primaryKey(),
  kid: text("kid").notNull().unique(),
  /** The members `n` and `e` of its JSON Web Key. */
  publicKey: text("public_key").notNull(),
  /** PKCS #8, encrypted. */
  privateKey: text("private_key").notNull(),
  /** In milliseconds since the epoch. */
  createdMs: integer("created_ms").notNull(),
});
