import { and, asc, desc, eq, isNotNull, isNull, ne, sql } from "drizzle-orm";
import { toEventTypes } from "./lane-specs.ts";
import { type EndpointColumns, type SecretColumns, SecretSealer } from "./secret-columns.ts";
import type { DeliveryTarget } from "#modules/webhooks/calls/call.ts";
import { type SigningSecret, SigningSecrets } from "#modules/webhooks/calls/signature.ts";
import type { WebhookConfig } from "#modules/webhooks/core/config.ts";
import { LANE_BACKLOG, type LaneSpec } from "#modules/webhooks/core/lane.ts";
import { type NewSecret, rotate, type Secrets } from "#modules/webhooks/core/secrets.ts";
import { deactivatedEvent } from "#modules/webhooks/event-types.ts";
import { webhookConfigs } from "#modules/webhooks/tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { rowValues } from "#platform/db/row-values.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { maskUrlSecrets } from "#platform/secrets/url-secrets.ts";
import { forgetBacklog } from "#platform/status/object-backlogs.ts";
import type { Timestamp } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";
import { type PendingRow, SyncTable } from "#platform/work/sync-table.ts";

/** Most configs of a deployment, including deleted configs whose deliveries are still kept. Each event is matched against all active configs. */
export const CONFIGS_MAX = 500;

/** A config whose object may not know the latest revision. */
export interface PendingConfig extends PendingRow {
  readonly id: string;
}

/** The fields of a config that a client sets. */
export interface ConfigFields {
  /** The URL with its secrets. In an update, masks stand for the stored secrets. */
  readonly endpoint: string;
  readonly secret: string;
  readonly eventTypes: readonly string[];
  /** Undefined gives a new config an empty name and keeps the name of an existing one. */
  readonly name: string | undefined;
}

/** The new fields of an existing config. */
export type ConfigReplacement = ConfigFields & NewSecret;

export interface ConfigFilter {
  readonly id?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** The date of a change and its entry in the audit. */
export interface ConfigChange {
  readonly now: Timestamp;
  readonly change: AuditedChange;
}

/** How often a change is tried when other changes keep coming between its read and its write. */
const CHANGE_ATTEMPTS_MAX = 5;

/**
 * Webhook configs in D1, with encrypted secrets. Reads leave deleted configs out, unless a method says otherwise. Methods that return a
 * `WebhookConfig` throw if its secret cannot be decrypted. Methods with a `ConfigChange` store its entry in the audit together with the
 * change. Updates throw `OVERLOADED` if other changes keep coming first.
 */
export class ConfigStore {
  readonly #db: Database;
  readonly #secrets: SecretSealer;

  constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#secrets = new SecretSealer(box);
  }

  static from(env: Env): ConfigStore {
    return new ConfigStore(databaseOf(env), SecretBox.from(env));
  }

