import { and, eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { paymentReversalAdjustments, paymentReversals } from "./tables.ts";
import type { ReversalStatus } from "#modules/payments/core/enums.ts";
import { decideReversal, type ReversalTrigger } from "#modules/payments/core/reversal-machine.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type Timestamp } from "#platform/time.ts";

export type StoredReversal = typeof paymentReversals.$inferSelect;

/** The reversal of a connector with a reference. */
export async function findReversal(
  { env }: Pick<ServiceContext, "env">,
  { connectorKey, reference }: { readonly connectorKey: number; readonly reference: string },
): Promise<StoredReversal | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentReversals)
    .where(
      and(
        eq(paymentReversals.reference, reference),
        eq(paymentReversals.connectorKey, connectorKey),
      ),
    );
  return row;
}

export async function findReversalByKey(
  { env }: Pick<ServiceContext, "env">,
  key: number,
): Promise<StoredReversal | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentReversals)
    .where(eq(paymentReversals.key, key));
  return row;
}

/** The reversals of an initiation for which a provider has made a payment. */
export function paidReversals(
  { env }: Pick<ServiceContext, "env">,
  initiationKey: number,
): Promise<StoredReversal[]> {
  return databaseOf(env)
    .select()
    .from(paymentReversals)
    .where(
      and(
        eq(paymentReversals.initiationKey, initiationKey),
        sql`${paymentReversals.paymentReference} IS NOT NULL`,
      ),
    );
}

export interface ReversalChange {
  readonly reversal: StoredReversal;
  readonly trigger: ReversalTrigger;
  readonly at: Timestamp;
  readonly error?: string;
  /** The provider's reference of the payment that it has made. */
  readonly paymentReference?: string;
}

/** The statements by which a trigger changes a reversal, for the batch that changes its initiation. */
export function prepareReversalChange(
  { env }: Pick<ServiceContext, "env">,
  { reversal, trigger, at, error, paymentReference }: ReversalChange,
): BatchItem<"sqlite">[] {
  const db = databaseOf(env);
  const status = decideReversal(reversal.status, trigger);
  const named = { paymentReference: paymentReference ?? reversal.paymentReference };
  const change =
    status === undefined ? named : { ...named, status, adjustments: reversal.adjustments + 1 };
  const update = db
    .update(paymentReversals)
    .set(change)
    .where(eq(paymentReversals.key, reversal.key));
  if (status === undefined) return paymentReference === undefined ? [] : [update];
  const adjustment = { status, createdAt: at, error: error ?? null };
  return [
    insertReversalAdjustment(env, {
      ...adjustment,
      key: reversal.key,
      ordinal: reversal.adjustments,
    }),
    update,
  ];
}

interface NewReversalAdjustment {
  readonly key:
    | (typeof paymentReversalAdjustments.$inferInsert)["reversalKey"]
    | ReturnType<typeof sql>;
  readonly ordinal: number;
  readonly status: ReversalStatus;
  readonly createdAt: Timestamp;
  readonly error: string | null;
}

export const insertReversalAdjustment = (env: Env, { key, ...adjustment }: NewReversalAdjustment) =>
  databaseOf(env)
    .insert(paymentReversalAdjustments)
    .values({ reversalKey: key, ...adjustment });
