import { and, asc, eq, gt, isNotNull, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { Ledger } from "./ledger.ts";
import { ledgers } from "./tables.ts";
import { METADATA_BYTES_MAX, type Features, type Metadata } from "#ledger-engine";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { Principal } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { whereLedgerAllowed } from "#platform/db/ledger-scope.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { ObjectLocation } from "#platform/objects/location.ts";
import { type Page } from "#platform/paging/pagination.ts";
import { type ListOptions, type PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * The options of a list of ledgers, as the reference names them in cursors. No parameter sets `Bucket` and `Features`; clients use filters
 * instead.
 */
export const LEDGER_LIST_OPTIONS = {
  Bucket: "",
  Features: null,
  IncludeDeleted: false,
} as const satisfies ListOptions;

type LedgerReach = Pick<Principal, "ledgers">;

/** The catalogue of ledgers, in D1. */
export class LedgerCatalogue {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Pick<Env, "DB">): LedgerCatalogue {
    return new LedgerCatalogue(databaseOf(env));
  }

  /** Adds a ledger. Throws `LEDGER_ALREADY_EXISTS` where the name is taken. */
  async insert(
    ledger: Omit<Ledger, "id" | "deletedAt" | "inconsistentSince" | "revision">,
    change: AuditedChange,
  ): Promise<void> {
    const { uuid, name, bucket, location, addedAt } = ledger;
    const metadata = stringifyJson(ledger.metadata);
    const features = stringifyJson(ledger.features);
    const inserted = await change.store(
      this.#db
        .insert(ledgers)
        .values({ uuid, name, bucket, location, addedAt, metadata, features })
        .onConflictDoNothing()
        .returning({ id: ledgers.id }),
    );
    if (inserted.length === 0) {
      throw new AppError("LEDGER_ALREADY_EXISTS", `ledger '${name}' already exists`);
    }
  }

  /** Finds a ledger that is not deleted. */
  async find(name: string): Promise<Ledger | undefined> {
    const [row] = await this.#db
      .select()
      .from(ledgers)
      .where(and(eq(ledgers.name, name), isNull(ledgers.deletedAt)));
    return row === undefined ? undefined : toLedger(row);
  }

  /** Finds a ledger by its uuid, deleted or not. A ledger that is being purged is no longer found. */
  async findByUuid(uuid: string): Promise<Ledger | undefined> {
    const [row] = await this.#db
      .select()
      .from(ledgers)
      .where(and(eq(ledgers.uuid, uuid), isNull(ledgers.purgingSince)));
    return row === undefined ? undefined : toLedger(row);
  }

  /** The first ledgers after an id, deleted or not, in the order of their ids. Ledgers that are being purged are left out. */
  async listAfter(id: number, countMax: number): Promise<Ledger[]> {
    const rows = await this.#db
      .select()
      .from(ledgers)
      .where(and(gt(ledgers.id, id), isNull(ledgers.purgingSince)))
      .orderBy(asc(ledgers.id))
      .limit(countMax);
    return rows.map(toLedger);
  }

  /** Whether a ledger has this name. A deleted ledger keeps its name. */
  async isNameTaken(name: string): Promise<boolean> {
    const rows = await this.#db
      .select({ id: ledgers.id })
      .from(ledgers)
      .where(eq(ledgers.name, name));
    return rows.length > 0;
  }

  /**
   * Adds metadata to a ledger, and replaces values of keys that it has, in one statement. Throws `NOT_FOUND`, and `VALIDATION` if the
   * result is too large.
   */
  async addMetadata(name: string, metadata: Metadata, change: AuditedChange): Promise<void> {
    const merged = sql`json_patch(${ledgers.metadata}, ${stringifyJson(metadata)})`;
    const fits = lte(sql`length(CAST(${merged} AS BLOB))`, METADATA_BYTES_MAX);
    const updated = await change.store(
      this.#db
        .update(ledgers)
        .set({ metadata: merged })
        .where(and(eq(ledgers.name, name), isNull(ledgers.deletedAt), fits))
        .returning({ id: ledgers.id }),
    );
    if (updated.length > 0) return;
    if ((await this.find(name)) === undefined) throw unknownLedger(name);
    throw new AppError("VALIDATION", `the metadata is larger than ${METADATA_BYTES_MAX} bytes`);
  }

  /**
   * Removes a key of a ledger's metadata. A key that does not exist is no error, and no change. Throws `NOT_FOUND` for an unknown ledger.
   */
  async deleteMetadata(name: string, key: string, change: AuditedChange): Promise<void> {
    const metadata = sql`(SELECT json_group_object(key, value) FROM json_each(${ledgers.metadata}) WHERE key <> ${key})`;
    const isThere = sql`EXISTS (SELECT 1 FROM json_each(${ledgers.metadata}) WHERE key = ${key})`;
    const updated = await change.store(
      this.#db
        .update(ledgers)
        .set({ metadata })
        .where(and(eq(ledgers.name, name), isNull(ledgers.deletedAt), isThere))
        .returning({ id: ledgers.id }),
    );
    if (updated.length > 0) return;
    if ((await this.find(name)) === undefined) throw unknownLedger(name);
  }

  /** A page of the ledgers that a principal may touch, in the order of their ids. Throws `VALIDATION`. */
  async list(query: PageQuery, { ledgers: patterns }: LedgerReach): Promise<Page<Ledger>> {
    return listPage(query, {
      ...LEDGERS,
      read: async ({ where, orderBy, limit, offset }) => {
        const rows = await this.#db
          .select()
          .from(ledgers)
          .where(and(scopeOf(query.options), whereLedgerAllowed(ledgers.name, patterns), where))
          .orderBy(...orderBy)
          .limit(limit)
          .offset(offset);
        return rows.map(toLedger);
      },
    });
  }

  /** A page of the ledgers that a principal may touch and whose last verification found differences. */
  async listInconsistent(
    query: PageQuery,
    { ledgers: patterns }: LedgerReach,
  ): Promise<Page<Ledger>> {
    const scope = and(
      isNotNull(ledgers.inconsistentSince),
      isNull(ledgers.deletedAt),
      whereLedgerAllowed(ledgers.name, patterns),
    );
    return listPage(query, {
      ...LEDGERS,
      read: async ({ where, orderBy, limit, offset }) => {
        const rows = await this.#db
          .select()
          .from(ledgers)
          .where(and(scope, where))
          .orderBy(...orderBy)
          .limit(limit)
          .offset(offset);
        return rows.map(toLedger);
      },
    });
  }

  /**
   * Records the result of a verification of the ledger with an id of its own. Only a result that differs in kind from the one before is a
   * write; of several that found differences, the first date is kept.
   */
  async recordVerification(
    uuid: string,
    { isConsistent, at }: { isConsistent: boolean; at: Timestamp },
  ): Promise<void> {
    const { inconsistentSince } = ledgers;
    await this.#db
      .update(ledgers)
      .set({ inconsistentSince: isConsistent ? null : at })
      .where(
        and(
          eq(ledgers.uuid, uuid),
          isConsistent ? isNotNull(inconsistentSince) : isNull(inconsistentSince),
        ),
      );
  }

  /** The names of the ledgers that a principal may touch, at most `countMax` of them. */
  async listNames(countMax: number, { ledgers: patterns }: LedgerReach): Promise<string[]> {
    const rows = await this.#db
      .select({ name: ledgers.name })
      .from(ledgers)
      .where(and(isNull(ledgers.deletedAt), whereLedgerAllowed(ledgers.name, patterns)))
      .orderBy(asc(ledgers.id))
      .limit(countMax);
    return rows.map(({ name }) => name);
  }
}

export const unknownLedger = (name: string): AppError =>
  new AppError("NOT_FOUND", `ledger '${name}' not found`);

const LEDGERS: ListTable<Ledger> = {
  keys: {
    name: { type: "text", column: ledgers.name },
    bucket: { type: "text", column: ledgers.bucket },
    features: { type: "map", column: ledgers.features },
    metadata: { type: "metadata", column: ledgers.metadata },
  },
  sort: {
    id: { type: "integer", column: ledgers.id, keyOf: ({ id }) => ({ value: BigInt(id) }) },
  },
};

/** SQL condition that the options of a list set on its ledgers. */
function scopeOf(options: ListOptions = LEDGER_LIST_OPTIONS): SQL | undefined {
  const { Bucket: bucket, IncludeDeleted: includeDeleted } = options;
  return and(
    includeDeleted === true ? undefined : isNull(ledgers.deletedAt),
    typeof bucket === "string" && bucket !== "" ? eq(ledgers.bucket, bucket) : undefined,
  );
}

const toLedger = (row: typeof ledgers.$inferSelect): Ledger => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  bucket: row.bucket,
  // The casts hold, because only values of these types are written to the columns.
  metadata: parseJson(row.metadata) as Metadata,
  features: parseJson(row.features) as Features,
  location: (row.location ?? undefined) as ObjectLocation | undefined,
  addedAt: row.addedAt as Timestamp,
  deletedAt: (row.deletedAt ?? undefined) as Timestamp | undefined,
  inconsistentSince: (row.inconsistentSince ?? undefined) as Timestamp | undefined,
  revision: row.revision,
});
