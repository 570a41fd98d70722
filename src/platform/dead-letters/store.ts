import { and, asc, eq, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import { type DeadLetterState, deadLetters } from "./tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ListOptions, PageQuery } from "#platform/paging/query.ts";
import { fromMillis, type Timestamp, toMicros, toMillis } from "#platform/time.ts";

export type DeadLetter = typeof deadLetters.$inferSelect;

/** A message that a queue gives up, or is about to give up. */
export interface GivenUp extends Pick<
  DeadLetter,
  "key" | "queue" | "ledger" | "body" | "error" | "attempts"
> {
  /** The platform's id of the message in the queue of dead letters; null for a message that is about to be given up. */
  readonly messageId: string | null;
  readonly date: Timestamp;
}

/** The filters of a list. Texts have to be equal; an empty text does not filter. Letters came first from `startTime` on and before `endTime`, both `Timestamp`. */
export const DEAD_LETTER_FILTERS = {
  state: "",
  queue: "",
  ledger: "",
  startTime: "",
  endTime: "",
} as const satisfies ListOptions;

/** Most rows that one statement deletes, and most statements of one sweep. */
const PURGE_ROWS = 500;
const PURGES_MAX = 20;

/** The rows of dead letters. */
export class DeadLetterStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Env): DeadLetterStore {
    return new DeadLetterStore(databaseOf(env));
  }

  /**
   * Stores messages in one batch, and returns the keys of those that are stored. From `kept` rows on, rows that were sent again make room,
   * and only messages with a row are taken. A message may be stored again: the id of its last arrival tells a repetition from a new arrival.
   */
  async keep(messages: readonly GivenUp[], kept: number): Promise<ReadonlySet<string>> {
    const { source, items } = jsonRows(messages);
    const { key, messageId, date } = items;
    const values = columnValues(deadLetters, {
      ...items,
      id: null,
      state: "waiting",
      firstSeen: date,
      lastSeen: date,
      retries: 0,
      sendAt: null,
      sentAt: null,
      arrivals: sql`${messageId} IS NOT NULL`,
    });
    const counted = sql`(SELECT count(*) FROM (SELECT 1 FROM ${deadLetters} LIMIT ${kept}))`;
    const isNew = sql`(excluded.message_id IS NOT NULL AND excluded.message_id IS NOT dead_letters.message_id)`;
    const [, stored] = await this.#db.batch([
      this.#db.delete(deadLetters).where(sql`id IN (
        SELECT id FROM ${deadLetters} WHERE state = 'retried' AND ${counted} >= ${kept}
        ORDER BY first_seen LIMIT ${messages.length})`),
      this.#db
        .insert(deadLetters)
        .select(
          sql`SELECT ${values} FROM ${source}
            WHERE ${counted} < ${kept} OR ${key} IN (SELECT key FROM ${deadLetters})
            ORDER BY ${ROW_ORDER}`,
        )
        .onConflictDoUpdate({
          target: deadLetters.key,
          set: {
            lastSeen: sql`excluded.last_seen`,
            arrivals: sql`dead_letters.arrivals + ${isNew}`,
            state: sql`CASE WHEN dead_letters.state = 'retried' AND ${isNew} THEN 'waiting' ELSE dead_letters.state END`,
            messageId: sql`coalesce(excluded.message_id, dead_letters.message_id)`,
            error: sql`coalesce(excluded.error, dead_letters.error)`,
            attempts: sql`coalesce(excluded.attempts, dead_letters.attempts)`,
          },
        })
        .returning({ key: deadLetters.key }),
    ]);
    return new Set(stored.map((row) => row.key));
  }

  /** A page of letters, sorted by the date of their first arrival and then by id. The options of the query are `DEAD_LETTER_FILTERS`. */
  list(query: PageQuery): Promise<Page<DeadLetter>> {
    const condition = conditionOf(query.options ?? DEAD_LETTER_FILTERS);
    return listPage<DeadLetter>(query, {
      sort: {
        first_seen: {
          column: deadLetters.firstSeen,
          type: "date",
          tie: deadLetters.id,
          keyOf: ({ id, firstSeen }) => ({ value: toMicros(firstSeen), tie: BigInt(id) }),
        },
      },
      read: ({ where, orderBy, limit, offset }) =>
        this.#db
          .select()
          .from(deadLetters)
          .where(and(condition, where))
          .orderBy(...orderBy)
          .limit(limit)
          .offset(offset),
    });
  }

  async find(id: number): Promise<DeadLetter | undefined> {
    const [found] = await this.#db.select().from(deadLetters).where(eq(deadLetters.id, id));
    return found;
  }

  /** The statement that deletes a letter. */
  deletion(id: number) {
    return this.#db
      .delete(deadLetters)
      .where(eq(deadLetters.id, id))
      .returning({ id: deadLetters.id });
  }

  /** The statement that lets a waiting letter be sent again, by the sweep from `sendAt` on, and returns the letter; a letter in another state stays. */
  retry(id: number, sendAt: Timestamp) {
    return this.#db
      .update(deadLetters)
      .set({ state: "retrying", sendAt, retries: sql`retries + 1` })
      .where(and(eq(deadLetters.id, id), isIn("waiting")))
      .returning();
  }

  /** Letters that are due to be sent, put off until `sendAt`, so that nobody else sends them meanwhile. */
  claimDue(now: Timestamp, sendAt: Timestamp, limit: number): Promise<DeadLetter[]> {
    return this.#db
      .update(deadLetters)
      .set({ sendAt })
      .where(sql`id IN (
        SELECT id FROM ${deadLetters} WHERE send_at <= ${now} ORDER BY send_at LIMIT ${limit})`)
      .returning();
  }

  /** Notes that the queue has taken a letter. A letter that has come again since it was read waits again. */
  async noteSent({ id, arrivals, sendAt }: DeadLetter, sentAt: Timestamp): Promise<void> {
    await this.#db
      .update(deadLetters)
      .set({
        state: sql`CASE WHEN arrivals = ${arrivals} THEN 'retried' ELSE 'waiting' END`,
        sendAt: null,
        sentAt,
      })
      .where(and(eq(deadLetters.id, id), isIn("retrying"), eq(sql`send_at`, sendAt)));
  }

  /**
   * Deletes letters that came last before the retention, up to `PURGE_ROWS * PURGES_MAX` in one call. Returns when the next letter is due to
   * be deleted or sent, in milliseconds since the epoch, which is now if more are due; undefined for none.
   */
  async purge(nowMs: number, retentionMs: number): Promise<number | undefined> {
    const before = fromMillis(nowMs - retentionMs);
    for (let count = 0; count < PURGES_MAX; count++) {
      const { meta } = await this.#db.delete(deadLetters).where(sql`id IN (
        SELECT id FROM ${deadLetters} WHERE last_seen < ${before} AND state <> 'retrying'
        ORDER BY last_seen LIMIT ${PURGE_ROWS})`);
      if (meta.changes < PURGE_ROWS) break;
    }
    const [kept, due] = await this.#db.batch([
      this.#db
        .select({ at: deadLetters.lastSeen })
        .from(deadLetters)
        .where(ne(deadLetters.state, "retrying"))
        .orderBy(asc(deadLetters.lastSeen))
        .limit(1),
      this.#db
        .select({ at: sql<Timestamp>`send_at` })
        .from(deadLetters)
        .where(sql`send_at IS NOT NULL`)
        .orderBy(asc(deadLetters.sendAt))
        .limit(1),
    ]);
    const times = [
      ...kept.map(({ at }) => toMillis(at) + retentionMs + 1),
      ...due.map(({ at }) => toMillis(at) + 1),
    ];
    return times.length === 0 ? undefined : Math.max(Math.min(...times), nowMs);
  }
}

const isIn = (state: DeadLetterState): SQL => eq(deadLetters.state, state);

function conditionOf(filters: ListOptions): SQL | undefined {
  const of = (name: keyof typeof DEAD_LETTER_FILTERS): string => String(filters[name] ?? "");
  const unless = (value: string, condition: SQL) => (value === "" ? undefined : condition);
  const { state, queue, ledger, firstSeen } = deadLetters;
  return and(
    unless(of("state"), eq(sql`${state}`, of("state"))),
    unless(of("queue"), eq(queue, of("queue"))),
    unless(of("ledger"), eq(ledger, of("ledger"))),
    unless(of("startTime"), gte(sql`${firstSeen}`, of("startTime"))),
    unless(of("endTime"), lt(sql`${firstSeen}`, of("endTime"))),
  );
}
