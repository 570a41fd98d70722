import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { paymentAdjustments, paymentPayments } from "./tables.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { PaymentId } from "#modules/payments/core/ids.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { storedKey } from "#modules/payments/initiations/store.ts";
import { paymentInitiationPayments } from "#modules/payments/initiations/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** A later state of a payment that has not been applied to its initiation. */
export interface PaymentUpdate {
  readonly key: number;
  /** The provider's reference of the state: that of the payment itself, or another one, such as that of a refund. */
  readonly reference: string;
  readonly status: PaymentStatus;
  /** The time that the provider gives the state. */
  readonly createdAt: Timestamp;
  /** The amount that the provider gives the state, such as that of a refund; absent if there is none. */
  readonly amount?: bigint;
}

/** The states of a payment after the one with the key `heardOf`, in the order in which they were stored: the first `most`, or all. */
export async function paymentUpdatesAfter(
  { env }: Pick<ServiceContext, "env">,
  {
    paymentKey,
    heardOf,
    most,
  }: { readonly paymentKey: number; readonly heardOf: number; readonly most?: number },
): Promise<PaymentUpdate[]> {
  const later = databaseOf(env)
    .select({
      key: paymentAdjustments.key,
      reference: paymentAdjustments.reference,
      status: paymentAdjustments.status,
      createdAt: paymentAdjustments.createdAt,
      amount: paymentAdjustments.amount,
    })
    .from(paymentAdjustments)
    .where(and(eq(paymentAdjustments.paymentKey, paymentKey), gt(paymentAdjustments.key, heardOf)))
    .orderBy(asc(paymentAdjustments.key));
  const rows = await (most === undefined ? later : later.limit(most));
  return rows.map(({ amount, ...news }) =>
    amount === null ? news : { ...news, amount: BigInt(amount) },
  );
}

/** A payment that an initiation has or is about to get. */
export interface RelatedPayment {
  /** Undefined for a payment that is not stored yet. */
  readonly paymentKey?: number;
  readonly isRelated: boolean;
  /** The key of the last state that was applied to the initiation; 0 for none. */
  readonly heardOf: number;
}

/** The relation between an initiation and the payment of its connector that has an id. Neither has to be stored yet. */
export async function findRelatedPayment(
  { env }: Pick<ServiceContext, "env">,
  { key: initiationKey, connectorKey }: Initiation,
  { reference, type }: PaymentId,
): Promise<RelatedPayment> {
  const [row] = await databaseOf(env)
    .select({
      paymentKey: paymentPayments.key,
      heardOf: paymentInitiationPayments.heardOf,
    })
    .from(paymentPayments)
    .leftJoin(
      paymentInitiationPayments,
      and(
        eq(paymentInitiationPayments.paymentKey, paymentPayments.key),
        eq(paymentInitiationPayments.initiationKey, initiationKey),
      ),
    )
    .where(
      and(
        eq(paymentPayments.reference, reference),
        eq(paymentPayments.connectorKey, connectorKey),
        eq(paymentPayments.type, type),
      ),
    );
  return {
    ...(row === undefined ? {} : { paymentKey: row.paymentKey }),
    isRelated: typeof row?.heardOf === "number",
    heardOf: row?.heardOf ?? 0,
  };
}

export interface Relation {
  readonly initiation: Initiation;
  readonly payment: PaymentId;
  readonly now: Timestamp;
  /**
   * The key of the last state that was applied, after which the sweep looks for later ones; undefined for the last state that is
   * stored when the batch runs, so that there are no later ones.
   */
  readonly heardOf: number | undefined;
}

/**
 * The statement that relates a payment to an initiation, or updates the last state that was applied. The batch fails if the
 * payment is not stored when the statement runs.
 */
export function relatePayment(
  { env }: Pick<ServiceContext, "env">,
  { initiation, payment, now, heardOf }: Relation,
): BatchItem<"sqlite"> {
  const paymentKey = sql`(
    SELECT p.key FROM ${paymentPayments} AS p
    WHERE p.reference = ${payment.reference} AND p.connector_key = ${initiation.connectorKey}
    AND p.type = ${payment.type})`;
  const last = sql`(
    SELECT max(a.key) FROM ${paymentAdjustments} AS a WHERE a.payment_key = ${paymentKey})`;
  const heard =
    heardOf === undefined
      ? { heardOf: last, hasNews: false }
      : { heardOf: sql`${heardOf}`, hasNews: true };
  return databaseOf(env)
    .insert(paymentInitiationPayments)
    .values({ initiationKey: storedKey(initiation), paymentKey, createdAt: now, ...heard })
    .onConflictDoUpdate({
      target: [paymentInitiationPayments.initiationKey, paymentInitiationPayments.paymentKey],
      set: heard,
    });
}

/**
 * The statement that marks payments, by their keys, as payments with later states, which the sweep applies to their initiations.
 * The statement belongs into the batch that stores the states, and writes nothing for payments without an initiation.
 */
export const markPaymentUpdates = (
  db: Database,
  paymentKeys: readonly number[],
): BatchItem<"sqlite"> =>
  db
    .update(paymentInitiationPayments)
    .set({ hasNews: true })
    .where(
      sql`${paymentInitiationPayments.paymentKey} IN (SELECT value FROM json_each(${stringifyJson(paymentKeys)}))`,
    );
