import { type SQL, and, eq, sql } from "drizzle-orm";
import type { ClaimedDelivery, NewDelivery, Settlement } from "./core/delivery.ts";
import { webhookConfigs, webhookDeliveries, webhookDeliveryAttempts } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { PARAMETER_LENGTH_MAX, packJson } from "#platform/db/pack-json.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * Deliveries in D1. Every statement handles a whole batch, which comes as one JSON parameter: a statement of D1 takes at
 * most 100 parameters, and each statement costs a round trip. Conditions on `status` are literals, as a partial index is
 * only used when the planner sees its condition.
 */
export class DeliveryStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Stores deliveries as pending and due, and returns the ids of the new ones. A delivery of an event that the config
   * has already is dropped, and so is one whose config was deactivated meanwhile: nothing pending belongs to such a config.
   */
  async insert(deliveries: readonly NewDelivery[], now: Timestamp): Promise<string[]> {
    const ids: string[] = [];
    for (const { rows, largePayload } of packRows(deliveries)) {
      const inserted = await this.#db
        .insert(webhookDeliveries)
        .select(selectNew(rows, largePayload, now))
        .onConflictDoNothing()
        .returning({ id: webhookDeliveries.id });
      for (const { id } of inserted) ids.push(id);
    }
    return ids;
  }

  /**
   * Claims the deliveries among `ids` that are pending and due. If two callers compete, each delivery goes to one of
   * them.
   */
  async claim(ids: readonly string[], now: Timestamp): Promise<ClaimedDelivery[]> {
    const rows = await this.#db
      .update(webhookDeliveries)
      .set({
        status: "delivering",
        claimedAt: now,
        nextAttemptAt: null,
        cycleStartedAt: sql`coalesce(${webhookDeliveries.cycleStartedAt}, ${now})`,
        updatedAt: now,
      })
      .where(
        sql`${webhookDeliveries.id} IN (SELECT value FROM json_each(${stringifyJson(ids)}))
          AND ${webhookDeliveries.status} = 'pending' AND ${webhookDeliveries.nextAttemptAt} <= ${now}`,
      )
      .returning({
        id: webhookDeliveries.id,
        configId: webhookDeliveries.configId,
        idempotencyKey: webhookDeliveries.idempotencyKey,
        payload: sql<
          string | null
        >`CASE WHEN length(${webhookDeliveries.payload}) <= ${INLINE_PAYLOAD_LENGTH_MAX} THEN ${webhookDeliveries.payload} END`,
        attemptCount: webhookDeliveries.attemptCount,
        cycleStartedAt: webhookDeliveries.cycleStartedAt,
      });
    return rows.map((row) => ({
      ...row,
      payload: row.payload ?? undefined,
      cycleStartedAt: row.cycleStartedAt ?? now,
      claimedAt: now,
    }));
  }

  async readPayload(id: string): Promise<string | undefined> {
    const [row] = await this.#db
      .select({ payload: webhookDeliveries.payload })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.id, id));
    return row?.payload;
  }

  /**
   * Ends claims: in one transaction, adds the attempts and gives the deliveries their next status. A claim that was released
   * meanwhile changes nothing and leaves no attempt. A delivery that did not succeed is cancelled if its config is inactive.
   * Returns the deliveries that wait for another attempt.
   */
  async settle(
    settlements: readonly Settlement[],
    now: Timestamp,
  ): Promise<{ id: string; nextAttemptAt: Timestamp }[]> {
    const waiting: { id: string; nextAttemptAt: Timestamp }[] = [];
    for (const rows of packJson(settlements.map(toSettlementRow))) {
      const [, moved] = await this.#db.batch([
        this.#db.insert(webhookDeliveryAttempts).select(selectAttempts(rows)),
        this.#moveOn(rows, now),
      ]);
      for (const { id, nextAttemptAt } of moved) {
        if (nextAttemptAt !== null) waiting.push({ id, nextAttemptAt });
      }
    }
    return waiting;
  }

  /** The pending deliveries that were due at `dueBy`, longest overdue first. */
  async listOverdue(
    dueBy: Timestamp,
    { after, limit }: { after?: OverduePosition | undefined; limit: number },
  ): Promise<OverduePosition[]> {
    const { nextAttemptAt, id, status } = webhookDeliveries;
    const position =
      after === undefined
        ? undefined
        : sql`(${nextAttemptAt}, ${id}) > (${after.nextAttemptAt}, ${after.id})`;
    const rows = await this.#db
      .select({ nextAttemptAt, id })
      .from(webhookDeliveries)
      .where(and(sql`${status} = 'pending'`, sql`${nextAttemptAt} <= ${dueBy}`, position))
      .orderBy(nextAttemptAt, id)
      .limit(limit);
    return rows.map((row) => ({ id: row.id, nextAttemptAt: row.nextAttemptAt ?? dueBy }));
  }

  /**
   * Releases claims made before `claimedBy`, whose holders were killed or are far too slow. Returns the deliveries that
   * are pending again.
   */
  async releaseStale(claimedBy: Timestamp, now: Timestamp): Promise<string[]> {
    const { status, claimedAt, id } = webhookDeliveries;
    const rows = await this.#db
      .update(webhookDeliveries)
      .set({
        status: sql`CASE WHEN ${HAS_ACTIVE_CONFIG} THEN 'pending' ELSE 'cancelled' END`,
        nextAttemptAt: sql`CASE WHEN ${HAS_ACTIVE_CONFIG} THEN ${now} END`,
        claimedAt: null,
        updatedAt: now,
      })
      .where(sql`${status} = 'delivering' AND ${claimedAt} <= ${claimedBy}`)
      .returning({ id, status });
    return rows.filter((row) => row.status === "pending").map((row) => row.id);
  }

  /** When the next pending delivery is due, and when the oldest claim was made. */
  async readDeadlines(): Promise<{ dueAt?: Timestamp; claimedAt?: Timestamp }> {
    const [row] = await this.#db.all<{ dueAt: Timestamp | null; claimedAt: Timestamp | null }>(sql`
      SELECT
        (SELECT min(next_attempt_at) FROM ${webhookDeliveries} WHERE status = 'pending') AS dueAt,
        (SELECT min(claimed_at) FROM ${webhookDeliveries} WHERE status = 'delivering') AS claimedAt`);
    return {
      ...(row?.dueAt ? { dueAt: row.dueAt } : {}),
      ...(row?.claimedAt ? { claimedAt: row.claimedAt } : {}),
    };
  }

  #moveOn(rows: string, now: Timestamp) {
    return this.#db
      .update(webhookDeliveries)
      .set({
        status: sql`s.status`,
        claimedAt: null,
        nextAttemptAt: sql`CASE WHEN s.status = 'pending' THEN s.next_attempt_at END`,
        attemptCount: sql`${webhookDeliveries.attemptCount} + s.is_attempt`,
        lastAttemptAt: sql`CASE WHEN s.is_attempt THEN s.attempted_at ELSE ${webhookDeliveries.lastAttemptAt} END`,
        lastStatusCode: sql`CASE WHEN s.is_attempt THEN s.status_code ELSE ${webhookDeliveries.lastStatusCode} END`,
        lastError: sql`CASE WHEN s.is_attempt OR s.error IS NOT NULL THEN s.error ELSE ${webhookDeliveries.lastError} END`,
        updatedAt: now,
      })
      .from(settledRows(rows))
      .where(
        sql`${webhookDeliveries.id} = s.id AND ${webhookDeliveries.status} = 'delivering' AND ${webhookDeliveries.claimedAt} = s.claimed_at`,
      )
      .returning({ id: webhookDeliveries.id, nextAttemptAt: webhookDeliveries.nextAttemptAt });
  }
}

/** The position of a delivery in the list of overdue ones. */
export interface OverduePosition {
  readonly nextAttemptAt: Timestamp;
  readonly id: string;
}

/** Longest payload, in characters, that comes with its claim; a batch of 100 of them fits in memory. */
const INLINE_PAYLOAD_LENGTH_MAX = 65_536;

const HAS_ACTIVE_CONFIG = sql`EXISTS (
  SELECT 1 FROM ${webhookConfigs} c
  WHERE c.id = ${webhookDeliveries.configId} AND c.active = 1 AND c.deleted_at IS NULL)`;

interface PackedRows {
  /** JSON array. */
  readonly rows: string;
  /** The payload of the rows that have none: text inside JSON is escaped, and a large one would outgrow a parameter. */
  readonly largePayload: string | null;
}

function* packRows(deliveries: readonly NewDelivery[]): Generator<PackedRows> {
  const isLarge = ({ payload }: NewDelivery): boolean => payload.length > PARAMETER_LENGTH_MAX / 4;
  const small = deliveries
    .filter((delivery) => !isLarge(delivery))
    .map((row) => stringifyJson(row));
  for (const rows of packJson(small)) yield { rows, largePayload: null };
  for (const { payload, ...row } of deliveries.filter(isLarge)) {
    yield { rows: stringifyJson([row]), largePayload: payload };
  }
}

/** In the order of the table's columns. */
const selectNew = (rows: string, largePayload: string | null, now: Timestamp): SQL => sql`
  SELECT
    j.value ->> 'id', j.value ->> 'eventId', c.id, j.value ->> 'eventType',
    j.value ->> 'idempotencyKey', 'pending', 0, 0, NULL, ${now}, NULL, NULL, NULL, NULL,
    ${now}, ${now}, coalesce(j.value ->> 'payload', ${largePayload})
  FROM json_each(${rows}) j JOIN ${webhookConfigs} c ON c.id = j.value ->> 'configId'
  WHERE c.active = 1 AND c.deleted_at IS NULL`;

function toSettlementRow(settlement: Settlement): string {
  const { delivery, attempt, error, status } = settlement;
  return stringifyJson({
    id: delivery.id,
    configId: delivery.configId,
    claimedAt: delivery.claimedAt,
    status,
    nextAttemptAt: status === "pending" ? settlement.nextAttemptAt : null,
    error: attempt?.error ?? error ?? null,
    attempt: attempt === undefined ? null : { id: newId(), ...attempt },
  });
}

/** In the order of the table's columns. */
const selectAttempts = (rows: string): SQL => sql`
  SELECT
    j.value ->> '$.attempt.id', d.id, d.attempt_count + 1, d.replay_generation,
    j.value ->> '$.attempt.endpoint', j.value ->> '$.attempt.outcome',
    j.value ->> '$.attempt.statusCode', j.value ->> '$.attempt.error',
    j.value ->> '$.attempt.durationMs', j.value ->> '$.attempt.responseExcerpt',
    j.value ->> '$.attempt.createdAt'
  FROM json_each(${rows}) j JOIN ${webhookDeliveries} d ON d.id = j.value ->> 'id'
  WHERE d.status = 'delivering' AND d.claimed_at = j.value ->> 'claimedAt'
    AND j.value ->> 'attempt' IS NOT NULL`;

const settledRows = (rows: string): SQL => sql`(
  SELECT
    j.value ->> 'id' AS id,
    j.value ->> 'claimedAt' AS claimed_at,
    CASE WHEN c.id IS NULL AND j.value ->> 'status' <> 'succeeded'
      THEN 'cancelled' ELSE j.value ->> 'status' END AS status,
    j.value ->> 'nextAttemptAt' AS next_attempt_at,
    j.value ->> 'attempt' IS NOT NULL AS is_attempt,
    j.value ->> '$.attempt.createdAt' AS attempted_at,
    nullif(j.value ->> '$.attempt.statusCode', 0) AS status_code,
    j.value ->> 'error' AS error
  FROM json_each(${rows}) j
  LEFT JOIN ${webhookConfigs} c
    ON c.id = j.value ->> 'configId' AND c.active = 1 AND c.deleted_at IS NULL) s`;
