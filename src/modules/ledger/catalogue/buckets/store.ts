import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  type SQL,
  sql,
} from "drizzle-orm";
import type { VisibilityChange } from "#ledger-engine";
import { ledgers } from "#modules/ledger/catalogue/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import {
  type Order,
  type Page,
  type PageQuery,
  pageOf,
  scanOf,
} from "#platform/paging/pagination.ts";
import type { Timestamp } from "#platform/time.ts";

/** Ledgers that are deleted and restored together. */
export interface Bucket {
  readonly name: string;
  /** How many of its ledgers there are for clients, and how many are deleted. */
  readonly ledgers: number;
  readonly deletedLedgers: number;
  /** When the ledger was deleted that has been so for longest. */
  readonly deletedAt: Timestamp | undefined;
}

/** A change that the object of a ledger may not know of. */
export interface UntoldChange extends VisibilityChange {
  readonly id: number;
  readonly name: string;
}

/** A ledger whose storage is being given back. */
export interface PurgedLedger {
  readonly id: number;
  readonly name: string;
  readonly uuid: string;
}

/** Which rows a part of a long work reads, by id. */
export interface RowRange {
  readonly order: Order;
  /** The last row of the part before. */
  readonly after: number | undefined;
  readonly limit: number;
}

const isUntold = sql`visibility <> told_visibility`;
const isLive = isNull(ledgers.deletedAt);
const isDeleted = isNotNull(ledgers.deletedAt);
const isPurging = isNotNull(ledgers.purgingSince);
const isKept = isNull(ledgers.purgingSince);

