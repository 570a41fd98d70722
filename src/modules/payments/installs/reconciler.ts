import { type SQL, sql } from "drizzle-orm";
import { paymentConnectors } from "./tables.ts";
import { CONNECTORS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import { systemClock } from "#platform/clock.ts";
import { databaseOf } from "#platform/db/database.ts";
import { objectAt } from "#platform/objects/address.ts";
import { sweepClockOf } from "#platform/objects/deployment-clock.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler, type RunLimits } from "#platform/work/reconcile.ts";
import { type PendingRow, SyncTable } from "#platform/work/sync-table.ts";

interface PendingConnector extends PendingRow {
  readonly reference: string;
}

/** Limits of the calls to the objects of connectors: so many at once, each with a time limit in milliseconds. */
const OBJECT_LANES = { total: 6, timeoutMs: 10_000 };
/** Most objects that a sweep calls, and how long a sweep or a request waits for objects, in milliseconds. */
const CALLS_PER_SWEEP_MAX = 150;
const WORK_MS_MAX = 10_000;

/** Tells the objects of connectors that their rows in D1 have changed. The objects read the rows themselves. */
export function reconcilerOf(env: Env): Reconciler<PendingConnector> {
  return new Reconciler<PendingConnector>({
    what: "connector",
    table: new SyncTable<PendingConnector>(databaseOf(env), {
      table: paymentConnectors,
      key: "key",
      returning: sql`reference`,
      // The object of a connector deletes the connector's row itself, after all other rows of the connector.
      isFinal: sql`0`,
    }),
    apply: ({ reference }) => objectAt(env, env.CONNECTORS, reference).refresh(),
    keyOf: ({ reference }) => reference,
    lanes: OBJECT_LANES,
    backoff: doubling(1000, 60_000),
    sweepClock: sweepClockOf(env, CONNECTORS_SWEEP),
    clock: systemClock,
  });
}

export const withReference = (reference: string): SQL => sql`reference = ${reference}`;

export const requestLimits = (): RunLimits => ({
  rowsMax: 1,
  untilMs: Date.now() + WORK_MS_MAX,
});

export const sweepLimits = (): RunLimits => ({
  rowsMax: CALLS_PER_SWEEP_MAX,
  untilMs: Date.now() + WORK_MS_MAX,
});
