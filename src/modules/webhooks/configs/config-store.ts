import { and, asc, desc, eq, gte, isNotNull, isNull, lt, ne, sql } from "drizzle-orm";
import { type EndpointColumns, type SecretColumns, SecretSealer } from "./secret-columns.ts";
import { SPEC_COLUMNS, toSpec } from "./spec-columns.ts";
import type { DeliveryTarget } from "#modules/webhooks/calls/call.ts";
import { type SigningSecret, SigningSecrets } from "#modules/webhooks/calls/signature.ts";
import type { WebhookConfig } from "#modules/webhooks/core/config.ts";
import type { LaneSpec } from "#modules/webhooks/core/lane.ts";
import { type NewSecret, rotate, type Secrets } from "#modules/webhooks/core/secrets.ts";
import { deactivatedEvent } from "#modules/webhooks/event-types.ts";
import { webhookConfigs } from "#modules/webhooks/tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { rowValues } from "#platform/db/row-values.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { maskUrlSecrets } from "#platform/secrets/url-secrets.ts";
import type { Timestamp } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";
import { type PendingRow, SyncTable } from "#platform/work/sync-table.ts";

/** Most configs of a deployment, deleted ones included whose deliveries are still kept: each event is matched against all. */
export const CONFIGS_MAX = 500;

/** A config whose object may not know its latest revision. */
export interface PendingConfig extends PendingRow {
  readonly id: string;
}

export interface LaneFilter {
  readonly ids?: readonly string[] | undefined;
  /** How their ids begin. */
  readonly prefix?: string;
  readonly isActive?: boolean;
  readonly isDeleted?: false;
}

/** Which events a config wants. */
export interface Subscription {
  readonly spec: LaneSpec;
  readonly eventTypes: ReadonlySet<string>;
}

/** What a client may set on a config. */
export interface ConfigFields {
  /** With its secrets; masks in an update stand for the stored ones. */
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

  static from(env: Env): ConfigStore {
    return new ConfigStore(databaseOf(env), SecretBox.from(env));
  }

  /** Configs whose objects may not know their latest revision. */
  get pending(): SyncTable<PendingConfig> {
    return new SyncTable<PendingConfig>(this.#db, { table: webhookConfigs, isFinal: sql`0` });
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

  /** The types of the events that a config sends, also where its secrets cannot be read. */
  async eventTypesOf(id: string): Promise<readonly string[] | undefined> {
    const row = await this.#findRow(id);
    return row === undefined ? undefined : toEventTypes(row.eventTypes);
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

  /** Undefined where there are as many as there may be. Throws `VALIDATION` where the URL has masks. */
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
    // The statement counts by itself: others may create configs at the same time.
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

  /** Returns whether the config exists. Throws `VALIDATION` where the URL has masks that stand for nothing. */
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
          .set({ ...this.#secrets.seal(id, after), updatedAt: now, ...nextRevision(now) })
          .where(unchanged(row))
          .returning(),
      );
      return stored === undefined ? undefined : this.#toConfig(stored);
    });
  }

  /** Does nothing if the config is already in that state. */
  async setActive(id: string, active: boolean, { now, change }: ConfigChange): Promise<void> {
    const update = this.#db
      .update(webhookConfigs)
      .set({ active, ...(active ? {} : ended(false)), updatedAt: now, ...nextRevision(now) })
      .where(and(existing(id), ne(webhookConfigs.active, active)));
    await change.store(update);
  }

  /** Deactivates a config whose endpoint keeps failing, unless it has changed, and publishes the event that says so. */
  async deactivateFailing(
    { configId, revision }: LaneSpec,
    context: ServiceContext,
  ): Promise<void> {
    const now = context.clock();
    const isDone = sql`EXISTS (
      SELECT 1 FROM ${webhookConfigs}
      WHERE id = ${configId} AND has_failed AND ended_revision = ${revision + 1} AND revision = ended_revision)`;
    const config = await this.find(configId);
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

  /** Returns whether the config existed. */
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

  /** Removes a deleted config, of which nothing is left anywhere else. */
  async forget(id: string): Promise<void> {
    await this.#db
      .delete(webhookConfigs)
      .where(and(eq(webhookConfigs.id, id), isNotNull(webhookConfigs.deletedAt)));
  }

  /** The configs that events go to. */
  async listSubscriptions(): Promise<Subscription[]> {
    const rows = await this.#db
      .select({ ...SPEC_COLUMNS, eventTypes: webhookConfigs.eventTypes })
      .from(webhookConfigs)
      .where(and(isNull(webhookConfigs.deletedAt), eq(webhookConfigs.active, true)));
    return rows.map((row) => ({
      spec: toSpec(row),
      eventTypes: new Set(toEventTypes(row.eventTypes)),
    }));
  }

  /** The ids of all configs that may have deliveries, deleted ones included, as far as they meet the conditions. */
  async listLanes({ ids, prefix, isActive, isDeleted }: LaneFilter): Promise<string[]> {
    const rows = await this.#db
      .select({ id: webhookConfigs.id })
      .from(webhookConfigs)
      .where(
        and(
          ids === undefined
            ? undefined
            : sql`${webhookConfigs.id} IN (SELECT value FROM json_each(${stringifyJson(ids)}))`,
          prefix === undefined
            ? undefined
            : and(gte(webhookConfigs.id, prefix), lt(webhookConfigs.id, `${prefix}~`)),
          isActive === undefined ? undefined : eq(webhookConfigs.active, isActive),
          isDeleted === undefined ? undefined : isNull(webhookConfigs.deletedAt),
        ),
      );
    return rows.map(({ id }) => id);
  }

  /** What the object of a config is to know; undefined where nothing is left of the config. */
  async findSpec(id: string): Promise<LaneSpec | undefined> {
    const [row] = await this.#db
      .select(SPEC_COLUMNS)
      .from(webhookConfigs)
      .where(eq(webhookConfigs.id, id));
    return row === undefined ? undefined : toSpec(row);
  }

  /** Where the events of a config go, and how they are signed. */
  async findTarget(id: string): Promise<DeliveryTarget | undefined> {
    const row = await this.#findRow(id);
    return row === undefined ? undefined : this.#toTarget(row);
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

/** What a deactivation sets besides the new revision. */
const ended = (hasFailed: boolean) => ({ endedRevision: sql`revision + 1`, hasFailed });

const existing = (id: string) => and(eq(webhookConfigs.id, id), isNull(webhookConfigs.deletedAt));

/** A config whose secrets nobody has changed since it was read: each change encrypts them anew. */
const unchanged = ({ id, secret }: ConfigRow) =>
  and(existing(id), eq(webhookConfigs.secret, secret));

/** The column holds what `stringifyJson` made of a list of texts. */
const toEventTypes = (json: string): readonly string[] => parseJson(json) as readonly string[];
