import type { Timestamp } from "#platform/time.ts";

/**
 * How a connector is doing, the best first.
 *
 * | Health | Means | And then |
 * | --- | --- | --- |
 * | `healthy` | All that was asked for last has come and is stored. | |
 * | `degraded` | It goes on, but without some items: they were refused by the provider, or could not be read; or the last call for a movement of money had no outcome. | They are tried again in later runs, and the call is made again. |
 * | `failing` | The last run of a schedule could not go on, or five calls in a row for a movement of money had no outcome. | The schedule is run again after the polling period, an hour at most, and the call is made again after 100 s at most. |
 * | `paused` | Too many runs of a schedule in a row could not go on. | It is probed with one request after growing pauses, an hour at most. |
 */
export const CONNECTOR_HEALTHS = ["healthy", "degraded", "failing", "paused"] as const;
export type ConnectorHealth = (typeof CONNECTOR_HEALTHS)[number];

/** What contributes to the health of a connector: a schedule, or a movement of money. */
export interface HealthPart {
  readonly health: ConnectorHealth;
  /** Since when; absent where it has always been so. */
  readonly since?: Timestamp | undefined;
  readonly error?: string | undefined;
}

/** What is kept of a schedule to tell how it is doing. */
export interface ScheduleFacts {
  readonly failures: number;
  readonly pausedAt: Timestamp | null;
  readonly failingSince: Timestamp | null;
  readonly degradedSince: Timestamp | null;
  readonly lastError: string | null;
}

export function scheduleHealth(schedule: ScheduleFacts): HealthPart {
  const { failures, pausedAt, failingSince, degradedSince } = schedule;
  const error = schedule.lastError ?? undefined;
  if (pausedAt !== null) return { health: "paused", since: pausedAt, error };
  if (failures > 0) return { health: "failing", since: failingSince ?? undefined, error };
  if (degradedSince !== null) return { health: "degraded", since: degradedSince, error };
  return { health: "healthy" };
}

/** What is kept of a movement of money to tell how it is doing. */
export interface MovementFacts {
  /** How many calls in a row have had no outcome. */
  readonly failures: number;
  readonly failingSince: Timestamp | null;
  readonly lastError: string | null;
}

/** After so many calls in a row without an outcome, somebody has to look. */
const MOVEMENT_FAILURES_MAX = 5;

export function movementHealth({ failures, failingSince, lastError }: MovementFacts): HealthPart {
  if (failingSince === null) return { health: "healthy" };
  const health = failures < MOVEMENT_FAILURES_MAX ? "degraded" : "failing";
  return { health, since: failingSince, error: lastError ?? undefined };
}

/** The part that is worst, and of equal ones the one that has been so for longest; healthy where there is none. */
export function worstPart(parts: readonly HealthPart[]): HealthPart {
  const rankOf = ({ health }: HealthPart): number => CONNECTOR_HEALTHS.indexOf(health);
  const [worst = { health: "healthy" }] = parts.toSorted(
    (a, b) => rankOf(b) - rankOf(a) || compareTimes(a.since, b.since),
  );
  return worst;
}

const compareTimes = (a: Timestamp | undefined, b: Timestamp | undefined): number => {
  const [left, right] = [a ?? "", b ?? ""];
  return left === right ? 0 : left < right ? -1 : 1;
};

/** What a change of health is published as; undefined for one that nobody has to act on. */
export function healthNews(
  before: ConnectorHealth,
  after: ConnectorHealth,
): "CONNECTOR_FAILING" | "CONNECTOR_PAUSED" | "CONNECTOR_RECOVERED" | undefined {
  if (before === after) return undefined;
  if (after === "paused") return "CONNECTOR_PAUSED";
  // A paused connector whose configuration is changed is tried again, which is no news of it.
  if (after === "failing") return before === "paused" ? undefined : "CONNECTOR_FAILING";
  return before === "failing" || before === "paused" ? "CONNECTOR_RECOVERED" : undefined;
}
