import { and, count, desc, eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Client, ClientFields, ClientSecret } from "./core/client.ts";
import { authClientSecrets, authClients, authSigningKeys } from "./tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

type ClientRow = typeof authClients.$inferSelect;
type SecretRow = typeof authClientSecrets.$inferSelect;
export type SigningKeyRow = typeof authSigningKeys.$inferSelect;

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

  /** Whether the client was added; if not, the id is taken. */
  async insertClient(id: string, fields: ClientFields, change: AuditedChange): Promise<boolean> {
    const added = await change.store(
      this.#db
        .insert(authClients)
        .values({ id, ...toColumns(fields) })
        .onConflictDoNothing()
        .returning({ id: authClients.id }),
    );
    return added.length > 0;
  }

  /** The client after the change, or undefined where there is none of that id. */
  async updateClient(
    id: string,
    fields: ClientFields,
    change: AuditedChange,
  ): Promise<Client | undefined> {
    const [client] = await change.store(
      this.#db.update(authClients).set(toColumns(fields)).where(eq(authClients.id, id)).returning(),
    );
    return client === undefined ? undefined : toClient(client, await this.#secretsOf(id));
  }

  /** Deletes a client, and its secrets with it, then what follows from it. */
  async deleteClient(
    id: string,
    change: AuditedChange,
    consequences: readonly BatchItem<"sqlite">[],
  ): Promise<void> {
    await change.store(this.#db.delete(authClients).where(eq(authClients.id, id)), ...consequences);
  }

  /** Whether the secret was added; if not, the client is gone. */
  async insertSecret(
    clientId: string,
    secret: ClientSecret,
    change: AuditedChange,
  ): Promise<boolean> {
    const { id, name, hash, lastDigits } = secret;
    const metadata = stringifyJson(secret.metadata);
    // One statement, so that a client that is deleted at the same time leaves no secret behind.
    const added = await change.store(
      this.#db
        .insert(authClientSecrets)
        .select(
          sql`
            SELECT NULL, ${id}, id, ${name}, ${hash}, ${lastDigits}, ${metadata}
            FROM auth_clients WHERE id = ${clientId}`,
        )
        .returning({ id: authClientSecrets.id }),
    );
    return added.length > 0;
  }

  /** Whether the client had such a secret. */
  async deleteSecret(clientId: string, secretId: string, change: AuditedChange): Promise<boolean> {
    const deleted = await change.store(
      this.#db
        .delete(authClientSecrets)
        .where(and(eq(authClientSecrets.id, secretId), eq(authClientSecrets.clientId, clientId)))
        .returning({ id: authClientSecrets.id }),
    );
    return deleted.length > 0;
  }

  /** The newest first. */
  async listSigningKeys(): Promise<SigningKeyRow[]> {
    return this.#db.select().from(authSigningKeys).orderBy(desc(authSigningKeys.sequence));
  }

  /** Adds a key, unless another one was given the same sequence in the meantime. */
  async insertSigningKey(key: SigningKeyRow): Promise<void> {
    await this.#db.insert(authSigningKeys).values(key).onConflictDoNothing();
  }

  /** Adds a key that replaces another one, unless a third one has done so meanwhile. */
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

function toColumns(fields: ClientFields) {
  return {
    name: fields.name,
    description: fields.description,
    public: fields.public,
    trusted: fields.trusted,
    redirectUris: stringifyJson(fields.redirectUris),
    postLogoutRedirectUris: stringifyJson(fields.postLogoutRedirectUris),
    scopes: stringifyJson(fields.scopes),
    metadata: stringifyJson(fields.metadata),
  };
}

function toClient(row: ClientRow, secrets: readonly SecretRow[]): Client {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    public: row.public,
    trusted: row.trusted,
    redirectUris: readTexts(row.redirectUris),
    postLogoutRedirectUris: readTexts(row.postLogoutRedirectUris),
    scopes: readTexts(row.scopes),
    metadata: readMetadata(row.metadata),
    secrets: secrets.map(toSecret),
  };
}

const toSecret = (row: SecretRow): ClientSecret => ({
  id: row.id,
  name: row.name,
  hash: row.hash,
  lastDigits: row.lastDigits,
  metadata: readMetadata(row.metadata),
});

/** Columns hold what `toColumns` and `insertSecret` have written there, so their types are known. */
const readTexts = (json: string) => parseJson(json) as string[];
const readMetadata = (json: string) => parseJson(json) as Readonly<Record<string, string>>;
