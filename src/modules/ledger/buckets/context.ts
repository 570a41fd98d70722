import { BucketStore, type PendingLedger } from "./store.ts";
import { deletePipelinesOf } from "#modules/exporters/index.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { objectAt } from "#platform/objects/address.ts";
import { armClock, watchClock } from "#platform/objects/deployment-clock.ts";
import type { SettingsOf } from "#platform/settings.ts";
import type { Clock } from "#platform/time.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler } from "#platform/work/reconcile.ts";

/** Name of the sweep that completes deletions and restorations, and purges. */
export const BUCKETS_SWEEP = "buckets";

/** Calls of other parts that the use cases of buckets make; tests replace them. */
export interface BucketPorts {
  readonly clock: Clock;
  /** Tells the object of a ledger that the ledger is deleted or restored. Calls may come twice and in any order: the highest revision counts. */
  readonly setDeletion: (ledger: PendingLedger) => Promise<void>;
  /**
   * Empties all storage of a ledger, and not of another ledger of the same name. May be called again. Throws as long as a pipeline of the
   * ledger may still read it.
   */
  readonly purge: (ledger: PendingLedger) => Promise<void>;
  /** Makes sure that the sweep runs at a time, in milliseconds since the epoch, or earlier. */
  readonly armClock: (atMs: number) => Promise<void>;
  /** Makes sure that the sweep runs again and again until a time, in milliseconds since the epoch, and once after it. */
  readonly watchClock: (untilMs: number) => Promise<void>;
}

export interface BucketContext {
  readonly caller: ServiceContext;
  readonly clock: Clock;
  readonly store: BucketStore;
  readonly reconciler: Reconciler<PendingLedger>;
  readonly settings: Pick<
    SettingsOf<typeof ledgerSettings>,
    "FLORIN_BUCKET_RETENTION" | "FLORIN_BUCKET_CLEANUP_SCHEDULE"
  >;
}

/**
 * Limits for calls of objects: how many at once, and the longest wait for one, in milliseconds. The work of a call may go on afterwards.
 */
const LANES = { total: 32, timeoutMs: 3000 };
/** Wait before an object whose call has failed is called again, in milliseconds. */
const BACKOFF = doubling(15_000, 300_000);

/** The context of the use cases of buckets, for one request or sweep. Ports that are absent are those of the platform. */
export function contextOf(context: ServiceContext, ports: Partial<BucketPorts>): BucketContext {
  const { clock, setDeletion, purge, armClock, watchClock } = {
    ...platformPorts(context),
    ...ports,
  };
  const store = BucketStore.from(context.env);
  const reconciler = new Reconciler<PendingLedger>({
    what: "ledger",
    table: store.pending,
    // A purge takes a while, in which no client may see the ledger.
    apply: async (ledger) => {
      await setDeletion(ledger);
      if (ledger.isFinal === 1) await purge(ledger);
    },
    keyOf: ({ name }) => name,
    lanes: LANES,
    backoff: BACKOFF,
    sweepClock: { arm: armClock, watch: watchClock },
    clock,
  });
  return {
    caller: { ...context, clock },
    clock,
    store,
    reconciler,
    settings: ledgerSettings.of(context.env),
  };
}

const platformPorts = (context: ServiceContext): BucketPorts => ({
  clock: context.clock,
  setDeletion: ({ name, uuid, revision, deletedAt }) =>
    objectAt(context.env, context.env.LEDGERS, name).setDeletion({
      uuid,
      revision,
      deletedAt: deletedAt ?? undefined,
    }),
  purge: async ({ name, uuid }) => {
    const areSynced = await deletePipelinesOf(context, { name, uuid });
    await objectAt(context.env, context.env.LEDGERS, name).purge(uuid);
    await objectAt(context.env, context.env.AUDITS, name).purge(uuid);
    // Pipelines read a ledger by its name, which another ledger may get next.
    if (!areSynced)
      throw new Error("a pipeline of the ledger does not know yet that it is deleted");
  },
  armClock: (atMs) => armClock(context.env, BUCKETS_SWEEP, atMs),
  watchClock: (untilMs) => watchClock(context.env, BUCKETS_SWEEP, untilMs),
});
