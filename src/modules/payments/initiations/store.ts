import { and, eq, sql } from "drizzle-orm";
import { INITIATION_COLUMNS, type Initiation, toInitiation } from "./initiation.ts";
import { paymentInitiations } from "./tables.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/** The initiation with an id. Throws `NOT_FOUND`. */
export async function getInitiation(
  { env }: Pick<ServiceContext, "env">,
  { connector, reference }: OwnedId,
): Promise<Initiation> {
  const [row] = await databaseOf(env)
    .select(INITIATION_COLUMNS)
    .from(paymentInitiations)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentInitiations.connectorKey))
    .where(
      and(
        eq(paymentInitiations.reference, reference),
        eq(paymentConnectors.reference, connector.reference),
        eq(paymentConnectors.provider, connector.provider),
      ),
    );
  if (row === undefined) {
    throw new AppError("NOT_FOUND", "cannot get payment initiation: not found");
  }
  return toInitiation(row);
}

/** The initiation with a key; undefined for one that does not exist any more. */
export async function findInitiationByKey(
  { env }: Pick<ServiceContext, "env">,
  key: number,
): Promise<Initiation | undefined> {
  const [row] = await databaseOf(env)
    .select(INITIATION_COLUMNS)
    .from(paymentInitiations)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentInitiations.connectorKey))
    .where(eq(paymentInitiations.key, key));
  return row === undefined ? undefined : toInitiation(row);
}

/**
 * The key of an initiation in SQL, or null if it does not exist any more: a column that must not be null then rejects the
 * row.
 */
export const storedKey = ({ key }: Pick<Initiation, "key">) =>
  sql`(SELECT ${paymentInitiations.key} FROM ${paymentInitiations} WHERE ${paymentInitiations.key} = ${key})`;

/** How often a change is decided before the client is asked to try again. */
const ATTEMPTS_MAX = 5;

/**
 * Decides a change from the stored state and stores it in one batch. Of two changes that have seen the same state, one
 * batch fails, because both insert an adjustment with the same key; this change is then decided again from the new state.
 * Throws `OVERLOADED` after `ATTEMPTS_MAX` failures.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isOutdated(error)) throw error;
      if (count < ATTEMPTS_MAX) continue;
      const message = "others change the same payment initiation; try again";
      throw new AppError("OVERLOADED", message, { cause: error, retryAfterSeconds: 1 });
    }
  }
}

const isOutdated = (error: unknown): boolean =>
  violatesConstraint(error, "UNIQUE constraint failed: payment_") ||
  violatesConstraint(error, "NOT NULL constraint failed: payment_");

/** Whether the message of an error or of one of its causes contains a text, such as the name of a constraint. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(constraint)) return true;
  }
  return false;
}
