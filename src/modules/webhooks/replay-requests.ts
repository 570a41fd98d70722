import { createHash } from "node:crypto";
import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { webhookReplays } from "./tables.ts";
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

/**
 * Answers each request to replay deliveries once: the same key gives the stored answer. A crash may come at any time, and two
 * requests with one key at once. So what is to be done is stored before it is begun, the objects that do it know the request by
 * its name, and whoever comes again does the same once more, to no further effect.
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
    if (row.response !== null) return parseJson(row.response) as T; // what this has stored
    try {
      const answer = await work(row.id, (decide) => this.#decide(row, decide));
      const [stored] = await this.#update(row, "response", stringifyJson(answer));
      return stored?.response === undefined || stored.response === null
        ? answer
        : (parseJson(stored.response) as T); // what this has stored
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

  /** The row of a key, which is made where there is none or it is too old. */
  async #claim(key: string, requestHash: string): Promise<Row> {
    const now = this.#clock();
    const expired = lt(webhookReplays.createdAt, fromMillis(toMillis(now) - KEY_MS));
    const [, , [row]] = await this.#db.batch([
      this.#db.delete(webhookReplays).where(and(eq(webhookReplays.key, key), expired)),
      this.#db
        .insert(webhookReplays)
        .values({ key, id: newId(), requestHash, createdAt: now })
        .onConflictDoNothing(),
      this.#db.select().from(webhookReplays).where(eq(webhookReplays.key, key)),
    ]);
    const known = present(row, "the row was just stored");
    if (known.requestHash === requestHash) return known;
    throw new AppError("CONFLICT", "idempotency key already used with another request");
  }

  async #decide<T>(row: Row, decide: () => Promise<T>): Promise<T> {
    if (row.plan !== null) return parseJson(row.plan) as T; // what this has stored
    const [stored] = await this.#update(row, "plan", stringifyJson(await decide()));
    return parseJson(
      present(stored?.plan ?? undefined, "a request that is answered has a row"),
    ) as T; // the same
  }

  /** Sets what nobody has set before, and returns what is set. */
  #update({ key, id }: Row, column: "plan" | "response", value: string) {
    return this.#db
      .update(webhookReplays)
      .set({ [column]: sql`coalesce(${webhookReplays[column]}, ${value})` })
      .where(and(eq(webhookReplays.key, key), eq(webhookReplays.id, id)))
      .returning({ plan: webhookReplays.plan, response: webhookReplays.response });
  }

  async #release({ key, id }: Row): Promise<void> {
    await this.#db
      .delete(webhookReplays)
      .where(
        and(
          eq(webhookReplays.key, key),
          eq(webhookReplays.id, id),
          isNull(webhookReplays.response),
        ),
      );
  }
}

const hashOf = (request: unknown): string =>
  createHash("sha256").update(stringifyJson(request)).digest("hex");
