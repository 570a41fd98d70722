import type { Timestamp } from "#platform/time.ts";

/**
 * The health of a connector, the best first.
 *
 * | Health | Meaning | Next |
 * | --- | --- | --- |
 * | `healthy` | The last fetches have brought everything, and it is stored. | |
 * | `degraded` | The connector works, but some items are missing, because the provider refused them or they could not be read; or the last call for a movement of money had no outcome. | Later runs fetch the missing items again, and the call is repeated. |
 * | `failing` | The last run of a schedule broke off, or at least five calls in a row for a movement of money had no outcome. | The schedule runs again after the polling period, but within an hour, and the call is repeated within 100 s. |
 * | `paused` | Too many runs in a row of a schedule broke off. | One request probes the provider after pauses that grow to an hour at most. |
 */
export const CONNECTOR_HEALTHS = ["healthy", "degraded", "failing", "paused"] as const;
export type ConnectorHealth = (typeof CONNECTOR_HEALTHS)[number];

/** The health of one schedule or one movement of money. The health of the connector is that of its worst part. */
export interface HealthPart {
  readonly health: ConnectorHealth;
  /** The time since which the part has this health; absent for a part that was never otherwise. */
  readonly since?: Timestamp | undefined;
  readonly error?: string | undefined;
}

/** The columns of a schedule that say its health. */
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

/** The columns of a movement of money that say its health. */
export interface MovementFacts {
  /** The number of calls in a row without an outcome. */
  readonly failures: number;
  readonly failingSince: Timestamp | null;
  readonly lastError: string | null;
}

/** After this many calls in a row without an outcome, an operator has to look at the movement. */
const MOVEMENT_FAILURES_MAX = 5;

export function movementHealth({ failures, failingSince, lastError }: MovementFacts): HealthPart {
  if (failingSince === null) return { health: "healthy" };
  const health = failures < MOVEMENT_FAILURES_MAX ? "degraded" : "failing";
  return { health, since: failingSince, error: lastError ?? undefined };
}

/** The worst part; among equally bad parts, the one that has been so for longest. Healthy without parts. */
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

/** The event that publishes a change of health; undefined for a change on which nobody has to act. */
export function healthNews(
  before: ConnectorHealth,
  after: ConnectorHealth,
): "CONNECTOR_FAILING" | "CONNECTOR_PAUSED" | "CONNECTOR_RECOVERED" | undefined {
  if (before === after) return undefined;
  if (after === "paused") return "CONNECTOR_PAUSED";
  // A changed configuration lets a paused connector try again, so a failure after the pause is no news.
  if (after === "failing") return before === "paused" ? undefined : "CONNECTOR_FAILING";
  return before === "failing" || before === "paused" ? "CONNECTOR_RECOVERED" : undefined;
}
