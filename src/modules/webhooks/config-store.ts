import { and, asc, desc, eq, isNull, ne, sql } from "drizzle-orm";
import type { WebhookConfig } from "./core/config.ts";
import { type NewSecret, rotate, type Secrets, validSecrets } from "./core/secrets.ts";
import { type SecretColumns, SecretSealer } from "./secret-columns.ts";
import { webhookConfigs, webhookDeliveries } from "./tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { Database } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
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

/** What an existing config gets in place of its fields. */
export type ConfigReplacement = ConfigFields & NewSecret;

export interface ConfigFilter {
  readonly id?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** What each change comes with: its date, and its entry in the audit. */
export interface ConfigChange {
  readonly now: Timestamp;
  readonly change: AuditedChange;
}

/** The endpoint of a delivery, and the secrets that sign it. */
export interface DeliveryTarget {
  readonly endpoint: string;
  /**
   * The secrets that are valid at a time, newest first; they are decrypted once. Throws when the key that has encrypted
   * one is not among the settings.
   */
  readonly openSecrets: (now: Timestamp) => readonly string[];
}

/** How often a change begins anew because another one came between its read and its write. */
const CHANGE_ATTEMPTS_MAX = 5;

/** Webhook configs in D1. Deleted ones are not seen, and secrets are encrypted there. */
export class ConfigStore {
  readonly #db: Database;
  readonly #secrets: SecretSealer;

  constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#secrets = new SecretSealer(box);
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
    const row = await this.#findRow(id);
    return row === undefined ? undefined : this.#toConfig(row);
  }

  /** A config, active or not, and where its requests go. */
  async findWithTarget(
    id: string,
  ): Promise<{ config: WebhookConfig; target: DeliveryTarget } | undefined> {
    const row = await this.#findRow(id);
    return row === undefined
      ? undefined
      : { config: this.#toConfig(row), target: this.#toTarget(row) };
  }

  async insert(
    id: string,
    fields: ConfigFields,
    { now, change }: ConfigChange,
  ): Promise<WebhookConfig> {
    const row = {
      id,
      ...toColumns(fields),
      ...this.#secrets.seal(id, { current: fields.secret, previous: [] }),
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
  async update(
    id: string,
    fields: ConfigReplacement,
    { now, change }: ConfigChange,
  ): Promise<boolean> {
    const name = fields.name === undefined ? {} : { name: fields.name };
    const updated = await this.#changeUndisturbed(id, async (row) => {
      const { after } = this.#rotate(row, fields, now);
      const [stored] = await change.store(
        this.#db
          .update(webhookConfigs)
          .set({ ...toColumns(fields), ...this.#secrets.seal(id, after), ...name, updatedAt: now })
          .where(unchanged(row))
          .returning({ id: webhookConfigs.id }),
      );
      return stored;
    });
    return updated !== undefined;
  }

  /** Does nothing if the config has that secret already, and no other one has to end. */
  updateSecret(
    id: string,
    wanted: NewSecret,
    { now, change }: ConfigChange,
  ): Promise<WebhookConfig | undefined> {
    return this.#changeUndisturbed(id, async (row) => {
      const { before, after } = this.#rotate(row, wanted, now);
      if (after === before) return this.#toConfig(row);
      const [stored] = await change.store(
        this.#db
          .update(webhookConfigs)
          .set({ ...this.#secrets.seal(id, after), updatedAt: now })
          .where(unchanged(row))
          .returning(),
      );
      return stored === undefined ? undefined : this.#toConfig(stored);
    });
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
    return new Map(rows.map((row) => [row.id, this.#toTarget(row)]));
  }

  async #findRow(id: string): Promise<ConfigRow | undefined> {
    const [row] = await this.#db.select().from(webhookConfigs).where(existing(id));
    return row;
  }

  /**
   * Reads a config and changes it, and begins anew when another change came in between, which `change` says by returning
   * nothing. Returns nothing if there is no such config.
   */
  async #changeUndisturbed<T>(
    id: string,
    change: (row: ConfigRow) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS_MAX; attempt++) {
      const row = await this.#findRow(id);
      if (row === undefined) return undefined;
      const changed = await change(row);
      if (changed !== undefined) return changed;
    }
    throw new AppError("OVERLOADED", "the config is being changed by others");
  }

  /** The secrets of a config before and after a change. */
  #rotate(
    row: ConfigRow,
    wanted: NewSecret,
    now: Timestamp,
  ): { before: Secrets | undefined; after: Secrets } {
    const before = this.#secrets.openIfPossible(row);
    const after =
      before === undefined ? { current: wanted.secret, previous: [] } : rotate(before, wanted, now);
    return { before, after };
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

  #toTarget(row: TargetRow): DeliveryTarget {
    let opened: Secrets | undefined;
    const openSecrets = (now: Timestamp): readonly string[] => {
      opened ??= this.#secrets.open(row);
      return validSecrets(opened, now);
    };
    return { endpoint: row.endpoint, openSecrets };
  }

  #toConfig(row: ShownRow): WebhookConfig {
    const { id, endpoint, name, active, createdAt, updatedAt } = row;
    const secret = this.#secrets.openCurrent(row);
    const eventTypes = toEventTypes(row.eventTypes);
    return { id, endpoint, secret, eventTypes, name, active, createdAt, updatedAt };
  }
}

type ConfigRow = typeof webhookConfigs.$inferSelect;
type TargetRow = Pick<ConfigRow, "id" | "endpoint"> & SecretColumns;
type ShownRow = Omit<ConfigRow, "previousSecrets" | "testMinute" | "testCount">;

const existing = (id: string) => and(eq(webhookConfigs.id, id), isNull(webhookConfigs.deletedAt));

/** A config whose secrets nobody has changed since it was read: each change encrypts them anew. */
const unchanged = ({ id, secret }: ConfigRow) =>
  and(existing(id), eq(webhookConfigs.secret, secret));

const toColumns = ({ endpoint, eventTypes }: ConfigFields) => ({
  endpoint,
  eventTypes: stringifyJson(eventTypes),
});

/** The column holds what `stringifyJson` made of a list of texts. */
const toEventTypes = (json: string): readonly string[] => parseJson(json) as readonly string[];