/** What the catalogue of ledgers, in D1, tells of buckets. */
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
    const { order, bound, offset, limit } = scanOf(query);
    const rows = await this.#db
      .select({
        name: ledgers.bucket,
        ledgers: sql<number>`count(*) - count(${ledgers.deletedAt})`,
        deletedLedgers: sql<number>`count(${ledgers.deletedAt})`,
        deletedAt: min(ledgers.deletedAt),
      })
      .from(ledgers)
      .where(
        and(
          isKept,
          bound === undefined ? undefined : isBeyond(String(bound.key.value), { ...bound, order }),
        ),
      )
      .groupBy(ledgers.bucket)
      .orderBy(order === "asc" ? asc(ledgers.bucket) : desc(ledgers.bucket))
      .limit(limit)
      .offset(offset);
    const buckets = rows.map((row): Bucket => ({ ...row, deletedAt: toTimestamp(row.deletedAt) }));
    return pageOf(query, buckets, { keyOf: ({ name }) => ({ value: name }) });
  }

  /** Whether there is a ledger in a bucket, deleted or not. */
  async hasLedgers(bucket: string): Promise<boolean> {
    return this.#has(and(eq(ledgers.bucket, bucket), isKept));
  }

  /** Deletes the ledgers that a bucket has. The statement is the record of what their objects are to be told. */
  async hide(bucket: string, deletedAt: Timestamp): Promise<void> {
    await this.#db
      .update(ledgers)
      .set({ deletedAt, visibility: sql`${ledgers.visibility} + 1` })
      .where(and(eq(ledgers.bucket, bucket), isLive));
  }

  /** Restores the deleted ledgers of a bucket, but for those whose purge has begun. */
  async show(bucket: string): Promise<void> {
    await this.#db
      .update(ledgers)
      .set({ deletedAt: null, visibility: sql`${ledgers.visibility} + 1` })
      .where(and(eq(ledgers.bucket, bucket), isDeleted, isKept));
  }

  /** Whether objects, of one bucket or of any, are still to be told of a change. */
  async hasUntold(bucket?: string): Promise<boolean> {
    return this.#has(untoldIn(bucket));
  }

  /** Changes, of one bucket or of all, that objects may not know of. */
  async listUntold(bucket: string | undefined, range: RowRange): Promise<UntoldChange[]> {
    const { id, name, uuid, visibility, deletedAt } = ledgers;
    const rows = await this.#db
      .select({ id, name, uuid, visibility, deletedAt })
      .from(ledgers)
      .where(and(untoldIn(bucket), isAfter(range)))
      .orderBy(range.order === "asc" ? asc(ledgers.id) : desc(ledgers.id))
      .limit(range.limit);
    return rows.map((row) => ({ ...row, deletedAt: toTimestamp(row.deletedAt) }));
  }

  /** Notes that objects know of changes. Of several at the same time, the latest counts. */
  async markTold(changes: readonly UntoldChange[]): Promise<void> {
    if (changes.length === 0) return;
    const told = stringifyJson(changes.map(({ id, visibility }) => [id, visibility]));
    await this.#db.run(
      sql`UPDATE ledgers SET told_visibility = max(told_visibility, told.value ->> 1)
        FROM json_each(${told}) AS told WHERE ledgers.id = told.value ->> 0`,
    );
  }

  /** When the ledger was deleted that has been so for longest. */
  async findEarliestDeletion(): Promise<Timestamp | undefined> {
    const [row] = await this.#db
      .select({ deletedAt: min(ledgers.deletedAt) })
      .from(ledgers)
      .where(and(isDeleted, isKept));
    return toTimestamp(row?.deletedAt ?? null);
  }

  async hasPurging(): Promise<boolean> {
    return this.#has(isPurging);
  }

  /** Begins the purge of what was deleted before a time: a restoration comes before this statement, or too late. */
  async beginPurge(deletedBefore: Timestamp, now: Timestamp): Promise<void> {
    await this.#db
      .update(ledgers)
      .set({ purgingSince: now })
      .where(and(lt(ledgers.deletedAt, deletedBefore), isDeleted, isKept));
  }

  /** Ledgers whose purge has begun. */
  async listPurging({ after, limit }: Omit<RowRange, "order">): Promise<PurgedLedger[]> {
    const { id, name, uuid } = ledgers;
    return this.#db
      .select({ id, name, uuid })
      .from(ledgers)
      .where(and(isPurging, isAfter({ order: "asc", after })))
      .orderBy(asc(ledgers.id))
      .limit(limit);
  }

  /** Ends the purge of ledgers whose storage is empty: their names are free. */
  async remove(purged: readonly PurgedLedger[]): Promise<void> {
    if (purged.length === 0) return;
    const ids = stringifyJson(purged.map(({ id }) => id));
    await this.#db
      .delete(ledgers)
      .where(and(inArray(ledgers.id, sql`(SELECT value FROM json_each(${ids}))`), isPurging));
  }

  async #has(condition: SQL | undefined): Promise<boolean> {
    const rows = await this.#db.select({ id: ledgers.id }).from(ledgers).where(condition).limit(1);
    return rows.length > 0;
  }
}

/**
 * Ledgers whose purge has begun are told, too: the purge takes its time, and until then they are to be hidden. The plus
 * keeps the database from reading all ledgers of the bucket: few are untold.
 */
const untoldIn = (bucket: string | undefined): SQL | undefined =>
  and(isUntold, bucket === undefined ? undefined : sql`+${ledgers.bucket} = ${bucket}`);

function isAfter({ order, after }: Pick<RowRange, "order" | "after">): SQL | undefined {
  if (after === undefined) return undefined;
  return order === "asc" ? gt(ledgers.id, after) : lt(ledgers.id, after);
}

function isBeyond(
  name: string,
  { order, inclusive }: { readonly order: Order; readonly inclusive: boolean },
): SQL {
  if (order === "asc") return inclusive ? gte(ledgers.bucket, name) : gt(ledgers.bucket, name);
  return inclusive ? lte(ledgers.bucket, name) : lt(ledgers.bucket, name);
}

/** Only this module writes the column. */
const toTimestamp = (text: string | null): Timestamp | undefined =>
  (text ?? undefined) as Timestamp | undefined;
