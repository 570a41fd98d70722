import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { IS_PENDING } from "./sync-columns.ts";
import type { Database } from "#platform/db/database.ts";
import { runWithReserve } from "#platform/db/reserve.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** A row that the other side may not agree with yet. */
export interface PendingRow {
  readonly id: number | string;
  readonly revision: number;
  /** How often this revision was tried, including the attempt that the claim is for. */
  readonly attempts: number;
  /** 1 for a row that is deleted when the other side agrees. */
  readonly isFinal: 0 | 1;
}

export interface SyncTableOptions {
  /** A table that has the `syncColumns` and a key whose values are never given again. */
  readonly table: SQLiteTable;
  /** The column of the key, where it is not `id`. */
  readonly key?: string;
  /** What a claim gives of a row besides id, revision and attempts, as the list of an SQL `RETURNING`. */
  readonly returning?: SQL;
  /** Which rows are deleted when the other side agrees, because what they describe no longer exists. */
  readonly isFinal: SQL;
}

export interface Claim {
  readonly nowMs: number;
  /** Nobody else gets the claimed rows before this time, unless they change. */
  readonly untilMs: number;
  readonly limit: number;
  /** Restricts the rows; all of them are meant if it is absent. */
  readonly scope?: SQL | undefined;
}

/** The pending rows of a table in D1. Each statement is atomic by itself, and a crash may come between any two of them. */
export class SyncTable<Row extends PendingRow> {
  readonly #db: Database;
  readonly #options: SyncTableOptions;
  readonly #key: SQL;

  constructor(db: Database, options: SyncTableOptions) {
    this.#db = db;
    this.#options = options;
    this.#key = sql`${sql.identifier(options.key ?? "id")}`;
  }

  /** Takes rows that are due, longest due first. Whoever takes them and is killed leaves them to others after `untilMs`. */
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

  /** Notes that the other side has these revisions. A row that has changed meanwhile stays pending. */
  async confirm(rows: readonly PendingRow[]): Promise<void> {
    const { final = [], lasting = [] } = Object.groupBy(rows, ({ isFinal }) =>
      isFinal === 1 ? "final" : "lasting",
    );
    // The two are independent: if only one of them succeeds, the rows are right.
    await Promise.all([this.#remove(final), this.#markSynced(lasting)]);
  }

  async #remove(rows: readonly PendingRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { table, isFinal } = this.#options;
    await this.#run(sql`
      DELETE FROM ${table} WHERE ${isFinal}
        AND (${this.#key}, revision) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${toPairs(rows)}))`);
  }

  async #markSynced(rows: readonly PendingRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { table } = this.#options;
    await this.#run(sql`
      UPDATE ${table} SET
        synced_revision = c.confirmed,
        sync_attempts = CASE WHEN revision = c.confirmed THEN 0 ELSE sync_attempts END,
        sync_after = CASE WHEN revision = c.confirmed THEN NULL ELSE sync_after END
      FROM (SELECT value ->> 0 AS row_id, value ->> 1 AS confirmed FROM json_each(${toPairs(rows)})) AS c
      WHERE ${this.#key} = c.row_id AND synced_revision < c.confirmed`);
  }

  /** Plans the next attempts. A row that has changed, or was taken by somebody else meanwhile, keeps its own time. */
  async postpone(rows: readonly (PendingRow & { readonly untilMs: number })[]): Promise<void> {
    if (rows.length === 0) return;
    const { table } = this.#options;
    const postponed = stringifyJson(
      rows.map(({ id, revision, attempts, untilMs }) => [
        id,
        revision,
        attempts,
        fromMillis(untilMs),
      ]),
    );
    await this.#run(sql`
      UPDATE ${table} SET sync_after = p.until
      FROM (
        SELECT value ->> 0 AS row_id, value ->> 1 AS tried, value ->> 2 AS attempts, value ->> 3 AS until
        FROM json_each(${postponed})) AS p
      WHERE ${this.#key} = p.row_id AND revision = p.tried AND sync_attempts = p.attempts AND ${IS_PENDING}`);
  }

  /** A deletion goes on where the database is full, although the columns of a row may need a page more. */
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

  /** When the next row is due, in milliseconds since the epoch; undefined when none is pending. */
  async nextDueMs(): Promise<number | undefined> {
    const { table } = this.#options;
    const [row] = await this.#db.all<{ due: Timestamp }>(
      sql`SELECT sync_after AS due FROM ${table} WHERE ${IS_PENDING} ORDER BY sync_after LIMIT 1`,
    );
    return row === undefined ? undefined : toMillis(row.due);
  }
}

const toPairs = (rows: readonly PendingRow[]): string =>
  stringifyJson(rows.map(({ id, revision }) => [id, revision]));

/** The plus keeps the planner with the index of pending rows: they are few, and a scope may hold any number of others. */
const within = (scope: SQL | undefined): SQL =>
  scope === undefined ? sql`` : sql`AND +(${scope})`;
