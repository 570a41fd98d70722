import { and, asc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import type { ExporterSetup } from "./exporter-config.ts";
import { type DatedChange, openConfig } from "./exporter-store.ts";
import { ledgers } from "#modules/catalogue/index.ts";
import { exporters, pipelines } from "#modules/exporters/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import type { Timestamp } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";
import { type PendingRow, SyncTable } from "#platform/work/sync-table.ts";

/** The kind of pipelines among objects whose work waits, by the ids of the pipelines. */
export const PIPELINE_BACKLOG = "pipelines";

/** A pipeline as D1 has it. */
export interface Pipeline {
  readonly id: string;
  readonly ledger: string;
  readonly exporterId: string;
  readonly enabled: boolean;
  readonly resets: number;
  readonly createdAt: Timestamp;
}

/** The instructions for the object of a pipeline. */
export interface PipelineSpec extends Pipeline {
  readonly revision: number;
  /** Decrypts the config, and throws when its key is not among the settings. Undefined if the exporter was deleted. */
  readonly openSetup: (() => ExporterSetup) | undefined;
}

/** A pipeline whose object may not have the latest spec. */
export interface PendingPipeline extends PendingRow {
  readonly id: string;
}

/** Names a pipeline by its id and by the ledger that it has to belong to. */
export interface PipelineTarget {
  readonly ledger: string;
  readonly id: string;
}

/** Identifies a ledger, and not a later ledger of the same name. */
export interface LedgerIdentity {
  readonly name: string;
  readonly uuid: string;
}

/** The columns of a pipeline without those of its synchronisation. */
const COLUMNS = {
  id: pipelines.id,
  ledger: pipelines.ledger,
  exporterId: pipelines.exporterId,
  enabled: pipelines.enabled,
  resets: pipelines.resets,
  createdAt: pipelines.createdAt,
};

/** Pipelines in D1. Each change of a row increases its revision, of which the reconciler then tells the object. */
export class PipelineStore {
  readonly #db: Database;
  readonly #box: SecretBox;

  constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  static from(env: Pick<Env, "DB">): PipelineStore {
    return new PipelineStore(databaseOf(env), SecretBox.from(env));
  }

  /** All pipelines of a ledger, oldest first. */
  list(ledger: string): Promise<Pipeline[]> {
    return this.#db
      .select(COLUMNS)
      .from(pipelines)
      .where(and(eq(pipelines.ledger, ledger), LIVE))
      .orderBy(asc(pipelines.createdAt), asc(pipelines.id));
  }

  async find(target: PipelineTarget): Promise<Pipeline | undefined> {
    const [row] = await this.#db.select(COLUMNS).from(pipelines).where(liveTarget(target));
    return row;
  }

  /**
   * Inserts an enabled pipeline, if the ledger and the exporter exist and have no pipeline between them. Returns whether it was inserted.
   */
  async insert(
    id: string,
    way: { ledger: string; exporterId: string },
    { now, change }: DatedChange,
  ): Promise<boolean> {
    const inserted = await change.store(
      this.#db
        .insert(pipelines)
        .select(
          sql`
            SELECT ${id}, ${ledgers.name}, ${exporters.id}, 1, 0, 1, 0, 0, ${now}, ${now}, NULL
            FROM ${ledgers}, ${exporters}
            WHERE ${ledgers.name} = ${way.ledger} AND ${ledgers.deletedAt} IS NULL
              AND ${exporters.id} = ${way.exporterId}`,
        )
        .onConflictDoNothing()
        .returning({ id: pipelines.id }),
    );
    return inserted.length > 0;
  }

  /** Enables or disables a pipeline. Returns false where it was so before, or does not exist. */
  async setEnabled(
    target: PipelineTarget,
    enabled: boolean,
    { now, change }: DatedChange,
  ): Promise<boolean> {
    const where = and(liveTarget(target), eq(pipelines.enabled, !enabled));
    const update = this.#update({ enabled }, where, now);
    return (await change.store(update)).meta.changes > 0;
  }

  /** Enables a pipeline, and lets it begin again at the first entry. Returns whether the pipeline exists. */
  async reset(target: PipelineTarget, { now, change }: DatedChange): Promise<boolean> {
    const resets = sql`${pipelines.resets} + 1`;
    const update = this.#update({ enabled: true, resets }, liveTarget(target), now);
    return (await change.store(update)).meta.changes > 0;
  }

  /** Deletes a pipeline. Returns whether it existed. */
  async remove(target: PipelineTarget, { now, change }: DatedChange): Promise<boolean> {
    const update = this.#update({ enabled: false, deletedAt: now }, liveTarget(target), now);
    return (await change.store(update)).meta.changes > 0;
  }

  /** Removes the pipelines of a ledger, unless a later ledger has its name. */
  async removeAllOf({ name, uuid }: LedgerIdentity, { now, change }: DatedChange): Promise<void> {
    const names = this.#db
      .select({ name: ledgers.name })
      .from(ledgers)
      .where(eq(ledgers.uuid, uuid));
    await change.store(
      this.#update(
        { enabled: false, deletedAt: now },
        and(eq(pipelines.ledger, name), inArray(pipelines.ledger, names), LIVE),
        now,
      ),
    );
  }

  listEnabled(names: readonly string[]): Promise<{ id: string; ledger: string }[]> {
    return this.#db
      .select({ id: pipelines.id, ledger: pipelines.ledger })
      .from(pipelines)
      .where(and(inJson(pipelines.ledger, names), eq(pipelines.enabled, true), LIVE));
  }

  /** Makes the objects of pipelines read their spec again. */
  async touch(ids: readonly string[], now: Timestamp): Promise<void> {
    await this.#update({}, inJson(pipelines.id, ids), now);
  }

  /** Makes the objects of the enabled pipelines of a bucket's live ledgers read their spec again. Returns whether there are any. */
  async touchBucket(bucket: string, now: Timestamp): Promise<boolean> {
    const where = and(whereBucket(bucket), eq(pipelines.enabled, true), LIVE);
    const { meta } = await this.#update({}, where, now);
    return meta.changes > 0;
  }

  /** The pipelines whose objects have to be told of a change. The row of a deleted pipeline is removed once its object is empty. */
  get pending(): SyncTable<PendingPipeline> {
    return new SyncTable<PendingPipeline>(this.#db, {
      table: pipelines,
      isFinal: sql`deleted_at IS NOT NULL`,
    });
  }

  /** The spec of a pipeline; undefined if the pipeline is deleted. */
  async findSpec(id: string): Promise<PipelineSpec | undefined> {
    const [row] = await this.#db
      .select({
        ...COLUMNS,
        revision: pipelines.revision,
        driver: exporters.driver,
        config: exporters.config,
      })
      .from(pipelines)
      .leftJoin(exporters, eq(exporters.id, pipelines.exporterId))
      .where(and(eq(pipelines.id, id), LIVE));
    if (row === undefined) return undefined;
    const { driver, config, ...spec } = row;
    if (driver === null || config === null) return { ...spec, openSetup: undefined };
    const openSetup = () => ({
      driver,
      config: openConfig(this.#box, spec.exporterId, config),
    });
    return { ...spec, openSetup };
  }

  /** Changes rows and makes them pending. */
  #update(values: SQLiteUpdateSetSource<typeof pipelines>, where: SQL | undefined, now: Timestamp) {
    return this.#db
      .update(pipelines)
      .set({ ...values, ...nextRevision(now) })
      .where(where);
  }
}

