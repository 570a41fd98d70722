import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { IS_PENDING } from "./sync-columns.ts";
import type { Database } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { runWithReserve } from "#platform/db/reserve.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** A claimed row, with which the other side may not agree yet. */
export interface PendingRow {
  readonly id: number | string;
  readonly revision: number;
  /** Attempts for this revision, including the attempt of the claim. */
  readonly attempts: number;
  /** 1 for a row that is deleted when the other side agrees with it. */
  readonly isFinal: 0 | 1;
}

export interface SyncTableOptions {
  /** A table with the `syncColumns` and a key whose values are never reused. */
  readonly table: SQLiteTable;
  /** The column of the key; `id` by default. */
  readonly key?: string;
  /** Further columns of a claimed row besides id, revision and attempts, as a list for SQL's `RETURNING`. */
  readonly returning?: SQL;
  /** The condition of rows that are deleted when the other side agrees, because the described resource no longer exists. */
  readonly isFinal: SQL;
}

/** When a claimed row is due again. */
export interface Postponed extends PendingRow {
  readonly untilMs: number;
  /** Whether the attempt of the claim does not count, because its work was not begun. */
  readonly isUndone?: boolean;
}

export interface Claim {
  readonly nowMs: number;
  /** The end of the claim: no other run gets the rows earlier, unless they change. */
  readonly untilMs: number;
  readonly limit: number;
  /** A condition for the rows; absent for all rows. */
  readonly scope?: SQL | undefined;
}

/** The pending rows of a table in D1. Each statement is atomic, and a crash may come between any two statements. */
export class SyncTable<Row extends PendingRow> {
  readonly #db: Database;
  readonly #options: SyncTableOptions;
  readonly #key: SQL;

  constructor(db: Database, options: SyncTableOptions) {
    this.#db = db;
    this.#options = options;
    this.#key = sql`${sql.identifier(options.key ?? "id")}`;
  }

  /** Claims due rows, longest due first. If the caller is killed, the rows are due again after `untilMs`. */
  async claim({ nowMs, untilMs, limit, scope }: Claim): Promise<Row[]> {
    const { table, returning, isFinal } = this.#options;
    const more = returning === undefined ? sql`` : sql`, ${returning}`;
    const claimed = sql`
      UPDATE ${table} SET sync_attempts = sync_attempts + 1, sync_after = ${fromMillis(untilMs)}
      WHERE ${this.#key} IN (
        SELECT ${this.#key} FROM ${table}
        WHERE ${IS_PENDING} AND sync_after <= ${fromMillis(nowMs)} ${within(scope)}
        ORDER BY sync_after, ${this.#key} LIMIT ${limit})
      RETURNING ${this.#key} AS id, revision, sync_attempts AS attempts, ${isFinal} AS isFinal ${more}`;
    return runWithReserve(this.#db, () => this.#db.all<Row>(claimed));
  }

  /** Stores that the other side has the revisions of these rows. A row that has changed since its claim stays pending. */
  async confirm(rows: readonly PendingRow[]): Promise<void> {
    const { final = [], lasting = [] } = Object.groupBy(rows, ({ isFinal }) =>
      isFinal === 1 ? "final" : "lasting",
    );
    // The deletion and the update are independent: the rows are right even if only the deletion or only the update succeeds.
    await Promise.all([this.#remove(final), this.#markSynced(lasting)]);
  }

  async #remove(rows: readonly PendingRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { table, isFinal } = this.#options;
    const { source, items } = jsonRows(rows.map(toConfirmed));
    await this.#run(sql`
      DELETE FROM ${table} WHERE ${isFinal}
        AND (${this.#key}, revision) IN (SELECT ${items.id}, ${items.confirmed} FROM ${source})`);
  }

  async #markSynced(rows: readonly PendingRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { table } = this.#options;
    const { source, items } = jsonRows(rows.map(toConfirmed));
    await this.#run(sql`
      UPDATE ${table} SET
        synced_revision = ${items.confirmed},
        sync_attempts = CASE WHEN revision = ${items.confirmed} THEN 0 ELSE sync_attempts END,
        sync_after = CASE WHEN revision = ${items.confirmed} THEN NULL ELSE sync_after END
      FROM ${source}
      WHERE ${this.#key} = ${items.id} AND synced_revision < ${items.confirmed}`);
  }

  /** Sets the times of the next attempts. A row that has changed or was claimed again since its claim keeps its own time. */
  async postpone(rows: readonly Postponed[]): Promise<void> {
    if (rows.length === 0) return;
    const { table } = this.#options;
    const { source, items } = jsonRows(
      rows.map(({ id, revision, attempts, untilMs, isUndone = false }) => ({
        id,
        revision,
        attempts,
        left: isUndone ? attempts - 1 : attempts,
        until: fromMillis(untilMs),
      })),
    );
    await this.#run(sql`
      UPDATE ${table} SET sync_after = ${items.until}, sync_attempts = ${items.left} FROM ${source}
      WHERE ${this.#key} = ${items.id} AND revision = ${items.revision} AND sync_attempts = ${items.attempts} AND ${IS_PENDING}`);
  }

  /** Runs a statement with the reserve: a pending deletion continues in a full database, although the update of a row may need a page. */
  #run(statement: SQL): Promise<unknown> {
    return runWithReserve(this.#db, async () => this.#db.run(statement));
  }

  /** Whether a row is pending, due or not. */
  async hasPending(scope?: SQL): Promise<boolean> {
    const { table } = this.#options;
    const rows = await this.#db.all(
      sql`SELECT 1 FROM ${table} WHERE ${IS_PENDING} ${within(scope)} LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** The time at which the next row is due, in milliseconds since the epoch; undefined if no row is pending. */
  async nextDueMs(): Promise<number | undefined> {
    const { table } = this.#options;
    const [row] = await this.#db.all<{ due: Timestamp }>(
      sql`SELECT sync_after AS due FROM ${table} WHERE ${IS_PENDING} ORDER BY sync_after LIMIT 1`,
    );
    return row === undefined ? undefined : toMillis(row.due);
  }
}

const toConfirmed = ({ id, revision }: PendingRow) => ({ id, confirmed: revision });

/**
 * The condition of a scope. The unary plus makes the planner use the index of pending rows, which are few, instead of an index for the
 * scope, which may hold any number of rows.
 */
const within = (scope: SQL | undefined): SQL =>
  scope === undefined ? sql`` : sql`AND +(${scope})`;
