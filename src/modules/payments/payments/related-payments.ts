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
export interface PaymentNews {
  readonly key: number;
  readonly reference: string;
  readonly status: PaymentStatus;
  readonly createdAt: Timestamp;
  readonly amount?: bigint;
}

/** Most states that are applied at once. */
const NEWS_MAX = 100;

/** The states of a payment after the one with the key `heardOf`, in the order in which they were stored. */
export async function newsOf(
  { env }: Pick<ServiceContext, "env">,
  { paymentKey, heardOf }: { readonly paymentKey: number; readonly heardOf: number },
): Promise<PaymentNews[]> {
  const rows = await databaseOf(env)
    .select({
      key: paymentAdjustments.key,
      reference: paymentAdjustments.reference,
      status: paymentAdjustments.status,
      createdAt: paymentAdjustments.createdAt,
      amount: paymentAdjustments.amount,
    })
    .from(paymentAdjustments)
    .where(and(eq(paymentAdjustments.paymentKey, paymentKey), gt(paymentAdjustments.key, heardOf)))
    .orderBy(asc(paymentAdjustments.key))
    .limit(NEWS_MAX);
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
  /** The key of the last state that was applied; undefined for the last state that is stored when the batch runs. */
  readonly heardOf: number | undefined;
}

/** The statement that relates a stored payment to an initiation, or updates the last state that was applied. */
export function relate(
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
 * The statement that marks payments with new states as news for their initiations, for the batch that stores the states.
 * Writes nothing for payments without an initiation.
 */
export const markNews = (db: Database, paymentKeys: readonly number[]): BatchItem<"sqlite"> =>
  db
    .update(paymentInitiationPayments)
    .set({ hasNews: true })
    .where(
      sql`${paymentInitiationPayments.paymentKey} IN (SELECT value FROM json_each(${stringifyJson(paymentKeys)}))`,
    );
