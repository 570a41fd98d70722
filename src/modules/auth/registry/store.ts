import { and, count, desc, eq, sql } from "drizzle-orm";
import {
  type ConditionalChange,
  hasUnchangedAuthority,
} from "#modules/auth/authority/conditions.ts";
import {
  fromAuthorityColumn,
  namedScopes,
  toAuthorityColumn,
} from "#modules/auth/authority/stored-authority.ts";
import type { Client, ClientSecret } from "#modules/auth/core/client.ts";
import { authClientSecrets, authClients, authSigningKeys } from "#modules/auth/tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

type ClientRow = typeof authClients.$inferSelect;
type SecretRow = typeof authClientSecrets.$inferSelect;
export type SigningKeyRow = typeof authSigningKeys.$inferSelect;

/** A client as it is stored, without its secrets. */
export type StoredClient = Omit<Client, "secrets">;

/** Clients, their secrets and the signing keys, in D1. */
export class AuthStore {
  readonly #db: Database;

  constructor(env: Pick<Env, "DB">) {
    this.#db = databaseOf(env);
  }

  async check(): Promise<void> {
    await this.#db.run(sql`SELECT 1`);
  }

  async listClients(): Promise<Client[]> {
    const [clients, secrets] = await this.#db.batch([
      this.#db.select().from(authClients).orderBy(authClients.sequence),
      this.#db.select().from(authClientSecrets).orderBy(authClientSecrets.sequence),
    ]);
    const secretsOf = Map.groupBy(secrets, (secret) => secret.clientId);
    return clients.map((client) => toClient(client, secretsOf.get(client.id) ?? []));
  }

  async countClients(): Promise<number> {
    const [row] = await this.#db.select({ count: count() }).from(authClients);
    return row?.count ?? 0;
  }

  async findClient(id: string): Promise<Client | undefined> {
    const [[client], secrets] = await this.#db.batch([
      this.#db.select().from(authClients).where(eq(authClients.id, id)),
      this.#secretsOf(id),
    ]);
    return client === undefined ? undefined : toClient(client, secrets);
  }

  /** Adds a client. Returns false if the id is taken or the condition does not hold. */
  async insertClient(client: StoredClient, change: ConditionalChange): Promise<boolean> {
    const row = toColumns(client);
    const added = await change.audited.store(
      this.#db
        .insert(authClients)
        .select(
          sql`
            SELECT NULL, ${client.id}, ${row.name}, ${row.description}, ${Number(row.public)}, ${Number(row.trusted)},
              ${row.redirectUris}, ${row.postLogoutRedirectUris}, ${row.scopes}, ${row.metadata},
              ${Number(row.hasAllScopes)}, ${row.redirectUriMakers}, ${row.version}
            WHERE ${change.condition}`,
        )
        .onConflictDoNothing()
        .returning({ id: authClients.id }),
    );
    return added.length > 0;
  }

  /** Replaces the fields of a client, and deletes its secrets with the ids `ended`. Returns whether the condition held. */
  async updateClient(
    client: StoredClient,
    { before = [], audited, condition, others = [] }: ConditionalChange,
    ended: readonly string[],
  ): Promise<boolean> {
    const isThisOne = eq(authClients.id, client.id);
    const changed = await audited.storeAfter(
      before,
      this.#db
        .update(authClients)
        .set(toColumns(client))
        .where(and(isThisOne, condition))
        .returning({ id: authClients.id }),
      ...others,
      ...ended.map((id) =>
        this.#db
          .delete(authClientSecrets)
          .where(and(eq(authClientSecrets.id, id), hasUnchangedAuthority(authClients, client))),
      ),
    );
    return changed.length > 0;
  }

  /**
   * Deletes a client and, by cascade, its secrets; then runs the statements that follow. Returns whether there was a client and
   * the condition held.
   */
  async deleteClient(
    id: string,
    { before = [], audited, condition, others = [] }: ConditionalChange,
  ): Promise<boolean> {
    const deleted = await audited.storeAfter(
      before,
      this.#db
        .delete(authClients)
        .where(and(eq(authClients.id, id), condition))
        .returning({ id: authClients.id }),
      ...others,
    );
    return deleted.length > 0;
  }

  /** Adds a secret and gives the client a new version, so that changes at the same time see the secret. Returns whether the condition held. */
  async insertSecret(
    client: Pick<Client, "id" | "version">,
    secret: ClientSecret,
    { audited, condition }: ConditionalChange,
  ): Promise<boolean> {
    const { id, name, hash, lastDigits } = secret;
    const metadata = stringifyJson(secret.metadata);
    const maker = toAuthorityColumn(secret.maker);
    const added = await audited.store(
      this.#db
        .update(authClients)
        .set({ version: client.version })
        .where(and(eq(authClients.id, client.id), condition))
        .returning({ id: authClients.id }),
      this.#db.insert(authClientSecrets).select(
        sql`
            SELECT NULL, ${id}, ${client.id}, ${name}, ${hash}, ${lastDigits}, ${metadata}, ${maker}
            WHERE ${hasUnchangedAuthority(authClients, client)}`,
      ),
    );
    return added.length > 0;
  }

  /** Deletes a secret. Returns whether the client had it and the condition held. */
  async deleteSecret(
    clientId: string,
    secretId: string,
    { audited, condition }: ConditionalChange,
  ): Promise<boolean> {
    const deleted = await audited.store(
      this.#db
        .delete(authClientSecrets)
        .where(
          and(
            eq(authClientSecrets.id, secretId),
            eq(authClientSecrets.clientId, clientId),
            condition,
          ),
        )
        .returning({ id: authClientSecrets.id }),
    );
    return deleted.length > 0;
  }

  /** Lists the signing keys, newest first. */
  async listSigningKeys(): Promise<SigningKeyRow[]> {
    return this.#db.select().from(authSigningKeys).orderBy(desc(authSigningKeys.sequence));
  }

  /** Adds a key, unless another one has its sequence already. */
  async insertSigningKey(key: SigningKeyRow): Promise<void> {
    await this.#db.insert(authSigningKeys).values(key).onConflictDoNothing();
  }

  /** Adds a key that replaces the newest, unless another key has its sequence already. */
  async replaceSigningKey(key: SigningKeyRow, change: AuditedChange): Promise<void> {
    await change.store(this.#db.insert(authSigningKeys).values(key).onConflictDoNothing());
  }

  async deleteSigningKey(kid: string): Promise<void> {
    await this.#db.delete(authSigningKeys).where(eq(authSigningKeys.kid, kid));
  }

  async updatePrivateKey(kid: string, privateKey: string): Promise<void> {
    await this.#db.update(authSigningKeys).set({ privateKey }).where(eq(authSigningKeys.kid, kid));
  }

  #secretsOf(clientId: string) {
    return this.#db
      .select()
      .from(authClientSecrets)
      .where(eq(authClientSecrets.clientId, clientId))
      .orderBy(authClientSecrets.sequence);
  }
}

