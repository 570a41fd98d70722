import type { DueBody, PayloadStore } from "./payload-store.ts";
import type { LaneNeed } from "#modules/webhooks/core/lane.ts";
import type { WebhookSettings } from "#modules/webhooks/settings.ts";
import { logError } from "#platform/log.ts";
import { settleAll } from "#platform/work/lanes.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * How long a body is kept beyond the shortest retention, because nearly all deliveries have ended by then. A purge begins when
 * the time of a body has been over for as long again. So lanes are asked once an hour at most, and about few bodies twice.
 */
const SLACK_MS = HOUR_MS;
/** How long a body is kept for a pending delivery before its lane is asked again, in milliseconds. */
const PENDING_MS = DAY_MS;
/** How long a purge waits before it asks the lanes again after one of them did not answer, in milliseconds. */
const UNANSWERED_MS = 600_000;
/** Most bodies that one sweep looks at. If more are due, the next sweep follows at once. */
export const PURGE_ROWS = 4000;
/** How many lanes are asked at once, and how long each may take. */
const LANES = { total: 24, perKey: 1, timeoutMs: 15_000 };

/** The effects and settings of a purge; tests replace them. */
export interface PurgePorts {
  readonly store: PayloadStore;
  readonly settings: WebhookSettings;
  readonly nowMs: number;
  /** The ids of the configs whose deliveries may be attempted or replayed, which are all that are not deleted. */
  readonly lanes: () => Promise<readonly string[]>;
  /** Asks the lane of a config which of these events' bodies it needs. */
  readonly ask: (configId: string, eventIds: readonly string[]) => Promise<readonly LaneNeed[]>;
  /** How many lanes may be asked at once under the present load, up to `most`. */
  readonly atOnce: (most: number) => number;
}

/** Until when the body of an event that comes now is kept without a question to any lane, in milliseconds since the epoch. */
export const keepUntilMsOf = (settings: WebhookSettings, nowMs: number): number =>
  nowMs +
  Math.min(settings.FLORIN_WEBHOOK_RETENTION_SUCCEEDED, settings.FLORIN_WEBHOOK_RETENTION_FAILED) +
  SLACK_MS;

/** Age at which a body is removed although a lane did not answer, in milliseconds. */
const unansweredMsMax = (settings: WebhookSettings): number =>
  Math.max(settings.FLORIN_WEBHOOK_RETENTION_SUCCEEDED, settings.FLORIN_WEBHOOK_RETENTION_FAILED) +
  settings.FLORIN_WEBHOOK_DISABLE_AFTER;

/**
 * Removes the bodies that no delivery needs any more. The body of an event that every endpoint has taken is removed after the
 * retention of succeeded deliveries. The body of a pending or failed delivery is kept for as long as this delivery may be
 * replayed.
 *
 *     event ──▶ body, kept for the shortest retention and an hour: nothing else is written when it is delivered
 *                 │ its time is over
 *                 ▼
 *               all lanes are asked at once, once for all bodies:  needed until …  ──▶ kept until then
 *                                                                  by none         ──▶ removed
 *                                                                  a lane is silent ─▶ asked again in ten minutes
 *
 * A lane that does not answer keeps all bodies whose time is over, because it may need any of them. They are removed without its
 * answer once they are older than the longest retention and the time after which a failing config is deactivated together.
 * Returns when to purge next, in milliseconds since the epoch.
 */
export async function purgePayloads(ports: PurgePorts): Promise<number | undefined> {
  const { store, nowMs } = ports;
  const nextMs = await store.nextDueMs();
  if (nextMs === undefined) return undefined;
  if (nextMs + SLACK_MS > nowMs) return nextMs + SLACK_MS;
  const due = await store.listDue(nowMs, PURGE_ROWS);
  const isDone = await purgeSome(ports, due);
  if (!isDone) return nowMs + UNANSWERED_MS;
  if (due.length === PURGE_ROWS) return nowMs;
  const laterMs = await store.nextDueMs();
  return laterMs === undefined ? undefined : laterMs + SLACK_MS;
}

/** Purges some bodies. Returns whether every body that no lane needs is gone; it is not where a lane is silent. */
async function purgeSome(ports: PurgePorts, due: readonly DueBody[]): Promise<boolean> {
  const { store, settings, nowMs } = ports;
  const ids = due.map(({ eventId }) => eventId);
  const { until, silent } = await needsOf(ports, ids);
  for (const id of await store.owedAmong(ids)) until.set(id, nowMs + PENDING_MS);
  await store.keep(until);
  const free = due.filter(({ eventId }) => !until.has(eventId));
  const oldestMs = nowMs - unansweredMsMax(settings);
  const gone = silent === 0 ? free : free.filter(({ createdMs }) => createdMs < oldestMs);
  await store.remove(
    gone.map(({ eventId }) => eventId),
    nowMs,
  );
  return gone.length === free.length;
}

/** Until when lanes need the bodies, and how many lanes did not answer. */
async function needsOf({ lanes, ask, atOnce, nowMs }: PurgePorts, ids: readonly string[]) {
  const until = new Map<string, number>();
  const results = await settleAll(await lanes(), {
    limits: { ...LANES, total: atOnce(LANES.total) },
    keyOf: (configId) => configId,
    run: async (configId) => {
      for (const { place, untilMs = nowMs + PENDING_MS } of await ask(configId, ids)) {
        const id = ids[place];
        if (id !== undefined && untilMs > nowMs) {
          until.set(id, Math.max(untilMs, until.get(id) ?? 0));
        }
      }
    },
  });
  const failed = results.filter(({ error }) => error !== undefined);
  if (failed.length > 0) {
    logError(
      "bodies of webhooks are kept for longer, because lanes do not say which ones they need",
      failed[0]?.error,
      {
        configs: failed
          .slice(0, 10)
          .map(({ item }) => item)
          .join(),
        count: failed.length,
        bodies: ids.length,
      },
    );
  }
  return { until, silent: failed.length };
}
