import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { movementTransition } from "#modules/payments/health/transition.ts";
import {
  isClaimed,
  type MovementRow,
  retryAt,
  UNTIL_DECIDED,
} from "#modules/payments/initiations/movement-rows.ts";
import { retryOnConflict } from "#modules/payments/initiations/store.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { holdStatements } from "#modules/payments/schedules/hold.ts";
import { HELD_MS } from "#platform/arming/arming-watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/**
 * A claimed movement and its connector. The functions of this file set the next time of such a movement. Its initiation,
 * its task and the connector's health show the reason.
 */
interface Claimed {
  readonly movement: MovementRow;
  readonly connector: InstalledConnector;
}

/** Repeats a movement later, after a call without an outcome. */
export function postpone(context: ServiceContext, claimed: Claimed, error: unknown): Promise<void> {
  const failures = claimed.movement.failures + 1;
  const dueAt = retryAt(context.clock(), failures);
  const changed = { failures, dueAt, ...trouble(context, claimed, error) };
  return change(context, claimed, { changed });
}

/** Repeats a movement after the pause that the provider asks for, and holds all other calls to the provider until then. */
export function postponeForRateLimit(
  context: ServiceContext,
  claimed: Claimed,
  error: ConnectorError,
): Promise<void> {
  const { connectorKey } = claimed.movement;
  const dueAt = retryAt(context.clock(), 1, error.retryAfterMs);
  const others = holdStatements(databaseOf(context.env), { connectorKey, until: dueAt });
  const changed = { dueAt, ...trouble(context, claimed, error) };
  return change(context, claimed, { changed, others });
}

/**
 * Undoes the claim of a movement whose call was not begun, because the connector is disarmed, and makes the movement due again soon. After
 * its first claim it is as if it had never been claimed: a payment that a person makes by hand meanwhile is not taken for its own.
 */
export async function undoClaim(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  movement: MovementRow,
): Promise<void> {
  const { claims, sentAt } = movement;
  const dueAt = fromMillis(toMillis(clock()) + HELD_MS);
  await databaseOf(env)
    .update(paymentMovements)
    .set({ dueAt, claims: claims - 1, sentAt: claims === 1 ? null : sentAt })
    // Another claim may get the number of the claim that is undone, but ends at another time.
    .where(and(isClaimed(movement), eq(paymentMovements.dueAt, movement.dueAt)));
}

/** Asks later for the outcome of a movement that the provider has accepted. */
export function pollLater(
  context: ServiceContext,
  claimed: Claimed,
  pollingId: string,
): Promise<void> {
  const dueAt = fromMillis(toMillis(context.clock()) + claimed.connector.pollingPeriodMs);
  const well = { failures: 0, failingSince: null, lastError: null };
  return change(context, claimed, { changed: { pollingId, dueAt, ...well } });
}

const trouble = (
  { clock }: ServiceContext,
  { movement: { failingSince } }: Claimed,
  error: unknown,
) => ({ failingSince: failingSince ?? clock(), lastError: describe(error) });

/**
 * The reason that clients see. Errors other than `ConnectorError` are faults of this software; only the log has their
 * details.
 */
const describe = (error: unknown): string =>
  error instanceof ConnectorError
    ? error.message
    : "a fault inside Florin, which its log describes";

/** A time of the next step, or the decision of a person for which the movement waits. */
const unlessHeld = (dueAt: Timestamp): SQL => sql`
  CASE WHEN ${paymentMovements.dueAt} = ${UNTIL_DECIDED} THEN ${paymentMovements.dueAt} ELSE ${dueAt} END`;

interface MovementChange {
  readonly changed: Partial<Omit<MovementRow, "key">> & Pick<MovementRow, "dueAt">;
  /** Further statements of the batch. */
  readonly others?: readonly BatchItem<"sqlite">[];
}

/**
 * Changes a movement, unless it has been claimed again meanwhile, together with the health of its connector. One that has been held for a person
 * during the step stays held: it learns the polling id and the failures, but not the next time.
 */
function change(
  context: ServiceContext,
  { movement, connector }: Claimed,
  { changed, others = [] }: MovementChange,
): Promise<void> {
  const db = databaseOf(context.env);
  return retryOnConflict(async () => {
    const [stored] = await db
      .select()
      .from(paymentMovements)
      .where(eq(paymentMovements.key, movement.key));
    const isOurs = stored !== undefined && stored.claims === movement.claims;
    const health = isOurs
      ? await movementTransition(context, connector, {
          movement: stored,
          after: { ...stored, ...changed },
        })
      : { statements: [], events: [] };
    await Outbox.from(context).publish({
      change: [
        // This condition comes first: it refuses the batch if the movement is not as it was read.
        ...health.statements,
        db
          .update(paymentMovements)
          .set({ ...changed, dueAt: unlessHeld(changed.dueAt) })
          .where(isClaimed(movement)),
        ...others,
      ],
      events: health.events,
    });
  });
}
