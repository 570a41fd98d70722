import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Omitted } from "./quota.ts";
import { failedRequests } from "./tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ListOptions, PageQuery } from "#platform/paging/query.ts";
import { fromMillis, type Timestamp, toMicros, toMillis } from "#platform/time.ts";

export type FailedRequest = typeof failedRequests.$inferSelect;
export type NewFailedRequest = Omit<FailedRequest, "id" | "more" | "moreOfOthers">;

/** The sender whose requests alone are seen. */
export type RequestSender = Pick<FailedRequest, "issuer" | "clientId" | "subject">;

/**
 * The filters of a list. Texts have to be equal; an empty text does not filter. `status` is a status, or a class such as `5xx`. Requests are
 * dated from `startTime` on and before `endTime`, both `Timestamp`.
 */
export const FAILED_REQUEST_FILTERS = {
  status: "",
  code: "",
  method: "",
  route: "",
  operation: "",
  clientId: "",
  subject: "",
  requestId: "",
  startTime: "",
  endTime: "",
} as const satisfies ListOptions;

/** Most rows that one statement deletes, and most statements of one sweep. */
const PURGE_ROWS = 500;
const PURGES_MAX = 20;

/** The rows of failed requests. */
export class FailedRequestStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Env): FailedRequestStore {
    return new FailedRequestStore(databaseOf(env));
  }

  /**
   * Stores requests, the counts of others, and deletes as many of the oldest rows as exceed `kept`, in one batch. A request that is stored
   * already is left alone, so that a batch of unknown outcome may be stored again.
   */
  async store(
    requests: readonly NewFailedRequest[],
    { more, ofOthers }: Omitted,
    kept: number,
  ): Promise<void> {
    const counts = [...more].map(([requestId, count]) => ({ requestId, count, ofOthers: 0 }));
    if (ofOthers !== undefined) {
      counts.push({ requestId: ofOthers.requestId, count: 0, ofOthers: ofOthers.count });
    }
    await this.#db.batch([
      this.#purge(sql`id <= (SELECT max(id) FROM ${failedRequests}) - ${kept}`),
      ...(requests.length === 0 ? [] : [this.#insert(requests)]),
      ...(counts.length === 0 ? [] : [this.#count(counts)]),
    ]);
  }

  #insert(requests: readonly NewFailedRequest[]) {
    const { source, items } = jsonRows(requests);
    const values = columnValues(failedRequests, { ...items, id: null, more: 0, moreOfOthers: 0 });
    return this.#db
      .insert(failedRequests)
      .select(sql`SELECT ${values} FROM ${source} WHERE TRUE ORDER BY ${ROW_ORDER}`)
      .onConflictDoNothing();
  }

  #count(counts: readonly { requestId: string; count: number; ofOthers: number }[]) {
    const { source, items } = jsonRows(counts);
    const given = sql`(
      SELECT ${items.requestId} AS id, sum(${items.count}) AS more, sum(${items.ofOthers}) AS of_others
      FROM ${source} GROUP BY 1) AS given`;
    const { more, moreOfOthers, requestId } = failedRequests;
    return this.#db
      .update(failedRequests)
      .set({
        more: sql`${more} + given.more`,
        moreOfOthers: sql`${moreOfOthers} + given.of_others`,
      })
      .from(given)
      .where(sql`${requestId} = given.id`);
  }

  /** A page of requests, sorted by date and then by id; of those of `sender` alone, if there is one. The options of the query are `FAILED_REQUEST_FILTERS`. */
  list(query: PageQuery, sender: RequestSender | undefined): Promise<Page<FailedRequest>> {
    const condition = and(conditionOf(query.options ?? FAILED_REQUEST_FILTERS), isOf(sender));
    return listPage<FailedRequest>(query, {
      sort: {
        date: {
          column: failedRequests.date,
          type: "date",
          tie: failedRequests.id,
          keyOf: ({ id, date }) => ({ value: toMicros(date), tie: BigInt(id) }),
        },
      },
      read: ({ where, orderBy, limit, offset }) =>
        this.#db
          .select()
          .from(failedRequests)
          .where(and(condition, where))
          .orderBy(...orderBy)
          .limit(limit)
          .offset(offset),
    });
  }

  /** The request with an id, if it is one of `sender` or there is no `sender`. */
  async find(
    requestId: string,
    sender: RequestSender | undefined,
  ): Promise<FailedRequest | undefined> {
    const [found] = await this.#db
      .select()
      .from(failedRequests)
      .where(and(eq(failedRequests.requestId, requestId), isOf(sender)));
    return found;
  }

  /**
   * Deletes requests that are older than the retention, up to `PURGE_ROWS * PURGES_MAX` in one call. Returns the time of the next purge, in
   * milliseconds since the epoch, which is now if more are due; undefined if there are no requests.
   */
  async purge(nowMs: number, retentionMs: number): Promise<number | undefined> {
    const isDue = sql`date < ${fromMillis(nowMs - retentionMs)}`;
    for (let count = 0; count < PURGES_MAX; count++) {
      const { meta } = await this.#purge(isDue);
      if (meta.changes < PURGE_ROWS) break;
    }
    const [oldest] = await this.#db.all<{ date: Timestamp | null }>(
      sql`SELECT min(date) AS date FROM ${failedRequests}`,
    );
    if (oldest?.date === null || oldest === undefined) return undefined;
    return Math.max(toMillis(oldest.date) + retentionMs + 1, nowMs);
  }

  #purge(isDue: SQL) {
    return this.#db.delete(failedRequests).where(sql`id IN (
      SELECT id FROM ${failedRequests} WHERE ${isDue} LIMIT ${PURGE_ROWS})`);
  }
}

const isOf = (sender: RequestSender | undefined): SQL | undefined =>
  sender === undefined
    ? undefined
    : and(
        eq(failedRequests.issuer, sender.issuer),
        eq(failedRequests.clientId, sender.clientId),
        eq(failedRequests.subject, sender.subject),
      );

function conditionOf(filters: ListOptions): SQL | undefined {
  const of = (name: keyof typeof FAILED_REQUEST_FILTERS): string => String(filters[name] ?? "");
  const unless = (value: string, condition: SQL) => (value === "" ? undefined : condition);
  const { code, method, route, operation, clientId, subject, requestId, date } = failedRequests;
  return and(
    statusCondition(of("status")),
    unless(of("code"), eq(code, of("code"))),
    unless(of("method"), eq(method, of("method"))),
    unless(of("route"), eq(route, of("route"))),
    unless(of("operation"), eq(operation, of("operation"))),
    unless(of("clientId"), eq(clientId, of("clientId"))),
    unless(of("subject"), eq(subject, of("subject"))),
    unless(of("requestId"), eq(requestId, of("requestId"))),
    unless(of("startTime"), gte(sql`${date}`, of("startTime"))),
    unless(of("endTime"), lt(sql`${date}`, of("endTime"))),
  );
}

function statusCondition(status: string): SQL | undefined {
  if (status === "") return undefined;
  if (!status.endsWith("xx")) return eq(failedRequests.status, Number(status));
  const first = Number(status[0]) * 100;
  return and(gte(failedRequests.status, first), lt(failedRequests.status, first + 100));
}