/** SQL conditions that select pending pipelines. */
export const whereId = (id: string): SQL => sql`id = ${id}`;
export const whereExporter = (id: string): SQL => sql`exporter_id = ${id}`;
export const whereLedger = (name: string): SQL => sql`ledger = ${name}`;
/** SQL condition that selects the pipelines of the live ledgers of a bucket. */
export const whereBucket = (bucket: string): SQL =>
  sql`ledger IN (SELECT name FROM ${ledgers} WHERE bucket = ${bucket} AND deleted_at IS NULL)`;

/** SQL that selects the pipelines that were removed at a time, as objects of the audit. */
export const removedObjects = (scope: SQL, now: Timestamp): SQL => sql`
  SELECT 'ledgers/' || ledger || '/pipelines/' || id AS object FROM ${pipelines}
  WHERE ${scope} AND deleted_at = ${now}`;

const LIVE = isNull(pipelines.deletedAt);

const liveTarget = ({ ledger, id }: PipelineTarget): SQL | undefined =>
  and(eq(pipelines.id, id), eq(pipelines.ledger, ledger), LIVE);

/** SQL condition that passes any number of texts in one parameter. */
const inJson = (column: typeof pipelines.id | typeof pipelines.ledger, texts: readonly string[]) =>
  inArray(column, sql`(SELECT value FROM json_each(${stringifyJson(texts)}))`);
