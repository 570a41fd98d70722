import { createHash } from "node:crypto";
import { and, eq, isNull, lt, ne, or, sql } from "drizzle-orm";
import { webhookReplays } from "#modules/webhooks/tables.ts";
import { present } from "#platform/assert.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { type Clock, fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long a key is remembered, in milliseconds. */
export const KEY_MS = 24 * 3_600_000;

/** A request, and what makes it the same when it comes again. */
export interface KeyedRequest {
  readonly key: string;
  /** JSON that tells it from any other request. */
  readonly request: unknown;
}

/** Decides once what a request comes down to; a repetition gets what was decided. */
export type Decision = <T>(decide: () => Promise<T>) => Promise<T>;

type Row = typeof webhookReplays.$inferSelect;

/** The stored response of a request that was refused. No answer is this text. */
const REFUSED = "null";

/**
 * Answers each request to replay deliveries once: the same key gives the stored answer. A crash may come at any time, and two
 * requests with one key at once. So what is to be done is stored before it is begun, the objects that do it know the request by
 * its name, and whoever comes again does the same once more, to no further effect.
 *
 * The key of a request that was refused is free, but its row stays: another request with the key replaces it, while the same
 * request keeps the name, as one that came at the same time may have succeeded.
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

  /** Throws `CONFLICT` for a key of another request, and what the work throws: then the key is free again. */
  async answer<T>(
    { key, request }: KeyedRequest,
    work: (name: string, decideOnce: Decision) => Promise<T>,
  ): Promise<T> {
    const row = await this.#claim(key, hashOf(request));
    if (isAnswer(row.response)) return parseJson(row.response) as T; // what this has stored
    try {
      const answer = await work(row.id, (decide) => this.#decide(row, decide));
      const stored = await this.#storeAnswer(row, stringifyJson(answer));
      return stored === undefined ? answer : (parseJson(stored) as T); // what this has stored
    } catch (error) {
      if (error instanceof AppError && error.kind !== "OVERLOADED") await this.#release(row);
      throw error;
    }
  }

  /** Forgets keys; returns when to forget the next one. */
  async purge(): Promise<number | undefined> {
    const before = fromMillis(toMillis(this.#clock()) - KEY_MS);
    await this.#db.delete(webhookReplays).where(lt(webhookReplays.createdAt, before));
    const [row] = await this.#db.all<{ oldest: Timestamp | null }>(
      sql`SELECT min(created_at) AS oldest FROM ${webhookReplays}`,
    );
    return row?.oldest ? toMillis(row.oldest) + KEY_MS + 1 : undefined;
  }

  /** The row of a key, which is made where there is none, or it is too old or left by a request that was refused. */
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
    if (row.plan !== null) return parseJson(row.plan) as T; // what this has stored
    const plan = stringifyJson(await decide());
    const [stored] = await this.#db
      .update(webhookReplays)
      .set({ plan: sql`coalesce(${webhookReplays.plan}, ${plan})` })
      .where(sameAs(row))
      .returning({ plan: webhookReplays.plan });
    if (stored !== undefined) return parseJson(stored.plan ?? plan) as T; // the same
    // The same request was refused elsewhere, and another one has the key now; nothing is done yet.
    throw new AppError("OVERLOADED", "the idempotency key was taken by another request; try again");
  }

  /** Stores an answer unless one is stored, and returns the stored one; undefined where the key has gone to another request. */
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
