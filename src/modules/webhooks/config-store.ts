import { and, asc, desc, eq, isNull, ne, sql } from "drizzle-orm";
import type { WebhookConfig } from "./core/config.ts";
import { webhookConfigs, webhookDeliveries } from "./tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { Database } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { SecretBox } from "#platform/secrets/secrets.ts";
import type { Timestamp } from "#platform/time.ts";

/** What a client may set on a config. */
export interface ConfigFields {
  readonly endpoint: string;
  readonly secret: string;
  readonly eventTypes: readonly string[];
  /** Without one, a new config has an empty name and an existing one keeps its own. */
  readonly name: string | undefined;
}

export interface ConfigFilter {
  readonly id?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** What each change comes with: its date, and its entry in the audit. */
export interface ConfigChange {
  readonly now: Timestamp;
  readonly change: AuditedChange;
}

/** The endpoint of a delivery, and the secret that signs it. */
export interface DeliveryTarget {
  readonly endpoint: string;
  /** Throws when the key that has encrypted the secret is not among the settings. */
  readonly openSecret: () => string;
}

/** Webhook configs in D1. Deleted ones are not seen, and secrets are encrypted there. */
export class ConfigStore {
  readonly #db: Database;
  readonly #box: SecretBox;

  constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  /** Newest change first. */
  async list(filter: ConfigFilter): Promise<WebhookConfig[]> {
    const rows = await this.#db
      .select()
      .from(webhookConfigs)
      .where(
        and(
          isNull(webhookConfigs.deletedAt),
          filter.id === undefined ? undefined : eq(webhookConfigs.id, filter.id),
          filter.endpoint === undefined ? undefined : eq(webhookConfigs.endpoint, filter.endpoint),
        ),
      )
      .orderBy(desc(webhookConfigs.updatedAt), asc(webhookConfigs.id));
    return rows.map((row) => this.#toConfig(row));
  }

  async find(id: string): Promise<WebhookConfig | undefined> {
    const [config] = await this.list({ id });
    return config;
  }

  async insert(
    id: string,
    fields: ConfigFields,
    { now, change }: ConfigChange,
  ): Promise<WebhookConfig> {
    const row = {
      id,
      ...this.#toColumns(id, fields),
      name: fields.name ?? "",
      active: true,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await change.store(this.#db.insert(webhookConfigs).values(row));
    return this.#toConfig(row);
  }

  /** Returns whether the config exists. */
  async update(id: string, fields: ConfigFields, { now, change }: ConfigChange): Promise<boolean> {
    const name = fields.name === undefined ? {} : { name: fields.name };
    const updated = await change.store(
      this.#db
        .update(webhookConfigs)
        .set({ ...this.#toColumns(id, fields), ...name, updatedAt: now })
        .where(existing(id))
        .returning({ id: webhookConfigs.id }),
    );
    return updated.length > 0;
  }

  async updateSecret(
    id: string,
    secret: string,
    { now, change }: ConfigChange,
  ): Promise<WebhookConfig | undefined> {
    const [row] = await change.store(
      this.#db
        .update(webhookConfigs)
        .set({ secret: this.#seal(id, secret), updatedAt: now })
        .where(existing(id))
        .returning(),
    );
    return row === undefined ? undefined : this.#toConfig(row);
  }

  /**
   * Does nothing if the config is already in that state. Deactivation cancels the deliveries that are pending for the
   * config.
   */
  async setActive(id: string, active: boolean, { now, change }: ConfigChange): Promise<void> {
    const update = this.#db
      .update(webhookConfigs)
      .set({ active, updatedAt: now })
      .where(and(existing(id), ne(webhookConfigs.active, active)));
    await change.store(update, ...(active ? [] : [this.#cancelPending(id, now)]));
  }

  /** Cancels the config's pending deliveries. Returns whether the config existed. */
  async remove(id: string, { now, change }: ConfigChange): Promise<boolean> {
    const removed = await change.store(
      this.#db
        .update(webhookConfigs)
        .set({ active: false, updatedAt: now, deletedAt: now })
        .where(existing(id))
        .returning({ id: webhookConfigs.id }),
      this.#cancelPending(id, now),
    );
    return removed.length > 0;
  }

  /** The configs that events go to. */
  async listSubscriptions(): Promise<{ configId: string; eventTypes: readonly string[] }[]> {
    const rows = await this.#db
      .select({ configId: webhookConfigs.id, eventTypes: webhookConfigs.eventTypes })
      .from(webhookConfigs)
      .where(and(isNull(webhookConfigs.deletedAt), eq(webhookConfigs.active, true)));
    return rows.map((row) => ({ ...row, eventTypes: toEventTypes(row.eventTypes) }));
  }

  /** Where the events of the active configs among `ids` go, by config. */
  async listTargets(ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryTarget>> {
    const rows = await this.#db
      .select()
      .from(webhookConfigs)
      .where(
        and(
          sql`${webhookConfigs.id} IN (SELECT value FROM json_each(${stringifyJson(ids)}))`,
          isNull(webhookConfigs.deletedAt),
          eq(webhookConfigs.active, true),
        ),
      );
    return new Map(
      rows.map(({ id, endpoint, secret }) => [
        id,
        { endpoint, openSecret: () => this.#box.open(secret, purposeOf(id)) },
      ]),
    );
  }

  #cancelPending(configId: string, now: Timestamp) {
    return this.#db
      .update(webhookDeliveries)
      .set({ status: "cancelled", nextAttemptAt: null, updatedAt: now })
      .where(
        // A literal, because the partial index is only used when the planner sees its condition.
        and(eq(webhookDeliveries.configId, configId), sql`${webhookDeliveries.status} = 'pending'`),
      );
  }

  #toColumns(id: string, { endpoint, secret, eventTypes }: ConfigFields) {
    return { endpoint, secret: this.#seal(id, secret), eventTypes: stringifyJson(eventTypes) };
  }

  #seal(id: string, secret: string): string {
    return this.#box.seal(secret, purposeOf(id));
  }

  #toConfig(row: typeof webhookConfigs.$inferSelect): WebhookConfig {
    const { id, endpoint, name, active, createdAt, updatedAt } = row;
    const secret = this.#box.open(row.secret, purposeOf(id));
    const eventTypes = toEventTypes(row.eventTypes);
    return { id, endpoint, secret, eventTypes, name, active, createdAt, updatedAt };
  }
}

const existing = (id: string) => and(eq(webhookConfigs.id, id), isNull(webhookConfigs.deletedAt));

const purposeOf = (id: string): string => `webhook secret ${id}`;

/** The column holds what `stringifyJson` made of a list of texts. */
const toEventTypes = (json: string): readonly string[] => parseJson(json) as readonly string[];
