import { createHash } from "node:crypto";
import { and, eq, isNull, lt, ne, or, sql } from "drizzle-orm";
import { webhookReplays } from "#modules/webhooks/tables.ts";
import { present } from "#platform/assert.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { type Clock, fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long an idempotency key is kept, in milliseconds. */
export const KEY_MS = 24 * 3_600_000;

/** A request and its idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  /** JSON that identifies the request; a repetition has the same. */
  readonly request: unknown;
}

/** Returns the stored plan of a request. The first call decides and stores it; a repetition of the request gets the stored one. */
export type Decision = <T>(decide: () => Promise<T>) => Promise<T>;

type Row = typeof webhookReplays.$inferSelect;

/** The stored response of a refused request. It is JSON that no answer has. */
const REFUSED = "null";

/**
 * Answers each request to replay deliveries once: the same idempotency key gets the stored answer.
 *
 *     claim the key ─► store the plan ─► objects replay, once for each name ─► store the answer
 *       │ another request has the key: CONFLICT                   │
 *       │ an answer is stored: return it                          └─ refused: the key is free for other requests
 *
 * A crash may come at any time, and two requests may use one key at once. So the plan is stored before the work begins, the
 * objects recognise the request by its name (the id of the row), and a repeated request does the same work again without a
 * further effect.
 *
 * A refused request frees its key, but its row stays. Another request with the key replaces the row. The same request keeps the
 * row's name, because a copy of it that came at the same time may have succeeded.
 */
export class ReplayRequests {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  static from({
    env,
    clock,
  }: {
    readonly env: Pick<Env, "DB">;
    readonly clock: Clock;
  }): ReplayRequests {
    return new ReplayRequests(databaseOf(env), clock);
  }

  /**
   * Runs the work of a request, or returns its stored answer. Throws `CONFLICT` for a key of another request. Throws the errors
   * of the work; the key is free after an expected one.
   */
  async answer<T>(
    { key, request }: KeyedRequest,
    work: (name: string, decideOnce: Decision) => Promise<T>,
  ): Promise<T> {
    const row = await this.#claim(key, hashOf(request));
    if (isAnswer(row.response)) return parseJson(row.response) as T; // `#storeAnswer` has stored it
    try {
      const answer = await work(row.id, (decide) => this.#decide(row, decide));
      const stored = await this.#storeAnswer(row, stringifyJson(answer));
      return stored === undefined ? answer : (parseJson(stored) as T); // `#storeAnswer` has stored it
    } catch (error) {
      if (error instanceof AppError && error.kind !== "OVERLOADED") await this.#release(row);
      throw error;
    }
  }

  /** Deletes keys that are too old. Returns when the next key is to be deleted, in milliseconds since the epoch. */
  async purge(): Promise<number | undefined> {
    const before = fromMillis(toMillis(this.#clock()) - KEY_MS);
    await this.#db.delete(webhookReplays).where(lt(webhookReplays.createdAt, before));
    const [row] = await this.#db.all<{ oldest: Timestamp | null }>(
      sql`SELECT min(created_at) AS oldest FROM ${webhookReplays}`,
    );
    return row?.oldest ? toMillis(row.oldest) + KEY_MS + 1 : undefined;
  }

  /**
   * The row of a key. It is made anew if there is none, or the old one has expired or belongs to another request that was
   * refused. Throws `CONFLICT` for a key of another request.
   */
  async #claim(key: string, requestHash: string): Promise<Row> {
    const now = this.#clock();
    const expired = lt(webhookReplays.createdAt, fromMillis(toMillis(now) - KEY_MS));
    const free = and(
      eq(webhookReplays.response, REFUSED),
      ne(webhookReplays.requestHash, requestHash),
    );
    const [, , [row]] = await this.#db.batch([
      this.#db.delete(webhookReplays).where(and(eq(webhookReplays.key, key), or(expired, free))),
      this.#db
        .insert(webhookReplays)
        .values({ key, id: newId(), requestHash, createdAt: now })
        .onConflictDoUpdate({
          target: webhookReplays.key,
          set: { response: null },
          setWhere: eq(webhookReplays.response, REFUSED),
        }),
      this.#db.select().from(webhookReplays).where(eq(webhookReplays.key, key)),
    ]);
    const known = present(row, "the row was just stored");
    if (known.requestHash === requestHash) return known;
    throw new AppError("CONFLICT", "idempotency key already used with another request");
  }

  async #decide<T>(row: Row, decide: () => Promise<T>): Promise<T> {
    if (row.plan !== null) return parseJson(row.plan) as T; // `#decide` has stored it
    const plan = stringifyJson(await decide());
    const [stored] = await this.#db
      .update(webhookReplays)
      .set({ plan: sql`coalesce(${webhookReplays.plan}, ${plan})` })
      .where(sameAs(row))
      .returning({ plan: webhookReplays.plan });
    if (stored !== undefined) return parseJson(stored.plan ?? plan) as T; // `plan`, or that of another copy
    // A copy of this request was refused, and another request has taken the key; nothing was replayed yet.
    throw new AppError("OVERLOADED", "the idempotency key was taken by another request; try again");
  }

  /** Stores an answer unless one is stored, and returns the stored answer; undefined if another request has taken the key. */
  async #storeAnswer(row: Row, answer: string): Promise<string | undefined> {
    const { response } = webhookReplays;
    const [stored] = await this.#db
      .update(webhookReplays)
      .set({ response: sql`coalesce(nullif(${response}, ${REFUSED}), ${answer})` })
      .where(sameAs(row))
      .returning({ response });
    return stored?.response ?? undefined;
  }

  async #release(row: Row): Promise<void> {
    await this.#db
      .update(webhookReplays)
      .set({ response: REFUSED })
      .where(and(sameAs(row), isNull(webhookReplays.response)));
  }
}

const sameAs = ({ key, id }: Row) => and(eq(webhookReplays.key, key), eq(webhookReplays.id, id));

const isAnswer = (response: string | null): response is string =>
  response !== null && response !== REFUSED;

const hashOf = (request: unknown): string =>
  createHash("sha256").update(stringifyJson(request)).digest("hex");
