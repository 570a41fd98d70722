import { and, eq, isNotNull, isNull, lt, min, type SQL, sql } from "drizzle-orm";
import { ledgers } from "#modules/catalogue/index.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { type Page } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";
import { type PendingRow, SyncTable } from "#platform/work/sync-table.ts";

/** Ledgers that are deleted and restored together. */
export interface Bucket {
  readonly name: string;
  /** The numbers of ledgers that exist and that are deleted. */
  readonly ledgers: number;
  readonly deletedLedgers: number;
  /** The earliest date of deletion among the deleted ledgers. */
  readonly deletedAt: Timestamp | undefined;
}

/** A ledger whose object may not know of the last deletion, restoration or purge. A final one is being purged. */
export interface PendingLedger extends PendingRow {
  readonly name: string;
  readonly uuid: string;
  readonly deletedAt: Timestamp | null;
}

const isLive = isNull(ledgers.deletedAt);
const isDeleted = isNotNull(ledgers.deletedAt);
const isKept = isNull(ledgers.purgingSince);

/** Buckets, as the catalogue of ledgers in D1 has them. */
export class BucketStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Pick<Env, "DB">): BucketStore {
    return new BucketStore(databaseOf(env));
  }

  /** A page of the buckets that have ledgers, in the order of their names. */
  async list(query: PageQuery): Promise<Page<Bucket>> {
    return listPage(query, {
      sort: SORT,
      read: async ({ where, orderBy, limit, offset }) => {
        const rows = await this.#db
          .select({
            name: ledgers.bucket,
            ledgers: sql<number>`count(*) - count(${ledgers.deletedAt})`,
            deletedLedgers: sql<number>`count(${ledgers.deletedAt})`,
            deletedAt: min(ledgers.deletedAt),
          })
          .from(ledgers)
          .where(and(isKept, where))
          .groupBy(ledgers.bucket)
          .orderBy(...orderBy)
          .limit(limit)
          .offset(offset);
        return rows.map((row): Bucket => ({ ...row, deletedAt: toTimestamp(row.deletedAt) }));
      },
    });
  }

  /** Whether there is a ledger in a bucket, deleted or not. */
  async hasLedgers(bucket: string): Promise<boolean> {
    return this.#has(and(eq(ledgers.bucket, bucket), isKept));
  }

  /** The ledgers whose objects may not know of a change. The row of a purged ledger is deleted, so that its name becomes free. */
  get pending(): SyncTable<PendingLedger> {
    return new SyncTable<PendingLedger>(this.#db, {
      table: ledgers,
      returning: sql`name, uuid, deleted_at AS deletedAt`,
      isFinal: PURGING,
    });
  }

  /** Deletes the ledgers that a bucket has. The changed rows record what the ledgers' objects have to be told. */
  async delete(bucket: string, deletedAt: Timestamp, change: AuditedChange): Promise<void> {
    await change.store(
      this.#db
        .update(ledgers)
        .set({ deletedAt, ...nextRevision(deletedAt) })
        .where(and(eq(ledgers.bucket, bucket), isLive)),
    );
  }

  /** Restores the deleted ledgers of a bucket, but for those whose purge has begun. */
  async restore(bucket: string, now: Timestamp, change: AuditedChange): Promise<void> {
    await change.store(
      this.#db
        .update(ledgers)
        .set({ deletedAt: null, ...nextRevision(now) })
        .where(and(eq(ledgers.bucket, bucket), isDeleted, isKept)),
    );
  }

  /** The earliest date of deletion among the deleted ledgers. */
  async findEarliestDeletion(): Promise<Timestamp | undefined> {
    const [row] = await this.#db
      .select({ deletedAt: min(ledgers.deletedAt) })
      .from(ledgers)
      .where(and(isDeleted, isKept));
    return toTimestamp(row?.deletedAt ?? null);
  }

  /** Begins the purge of ledgers that were deleted before a time. A restoration comes before this statement, or too late. */
  async beginPurge(deletedBefore: Timestamp, now: Timestamp, change: AuditedChange): Promise<void> {
    await change.store(
      this.#db
        .update(ledgers)
        .set({ purgingSince: now, ...nextRevision(now) })
        .where(and(lt(ledgers.deletedAt, deletedBefore), isDeleted, isKept)),
    );
  }

  async #has(condition: SQL | undefined): Promise<boolean> {
    const rows = await this.#db.select({ id: ledgers.id }).from(ledgers).where(condition).limit(1);
    return rows.length > 0;
  }
}

/** SQL that selects the buckets of ledgers whose purge began at a time, as objects of the audit. */
export const purgedObjects = (since: Timestamp): SQL =>
  sql`SELECT DISTINCT 'buckets/' || bucket AS object FROM ${ledgers} WHERE ${eq(ledgers.purgingSince, since)}`;

/** SQL condition that selects the pending ledgers of a bucket that can still be restored. */
export const keptIn = (bucket: string): SQL => sql`bucket = ${bucket} AND ${KEPT}`;
/** SQL conditions that select the pending ledgers of all buckets: those that can still be restored, and those that cannot. */
export const KEPT: SQL = sql`purging_since IS NULL`;
export const PURGING: SQL = sql`purging_since IS NOT NULL`;

const SORT: ListTable<Bucket>["sort"] = {
  name: { column: ledgers.bucket, type: "text", keyOf: ({ name }) => ({ value: name }) },
};

/** A date of deletion. Only this module writes the column, which has timestamps. */
const toTimestamp = (text: string | null): Timestamp | undefined =>
  (text ?? undefined) as Timestamp | undefined;
