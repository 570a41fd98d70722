import { and, eq, sql } from "drizzle-orm";
import { INITIATION_COLUMNS, type Initiation, toInitiation } from "./initiation.ts";
import { paymentInitiations } from "./tables.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/** An initiation as it is now. Throws `NOT_FOUND`. */
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

/** The same by its key; undefined where it is gone. */
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

/** The key of an initiation as long as it is there, as the value of a column that must not be null. */
export const storedKey = ({ key }: Pick<Initiation, "key">) =>
  sql`(SELECT ${paymentInitiations.key} FROM ${paymentInitiations} WHERE ${paymentInitiations.key} = ${key})`;

/** How often a change is decided again before the caller is told to come again. */
const ATTEMPTS_MAX = 5;

/**
 * Decides a change from what is stored, and stores it in one batch. Of two changes that have seen the same state, the batch of
 * one fails, as they add an adjustment with the same key: it is decided again from what is stored then.
 */
export async function decideAnew<T>(attempt: () => Promise<T>): Promise<T> {
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
  breaks(error, "UNIQUE constraint failed: payment_") ||
  breaks(error, "NOT NULL constraint failed: payment_");

/** Whether a batch was refused by a constraint of that name. */
export function breaks(error: unknown, constraint: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(constraint)) return true;
  }
  return false;
}