function toColumns(client: StoredClient) {
  return {
    name: client.name,
    description: client.description,
    public: client.public,
    trusted: client.trusted,
    redirectUris: stringifyJson(client.redirectUris),
    postLogoutRedirectUris: stringifyJson(client.postLogoutRedirectUris),
    scopes: stringifyJson(client.scopes),
    metadata: stringifyJson(client.metadata),
    hasAllScopes: client.hasAllScopes,
    redirectUriMakers: stringifyJson(
      [...client.redirectUriMakers].map(([uri, maker]) => [uri, toAuthorityColumn(maker)]),
    ),
    version: client.version,
  };
}

function toClient(row: ClientRow, secrets: readonly SecretRow[]): Client {
  const { hasAllScopes, version } = row;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    public: row.public,
    trusted: row.trusted,
    redirectUris: readTexts(row.redirectUris),
    postLogoutRedirectUris: readTexts(row.postLogoutRedirectUris),
    scopes: namedScopes(readTexts(row.scopes), hasAllScopes),
    metadata: readMetadata(row.metadata),
    secrets: secrets.map(toSecret),
    hasAllScopes,
    redirectUriMakers: new Map(
      (parseJson(row.redirectUriMakers) as [string, string][]).map(([uri, maker]) => [
        uri,
        fromAuthorityColumn(maker),
      ]),
    ),
    version,
  };
}

const toSecret = (row: SecretRow): ClientSecret => ({
  id: row.id,
  name: row.name,
  hash: row.hash,
  lastDigits: row.lastDigits,
  metadata: readMetadata(row.metadata),
  maker: fromAuthorityColumn(row.maker),
});

/** `toColumns` and `insertSecret` have written the columns. */
const readTexts = (json: string) => parseJson(json) as string[];
const readMetadata = (json: string) => parseJson(json) as Readonly<Record<string, string>>;