  /** The configs whose objects may not know the latest revision. */
  get pending(): SyncTable<PendingConfig> {
    return new SyncTable<PendingConfig>(this.#db, { table: webhookConfigs, isFinal: sql`0` });
  }

  /** Lists all configs that match, the last changed first. The filter's endpoint has the URL's secrets, or masks in place of them. */
  async list(filter: ConfigFilter): Promise<WebhookConfig[]> {
    const rows = await this.#db
      .select()
      .from(webhookConfigs)
      .where(
        and(
          isNull(webhookConfigs.deletedAt),
          filter.id === undefined ? undefined : eq(webhookConfigs.id, filter.id),
          filter.endpoint === undefined
            ? undefined
            : eq(webhookConfigs.endpoint, maskUrlSecrets(filter.endpoint)),
        ),
      )
      .orderBy(desc(webhookConfigs.updatedAt), asc(webhookConfigs.id));
    return rows
      .filter((row) => this.#secrets.isEndpointOf(row, filter.endpoint))
      .map((row) => this.#toConfig(row));
  }

  async find(id: string): Promise<WebhookConfig | undefined> {
    const row = await this.#findRow(id);
    return row === undefined ? undefined : this.#toConfig(row);
  }

  /** The event types of a config; they can be read even if its secrets cannot be decrypted. */
  async eventTypesOf(id: string): Promise<readonly string[] | undefined> {
    const row = await this.#findRow(id);
    return row === undefined ? undefined : toEventTypes(row.eventTypes);
  }

  /** A config, active or not, with the target of its requests; undefined if there is no such config. */
  async findWithTarget(
    id: string,
  ): Promise<{ config: WebhookConfig; target: DeliveryTarget } | undefined> {
    const row = await this.#findRow(id);
    return row === undefined
      ? undefined
      : { config: this.#toConfig(row), target: this.#toTarget(row) };
  }

  /** Inserts an active config. Returns undefined if there are `CONFIGS_MAX` already. Throws `VALIDATION` for a URL with masks. */
  async insert(
    id: string,
    fields: ConfigFields,
    { now, change }: ConfigChange,
  ): Promise<WebhookConfig | undefined> {
    const row: ConfigRow = {
      id,
      ...this.#secrets.sealEndpoint(id, fields.endpoint),
      eventTypes: stringifyJson(fields.eventTypes),
      ...this.#secrets.seal(id, { current: fields.secret, previous: [] }),
      name: fields.name ?? "",
      active: true,
      endedRevision: 0,
      hasFailed: false,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
      testMinute: null,
      testCount: 0,
      revision: 1,
      syncedRevision: 0,
      syncAttempts: 0,
      syncAfter: now,
    };
    // The statement itself counts the configs, because other requests may create some at the same time.
    const inserted = await change.store(
      this.#db
        .insert(webhookConfigs)
        .select(
          sql`SELECT ${rowValues(webhookConfigs, row)} WHERE (SELECT count(*) FROM ${webhookConfigs}) < ${CONFIGS_MAX}`,
        )
        .returning({ id: webhookConfigs.id }),
    );
    return inserted.length === 0 ? undefined : this.#toConfig(row);
  }

  /** Replaces the fields of a config. Returns whether the config exists. Throws `VALIDATION` for a mask that stands for no stored secret. */
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
          .set({
            ...this.#secrets.sealEndpoint(id, fields.endpoint, row),
            eventTypes: stringifyJson(fields.eventTypes),
            ...this.#secrets.seal(id, after),
            ...name,
            updatedAt: now,
            ...nextRevision(now),
          })
          .where(unchanged(row))
          .returning({ id: webhookConfigs.id }),
      );
      return stored;
    });
    return updated !== undefined;
  }

