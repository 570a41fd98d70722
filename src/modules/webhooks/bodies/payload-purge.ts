import type { DueBody, PayloadStore } from "./payload-store.ts";
import type { LaneNeed } from "#modules/webhooks/core/lane.ts";
import type { WebhookSettings } from "#modules/webhooks/settings.ts";
import { logError } from "#platform/log.ts";
import { settleAll } from "#platform/work/lanes.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * A body is kept for the shortest retention, and for this time more, in which nearly all deliveries have ended; and bodies are looked at
 * when the time of one has been over for as long. So lanes are asked once an hour at most, and about few bodies twice.
 */
const SLACK_MS = HOUR_MS;
/** How long a body is kept for a delivery that is pending, before its lane is asked again, in milliseconds. */
const PENDING_MS = DAY_MS;
/** When lanes are asked again of which one did not answer, in milliseconds. */
const UNANSWERED_MS = 600_000;
/** Most bodies that one sweep looks at. Where there are more, the next one follows at once. */
export const PURGE_ROWS = 4000;
/** How many lanes are asked at once. Each of their answers has a limit of its own. */
const LANES = { total: 24, perKey: 1, timeoutMs: 15_000 };

/** What a purge works with. */
export interface PurgePorts {
  readonly store: PayloadStore;
  readonly settings: WebhookSettings;
  readonly nowMs: number;
  /** The configs whose deliveries may be attempted or replayed: those of deleted ones may not. */
  readonly lanes: () => Promise<readonly string[]>;
  /** What a lane needs of events. */
  readonly ask: (configId: string, eventIds: readonly string[]) => Promise<readonly LaneNeed[]>;
  /** How many lanes may be asked at once, of the most that are. */
  readonly atOnce: (most: number) => number;
}

/** Until when a body is kept whose event comes now, before anybody is asked. */
export const keepUntilMsOf = (settings: WebhookSettings, nowMs: number): number =>
  nowMs +
  Math.min(settings.FLORIN_WEBHOOK_RETENTION_SUCCEEDED, settings.FLORIN_WEBHOOK_RETENTION_FAILED) +
  SLACK_MS;

/** After this time, a body goes without an answer of all lanes, in milliseconds. */
const unansweredMsMax = (settings: WebhookSettings): number =>
  Math.max(settings.FLORIN_WEBHOOK_RETENTION_SUCCEEDED, settings.FLORIN_WEBHOOK_RETENTION_FAILED) +
  settings.FLORIN_WEBHOOK_DISABLE_AFTER;

/**
 * Removes the bodies that no delivery needs any more: that of an event which all endpoints have taken goes after the retention of a success,
 * and one of which a delivery is pending or has failed stays until this delivery may not be replayed any more.
 *
 *     event ──▶ body, kept for the shortest retention and an hour: nothing else is written when it is delivered
 *                 │ its time is over
 *                 ▼
 *               all lanes are asked at once, once for all bodies:  needed until …  ──▶ kept until then
 *                                                                  by none         ──▶ removed
 *                                                                  a lane is silent ─▶ asked again in ten minutes
 *
 * A lane that does not answer keeps all bodies whose time is over, as any may be its own, but not for ever: when they are as old as the
 * longest retention and the time after which an endpoint that fails is given up, they go without its answer. Returns when to purge
 * next, in milliseconds since the epoch.
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

/** Returns whether nothing is left of them that a lane has said nothing about. */
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

/** Until when some lane needs bodies, and how many lanes did not say. */
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
      "bodies of webhooks are kept for longer, as lanes do not say what they need",
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
