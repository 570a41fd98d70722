import { sql } from "drizzle-orm";
import { INSTANCE_KEY } from "./ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson } from "#platform/json.ts";
import { parseTimestamp, type Timestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

/** Most triggers and workflows, one after the other, through which the first cause of an instance is looked for. */
const STEPS_MAX = 32;

/**
 * When the first cause of an instance came about that a trigger has started: the earliest time that its event shows. A copy of a deployment
 * may have the event later than the original, because it polls and books for itself, and the event then shows the older object:
 *
 *     pay-in, by the provider's time ──► polled ──► SAVED_PAYMENT ───────────────────────────► instance
 *                     └── time of the transaction ──► booked ──► COMMITTED_TRANSACTIONS ──► instance
 *     instance ── writes, and names itself in the metadata ──► event ──► instance
 *
 * Long ago if it is not known.
 */
export async function causeTimeOf(
  context: Pick<ServiceContext, "env">,
  instanceId: string,
): Promise<Timestamp> {
  let earliest: Timestamp | undefined;
  const seen = new Set<string>();
  const left = [instanceId];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const found = seen.size > STEPS_MAX ? undefined : await readCause(context, id);
    if (found === undefined) return ZERO_TIMESTAMP;
    left.push(...found.instances);
    for (const time of found.times) {
      if (earliest === undefined || time < earliest) earliest = time;
    }
  }
  return earliest ?? ZERO_TIMESTAMP;
}

/** What an instance and its event show: times, and the instances that have written what the event is about. */
interface ShownCause {
  readonly times: readonly Timestamp[];
  readonly instances: readonly string[];
}

interface CauseRow {
  readonly createdAt: Timestamp;
  readonly causationDepth: number;
  /** When the event came; null without an occurrence. */
  readonly date: Timestamp | null;
  readonly event: string | null;
}

/** The cause of an instance; undefined for an unknown one. */
async function readCause(
  { env }: Pick<ServiceContext, "env">,
  id: string,
): Promise<ShownCause | undefined> {
  const [row] = await databaseOf(env).all<CauseRow>(sql`
    SELECT i.created_at AS createdAt, i.causation_depth AS causationDepth, o.date, o.event
    FROM orchestration_instances AS i LEFT JOIN orchestration_occurrences AS o ON o.instance_id = i.id
    WHERE i.id = ${id} LIMIT 1`);
  if (row === undefined) return undefined;
  const { createdAt, causationDepth, date, event } = row;
  // A client has started it.
  if (causationDepth === 0) return { times: [createdAt], instances: [] };
  if (date === null || event === null || event === "") return undefined;
  return withTimes(parseJson(event), [date]);
}

/** The times and instances that an event shows besides some times. */
function withTimes(event: unknown, times: readonly Timestamp[]): ShownCause {
  const payload = memberOf(event, "payload");
  const objects = [
    payload,
    ...elementsOf(memberOf(payload, "transactions")),
    memberOf(payload, "revertTransaction"),
  ];
  const shown = [
    memberOf(event, "date"),
    memberOf(payload, "createdAt"),
    ...objects.map((object) => memberOf(object, "timestamp")),
  ];
  return {
    times: [...times, ...shown.flatMap(timesOf)],
    instances: objects.flatMap((object) => {
      const id = memberOf(memberOf(object, "metadata"), INSTANCE_KEY);
      return typeof id === "string" ? [id] : [];
    }),
  };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;

const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function timesOf(value: unknown): Timestamp[] {
  const time = typeof value === "string" ? parseTimestamp(value) : undefined;
  return time === undefined ? [] : [time];
}
