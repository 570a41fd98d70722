import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { audit } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ListOptions, PageQuery } from "#platform/paging/query.ts";
import { type Clock, fromMillis, type Timestamp, toMicros, toMillis } from "#platform/time.ts";

export type AuditEntry = typeof audit.$inferSelect;

/** The filters of a list. Texts have to be equal; an empty text does not filter. Entries are dated from `startTime` on and before `endTime`, both `Timestamp`. */
export const AUDIT_FILTERS = {
  action: "",
  object: "",
  clientId: "",
  subject: "",
  requestId: "",
  startTime: "",
  endTime: "",
} as const satisfies ListOptions;

/** Most rows that one statement purges, and most statements of one sweep. */
const PURGE_ROWS = 1000;
const PURGES_MAX = 20;

/** The log of changes outside of ledgers and of their authors. */
export class AuditLog {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  static from({ env, clock }: Pick<ServiceContext, "env" | "clock">): AuditLog {
    return new AuditLog(databaseOf(env), clock);
  }

  /** A page of entries, sorted by date and then by id. The options of the query are `AUDIT_FILTERS`. */
  list(query: PageQuery): Promise<Page<AuditEntry>> {
    const condition = conditionOf(query.options ?? AUDIT_FILTERS);
    return listPage<AuditEntry>(query, {
      sort: {
        date: {
          column: audit.date,
          type: "date",
          tie: audit.id,
          keyOf: ({ id, date }) => ({ value: toMicros(date), tie: BigInt(id) }),
        },
      },
      read: ({ where, orderBy, limit, offset }) =>
        this.#db
          .select()
          .from(audit)
          .where(and(condition, where))
          .orderBy(...orderBy)
          .limit(limit)
          .offset(offset),
    });
  }

  /**
   * Deletes entries older than the retention, the oldest first, up to `PURGE_ROWS * PURGES_MAX` in one call. Returns the time of the next purge, in
   * milliseconds since the epoch, which is now if more are due; undefined if the log is empty.
   */
  async purge(retentionMs: number): Promise<number | undefined> {
    const nowMs = toMillis(this.#clock());
    const before = fromMillis(nowMs - retentionMs);
    for (let count = 0; count < PURGES_MAX; count++) {
      const purged = await this.#db.all(sql`
        DELETE FROM ${audit} WHERE id IN (
          SELECT id FROM ${audit} WHERE date < ${before} ORDER BY date LIMIT ${PURGE_ROWS})
        RETURNING id`);
      if (purged.length < PURGE_ROWS) break;
    }
    const [oldest] = await this.#db.all<{ date: Timestamp | null }>(
      sql`SELECT min(date) AS date FROM ${audit}`,
    );
    if (oldest?.date === null || oldest === undefined) return undefined;
    // An entry is purged when its age exceeds the retention; an equal age is not enough.
    return Math.max(toMillis(oldest.date) + retentionMs + 1, nowMs);
  }
}

function conditionOf(filters: ListOptions): SQL | undefined {
  const of = (name: keyof typeof AUDIT_FILTERS): string => String(filters[name] ?? "");
  const unless = (value: string, condition: SQL) => (value === "" ? undefined : condition);
  return and(
    unless(of("action"), eq(audit.action, of("action"))),
    unless(of("object"), eq(audit.object, of("object"))),
    unless(of("clientId"), eq(audit.clientId, of("clientId"))),
    unless(of("subject"), eq(audit.subject, of("subject"))),
    unless(of("requestId"), eq(audit.requestId, of("requestId"))),
    unless(of("startTime"), gte(sql`${audit.date}`, of("startTime"))),
    unless(of("endTime"), lt(sql`${audit.date}`, of("endTime"))),
  );
}
