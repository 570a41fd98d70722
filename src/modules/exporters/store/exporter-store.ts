import { and, asc, count, eq, isNull } from "drizzle-orm";
import type { ExporterSetup } from "./exporter-config.ts";
import type { ExporterConfig } from "#modules/exporters/drivers/config.ts";
import { exporters, pipelines } from "#modules/exporters/tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import type { Timestamp } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

export interface Exporter extends ExporterSetup {
  readonly id: string;
  readonly createdAt: Timestamp;
}

export interface StoredExporter extends Omit<Exporter, "config"> {
  /** Undefined where the config cannot be decrypted, because its key is not among the settings, or its text was changed. */
  readonly config: ExporterConfig | undefined;
  /** The encrypted config. It changes with every update, and so shows whether the exporter was changed since it was read. */
  readonly seal: string;
}

/** The date of a change, and its entry in the audit. */
export interface DatedChange {
  readonly now: Timestamp;
  readonly change: AuditedChange;
}

/** The date of an exporter's deletion, and the entries in the audit of the exporter and of its pipelines. */
export interface ExporterRemoval extends DatedChange {
  readonly ofPipelines: AuditedChange;
}

type Row = typeof exporters.$inferSelect;

/** Exporters in D1. Their configs are encrypted there. */
export class ExporterStore {
  readonly #db: Database;
  readonly #box: SecretBox;

  constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  static from(env: Pick<Env, "DB">): ExporterStore {
    return new ExporterStore(databaseOf(env), SecretBox.from(env));
  }

  /** All exporters, oldest first. */
  async list(): Promise<StoredExporter[]> {
    const rows = await this.#db
      .select()
      .from(exporters)
      .orderBy(asc(exporters.createdAt), asc(exporters.id));
    return rows.map((row) => this.#toStored(row));
  }

  async count(): Promise<number> {
    const [row] = await this.#db.select({ count: count() }).from(exporters);
    return row?.count ?? 0;
  }

  async find(id: string): Promise<StoredExporter | undefined> {
    const [row] = await this.#db.select().from(exporters).where(eq(exporters.id, id));
    return row === undefined ? undefined : this.#toStored(row);
  }

  async insert({ id, driver, config, createdAt }: Exporter, change: AuditedChange): Promise<void> {
    const row = { id, driver, config: sealConfig(this.#box, id, config), createdAt };
    await change.store(this.#db.insert(exporters).values(row));
  }

  /** Replaces an exporter, unless it was changed since it was read, and makes its pipelines pending. Returns whether it was replaced. */
  async replace(
    { id, seal }: StoredExporter,
    { driver, config }: ExporterSetup,
    { now, change }: DatedChange,
  ): Promise<boolean> {
    const sealed = sealConfig(this.#box, id, config);
    const replaced = await change.store(
      this.#db
        .update(exporters)
        .set({ driver, config: sealed })
        .where(and(eq(exporters.id, id), eq(exporters.config, seal)))
        .returning({ id: exporters.id }),
      this.#db
        .update(pipelines)
        .set(nextRevision(now))
        .where(and(eq(pipelines.exporterId, id), isNull(pipelines.deletedAt))),
    );
    return replaced.length > 0;
  }

  /** Deletes an exporter and its pipelines, which become pending. Returns whether the exporter existed. */
  async remove(id: string, { now, change, ofPipelines }: ExporterRemoval): Promise<boolean> {
    const removed = await change.store(
      this.#db.delete(exporters).where(eq(exporters.id, id)).returning({ id: exporters.id }),
      this.#db
        .update(pipelines)
        .set({ enabled: false, deletedAt: now, ...nextRevision(now) })
        .where(and(eq(pipelines.exporterId, id), isNull(pipelines.deletedAt))),
      ofPipelines.entry,
    );
    return removed.length > 0;
  }

  #toStored({ id, driver, config: seal, createdAt }: Row): StoredExporter {
    const exporter = { id, driver, createdAt, seal };
    try {
      return { ...exporter, config: openConfig(this.#box, id, seal) };
    } catch (error) {
      // A config that cannot be decrypted must not hide the other exporters.
      logError("the config of an exporter can't be decrypted", error, { exporter: id });
      return { ...exporter, config: undefined };
    }
  }
}

const sealConfig = (box: SecretBox, id: string, config: ExporterConfig): string =>
  box.seal(stringifyJson(config), purposeOf(id));

/** Decrypts a config. Throws if the settings do not have its key. */
export const openConfig = (box: SecretBox, id: string, sealed: string): ExporterConfig =>
  parseJson(box.open(sealed, purposeOf(id))) as ExporterConfig; // an object was sealed

const purposeOf = (id: string): string => `exporter config ${id}`;
