import { sql } from "drizzle-orm";
import type { ConnectorKind, FetchNode } from "#modules/payments/connectors/contract.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { Lookup } from "#modules/payments/lookups/lookup-rows.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** The time after which a run that was partial is repeated, in milliseconds. */
const AGAIN_MS = 60_000;
/** The time after which a run that has not ended is told as the reason, in milliseconds. */
const RUN_MS_MAX = 600_000;

/** Whether the provider's lists of payments were read to their ends; if not, when to look again, and why runs do not get there. */
export type RunsState =
  | { readonly areComplete: true }
  | { readonly areComplete: false; readonly atMs: number; readonly reason?: string };

interface ScheduleRow {
  readonly key: number;
  readonly task: string;
  readonly instanceKey: number | null;
  /** When the run under way began; null without one. */
  readonly runSince: Timestamp | null;
  readonly nextAt: Timestamp;
  readonly isWhole: number;
  /** How many items of its runs are set aside. */
  readonly rejected: number;
  readonly lastError: string | null;
  readonly heldUntil: Timestamp | null;
  /** How many runs that count have ended, and how many of them without an error. */
  readonly ended: number;
  readonly good: number;
}

/**
 * Whether each schedule that fetches payments has completed a run since the connector was armed, with all its pages and items. Schedules that
 * have not are due soon. The last call of the original, which may run for 40 seconds, is in the provider's list before a run counts.
 *
 *     armed ── 60 s by default ──► a run that counts begins ── all pages, nothing rejected, nothing left out ──► complete
 *       └ a run at once, which           ▲                              │
 *         brings what can be found       └────────── 60 s ── partial, or the provider is away
 */
export async function runsSince(
  context: Pick<ServiceContext, "env" | "clock">,
  { connector, kind, lookup }: ConnectorLookup,
): Promise<RunsState> {
  const { FLORIN_PAYMENTS_LOOKUP_AFTER: settledMs } = paymentSettings.of(context.env);
  const countFrom = fromMillis(toMillis(lookup.beganAt) + settledMs);
  const rows = await readSchedules(context, { connector, kind, countFrom });
  const incomplete = rows.filter(({ good, isWhole }) => good === 0 || isWhole === 0);
  if (rows.length > 0 && incomplete.length === 0) return { areComplete: true };
  const now = context.clock();
  const againMs = toMillis(now) + AGAIN_MS;
  if (rows.length === 0) {
    return { areComplete: false, atMs: againMs, reason: "no schedule fetches payments yet" };
  }
  const times = await Promise.all(
    incomplete.map((row) => hasten(context, row, nextRunOf(row, { countFrom, now }))),
  );
  const reason = reasonOf(incomplete, now);
  return {
    areComplete: false,
    // Also a run under way is looked at again: it may hang.
    atMs: Math.min(againMs, ...times),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Why runs do not get to their ends; undefined if they are only not there yet. */
function reasonOf(incomplete: readonly ScheduleRow[], now: Timestamp): string | undefined {
  const hangs = incomplete.find(
    ({ runSince }) => runSince !== null && toMillis(now) - toMillis(runSince) > RUN_MS_MAX,
  );
  if (hangs !== undefined) {
    return `${hangs.task}: the run since ${hangs.runSince ?? ""} has not ended`;
  }
  const tried = incomplete.find(({ ended, isWhole }) => ended > 0 || isWhole === 0);
  if (tried === undefined) return undefined;
  // The error of a run from before the arming is that of the original.
  const error = tried.ended > 0 ? tried.lastError : null;
  const why = [error, leftOut(tried)].filter((text) => text !== null).join("; ");
  return `${tried.task}: ${why === "" ? "the last run has left out items" : why}`;
}

/** What keeps a schedule from complete runs although the last one may have had no error; null for nothing. */
const leftOut = ({ rejected, isWhole }: ScheduleRow): string | null =>
  rejected === 0 || isWhole === 1
    ? null
    : `${rejected} of its items are set aside, however long ago: try them again or dismiss them (/api/florin/v1/payments/connectors/{connectorID}/rejected)`;

/** The look-up of a connector that is under way. */
export interface ConnectorLookup {
  readonly connector: InstalledConnector;
  readonly kind: ConnectorKind;
  readonly lookup: Lookup;
}

const fetchesPayments = ({ task, children }: FetchNode): boolean =>
  task === "FETCH_PAYMENTS" || children.some((child) => fetchesPayments(child));

const readSchedules = (
  { env }: Pick<ServiceContext, "env">,
  {
    connector,
    kind,
    countFrom,
  }: Pick<ConnectorLookup, "connector" | "kind"> & { readonly countFrom: Timestamp },
): Promise<ScheduleRow[]> => {
  const tasks = stringifyJson(kind.tree.filter(fetchesPayments).map(({ task }) => task));
  const runs = sql`payment_instances AS i
    WHERE i.schedule_key = s.key AND i.created_at >= ${countFrom} AND i.terminated_at IS NOT NULL`;
  return databaseOf(env).all<ScheduleRow>(sql`
    SELECT s.key, s.task, s.instance_key AS instanceKey,
      (SELECT i.created_at FROM payment_instances AS i WHERE i.key = s.instance_key) AS runSince, s.next_at AS nextAt, s.last_error AS lastError,
      c.held_until AS heldUntil, s.degraded_since IS NULL AND s.failing_since IS NULL AS isWhole,
      (SELECT count(*) FROM payment_rejected_items AS r WHERE r.schedule_key = s.key) AS rejected,
      (SELECT count(*) FROM ${runs}) AS ended,
      (SELECT count(*) FROM ${runs} AND i.error IS NULL) AS good
    FROM payment_schedules AS s JOIN payment_connectors AS c ON c.key = s.connector_key
    WHERE s.connector_key = ${connector.key} AND s.task IN (SELECT value FROM json_each(${tasks}))`);
};

function nextRunOf(
  { ended, heldUntil }: ScheduleRow,
  { countFrom, now }: { readonly countFrom: Timestamp; readonly now: Timestamp },
): Timestamp {
  const wanted = ended === 0 ? now : fromMillis(toMillis(now) + AGAIN_MS);
  return [wanted, countFrom, heldUntil ?? wanted].reduce((last, time) =>
    time > last ? time : last,
  );
}

/** Makes a schedule due by a time at the latest, and returns when its next step is, in milliseconds. A run under way goes on by itself. */
async function hasten(
  { env }: Pick<ServiceContext, "env">,
  { key, instanceKey, nextAt }: ScheduleRow,
  by: Timestamp,
): Promise<number> {
  if (instanceKey !== null) return Infinity;
  if (nextAt <= by) return toMillis(nextAt);
  await databaseOf(env).run(sql`
    UPDATE payment_schedules SET next_at = ${by}, version = version + 1
    WHERE key = ${key} AND instance_key IS NULL AND next_at > ${by}`);
  return toMillis(by);
}
