import { and, asc, eq, lte, sql } from "drizzle-orm";
import { withoutBodies } from "./without-bodies.ts";
import { deactivateFailing } from "#modules/webhooks/configs/deactivation.ts";
import { endpointOf, TO_ENDPOINT } from "#modules/webhooks/configs/endpoints.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import type { EventBatch, LaneSpec } from "#modules/webhooks/core/lane.ts";
import { webhookSettings } from "#modules/webhooks/settings.ts";
import { webhookOwed } from "#modules/webhooks/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRowParts } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { reachObject } from "#platform/objects/call.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { objectsAtOnce } from "#platform/objects/side-by-side.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** The sweep that gives lanes the batches that they did not take. */
export const OWED_SWEEP = "webhook-owed";

/** How long a batch waits before it is given to its lane again, in milliseconds. */
const WAIT_MS = 30_000;
/** Most batches of one sweep, how many lanes it calls at once, and how long one lane may take with all its batches, in milliseconds. */
const ROWS_MAX = 100;
const CALLS = { total: 24, perKey: 1, timeoutMs: 30_000 };

/** Events that a lane has to store, and the config as their sender knows it. */
export interface OwedBatch {
  readonly spec: LaneSpec;
  readonly batch: EventBatch;
}

type Row = typeof webhookOwed.$inferSelect;

/**
 * Batches that lanes did not take, stored in D1 so that the events of all other lanes go on. They hold no bodies. A sweep gives
 * them to their lanes until these take them; a lane recognises the events that it has already.
 */
export class OwedBatches {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  async add(owed: readonly OwedBatch[]): Promise<void> {
    const now = this.#context.clock();
    const dueMs = toMillis(now) + WAIT_MS;
    const rows = owed.map(({ spec, batch }) => ({
      configId: spec.configId,
      revision: spec.revision,
      batch: stringifyJson(withoutBodies(batch)),
    }));
    const db = databaseOf(this.#context.env);
    for (const { source, items } of jsonRowParts(rows)) {
      const row = { ...items, id: null, createdAt: now, dueAt: fromMillis(dueMs) };
      await db
        .insert(webhookOwed)
        .select(sql`SELECT ${columnValues(webhookOwed, row)} FROM ${source} WHERE true`);
    }
    await armClock(this.#context.env, OWED_SWEEP, dueMs);
  }

  /** Gives lanes the batches that are due. Returns when to sweep next, in milliseconds since the epoch. */
  async sweep(): Promise<number | undefined> {
    const db = databaseOf(this.#context.env);
    const rows = await db
      .select()
      .from(webhookOwed)
      .where(lte(webhookOwed.dueAt, this.#context.clock()))
      .orderBy(asc(webhookOwed.dueAt), asc(webhookOwed.id))
      .limit(ROWS_MAX);
    const byConfig = [...Map.groupBy(rows, ({ configId }) => configId)];
    const results = await settleAll(byConfig, {
      limits: { ...CALLS, total: objectsAtOnce(this.#context.env, CALLS.total) },
      keyOf: ([configId]) => configId,
      run: ([configId, owed], signal) => this.#giveAll(configId, owed, signal),
    });
    for (const { item, error } of results) {
      const [configId, owed] = item;
      if (error !== undefined) await this.#putOff(configId, owed, error);
    }
    const [next] = await db
      .select({ dueAt: webhookOwed.dueAt })
      .from(webhookOwed)
      .orderBy(asc(webhookOwed.dueAt))
      .limit(1);
    return next === undefined ? undefined : toMillis(next.dueAt);
  }

  async #giveAll(configId: string, rows: readonly Row[], signal: AbortSignal): Promise<void> {
    const { env } = this.#context;
    const spec = await LaneSpecs.from(env).find(configId);
    for (const { id, revision, batch } of rows) {
      signal.throwIfAborted();
      // A deactivation ends pending deliveries. Events that were owed before it count as pending, so they are dropped.
      if (spec?.active === true && spec.endedRevision <= revision) {
        const owed = parseJson(batch) as EventBatch; // `add` has stored it
        await reachObject(endpointOf(env, configId).accept(owed, spec), TO_ENDPOINT);
      }
      await databaseOf(env).delete(webhookOwed).where(eq(webhookOwed.id, id));
    }
  }

  /**
   * Gives the batches of a lane that failed a later date. A lane that takes nothing for as long as an endpoint may fail has its
   * config deactivated, so that its batches do not grow without end.
   */
  async #putOff(configId: string, rows: readonly Row[], error: unknown): Promise<void> {
    logError("an endpoint does not take its events; the sweep offers the events again", error, {
      config: configId,
    });
    const { env, clock } = this.#context;
    const nowMs = toMillis(clock());
    await databaseOf(env)
      .update(webhookOwed)
      .set({ dueAt: fromMillis(nowMs + WAIT_MS) })
      .where(and(eq(webhookOwed.configId, configId), lte(webhookOwed.dueAt, clock())));
    const oldestMs = Math.min(...rows.map(({ createdAt }) => toMillis(createdAt)));
    if (nowMs - oldestMs < webhookSettings.of(env).FLORIN_WEBHOOK_DISABLE_AFTER) return;
    const spec = await LaneSpecs.from(env).find(configId);
    if (spec?.active === true) await deactivateFailing(spec, this.#context);
  }
}
