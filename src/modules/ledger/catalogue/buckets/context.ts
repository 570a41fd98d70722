import { BucketStore, type PurgedLedger, type UntoldChange } from "./store.ts";
import { deletePipelinesOf } from "#modules/exporters/index.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import { systemClock } from "#platform/clock.ts";
import { armClock, watchClock } from "#platform/objects/deployment-clock.ts";
import type { SettingsOf } from "#platform/settings.ts";
import { type Clock } from "#platform/time.ts";

/** What lies outside the catalogue, and what time it is. */
export interface BucketPorts {
  readonly clock: Clock;
  /** Tells the object of a ledger that the ledger is deleted or restored. */
  readonly tell: (change: UntoldChange) => Promise<void>;
  /** Empties all storage of a ledger, not that of another one of its name. May be called again. */
  readonly purge: (ledger: PurgedLedger) => Promise<void>;
  /** Makes sure that the sweep runs at that time, in milliseconds since the epoch, or before. */
  readonly armClock: (atMs: number) => Promise<void>;
  /** Makes sure that the sweep runs again and again until that time, and once after it. */
  readonly watchClock: (untilMs: number) => Promise<void>;
}

export interface BucketContext extends BucketPorts {
  readonly store: BucketStore;
  readonly settings: Pick<
    SettingsOf<typeof ledgerSettings>,
    "FLORIN_BUCKET_RETENTION" | "FLORIN_BUCKET_CLEANUP_SCHEDULE"
  >;
}

export const contextOf = (env: Env, ports: Partial<BucketPorts>): BucketContext => ({
  store: BucketStore.from(env),
  settings: ledgerSettings.of(env),
  clock: systemClock,
  tell: ({ name, uuid, visibility, deletedAt }) =>
    env.LEDGERS.getByName(name).setVisibility({ uuid, visibility, deletedAt }),
  purge: async ({ name, uuid }) => {
    const areTold = await deletePipelinesOf(env, { name, uuid });
    await env.LEDGERS.getByName(name).purge(uuid);
    await env.AUDITS.getByName(name).purge(uuid);
    // They read by the name, which another ledger gets next.
    if (!areTold) throw new Error("a pipeline of the ledger does not know yet that it is deleted");
  },
  armClock: (atMs) => armClock(env, atMs),
  watchClock: (untilMs) => watchClock(env, untilMs),
  ...ports,
});