  /** Changes the secret by `rotate` of `core/secrets.ts`; writes nothing if that changes nothing. Returns undefined if there is no such config. */
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
          .set({ ...this.#secrets.seal(id, after), updatedAt: now, ...nextRevision(now) })
          .where(unchanged(row))
          .returning(),
      );
      return stored === undefined ? undefined : this.#toConfig(stored);
    });
  }

  /** Activates or deactivates a config; writes nothing if it is in this state already or does not exist. */
  async setActive(id: string, active: boolean, { now, change }: ConfigChange): Promise<void> {
    const update = this.#db
      .update(webhookConfigs)
      .set({ active, ...(active ? {} : ended(false)), updatedAt: now, ...nextRevision(now) })
      .where(and(existing(id), ne(webhookConfigs.active, active)));
    await change.store(update);
  }

  /** Deactivates a config whose endpoint keeps failing, if it still has the revision, and publishes the event; a repeated call may send it again. */
  async deactivateFailing(
    { configId, revision }: LaneSpec,
    context: ServiceContext,
  ): Promise<void> {
    const now = context.clock();
    const isDone = sql`EXISTS (
      SELECT 1 FROM ${webhookConfigs}
      WHERE id = ${configId} AND has_failed AND ended_revision = ${revision + 1} AND revision = ended_revision)`;
    const config = await this.#findRow(configId);
    if (config === undefined) return;
    await Outbox.from(context).publish({
      change: [
        this.#db
          .update(webhookConfigs)
          .set({ active: false, ...ended(true), updatedAt: now, ...nextRevision(now) })
          .where(
            and(
              existing(configId),
              eq(webhookConfigs.active, true),
              eq(webhookConfigs.revision, revision),
            ),
          ),
      ],
      events: [deactivatedEvent(config, { revision, now })],
      condition: isDone,
    });
  }

  /** Marks a config as deleted. Returns whether there was one. */
  async remove(id: string, { now, change }: ConfigChange): Promise<boolean> {
    const removed = await change.store(
      this.#db
        .update(webhookConfigs)
        .set({
          active: false,
          ...ended(false),
          updatedAt: now,
          deletedAt: now,
          ...nextRevision(now),
        })
        .where(existing(id))
        .returning({ id: webhookConfigs.id }),
    );
    return removed.length > 0;
  }

  /** Removes the row of a deleted config, once its object holds nothing any more. The row of any other config stays. */
  async forget(id: string): Promise<void> {
    await this.#db.batch([
      forgetBacklog(this.#db, { kind: LANE_BACKLOG, name: id }),
      this.#db
        .delete(webhookConfigs)
        .where(and(eq(webhookConfigs.id, id), isNotNull(webhookConfigs.deletedAt))),
    ]);
  }

  /** The endpoint and the secrets of a config, active or not; undefined if there is no such config. The secrets are decrypted when they are used. */
  async findTarget(id: string): Promise<DeliveryTarget | undefined> {
    const row = await this.#findRow(id);
    return row === undefined ? undefined : this.#toTarget(row);
  }

  async #findRow(id: string): Promise<ConfigRow | undefined> {
    const [row] = await this.#db.select().from(webhookConfigs).where(existing(id));
    return row;
  }

  /**
   * Reads a config and changes it. Repeats both while `change` returns undefined, which means that another change came in
   * between. Returns undefined if there is no such config. Throws `OVERLOADED` after some attempts.
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
    throw new AppError("OVERLOADED", "the config is being changed by other requests");
  }

  /** The secrets of a config before and after a change; undefined before it if they cannot be decrypted. */
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

  #toTarget(row: TargetRow): DeliveryTarget {
    let opened: SigningSecrets | undefined;
    const openSecrets = (nowMs: number): readonly SigningSecret[] => {
      opened ??= new SigningSecrets(this.#secrets.open(row));
      return opened.validAt(nowMs);
    };
    return { endpoint: this.#secrets.openEndpointIfPossible(row), openSecrets };
  }

  #toConfig(row: ShownRow): WebhookConfig {
    const { id, endpoint, name, active, createdAt, updatedAt } = row;
    const secret = this.#secrets.openCurrent(row);
    const eventTypes = toEventTypes(row.eventTypes);
    return { id, endpoint, secret, eventTypes, name, active, createdAt, updatedAt };
  }
}

type ConfigRow = typeof webhookConfigs.$inferSelect;
type TargetRow = Pick<ConfigRow, "id"> & EndpointColumns & SecretColumns;
type ShownRow = Pick<
  ConfigRow,
  "id" | "endpoint" | "secret" | "eventTypes" | "name" | "active" | "createdAt" | "updatedAt"
>;

/** The columns that a deactivation sets besides the new revision. */
const ended = (hasFailed: boolean) => ({ endedRevision: sql`revision + 1`, hasFailed });

const existing = (id: string) => and(eq(webhookConfigs.id, id), isNull(webhookConfigs.deletedAt));

/** Holds while nobody has changed the fields or the secret of a config: each of these changes encrypts the secret to another text. */
const unchanged = ({ id, secret }: ConfigRow) =>
  and(existing(id), eq(webhookConfigs.secret, secret));
