import { and, asc, eq, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { type Execution, readExecution } from "./execution.ts";
import { hearNews } from "./news.ts";
import { type MadePayment, publishOutcome } from "./outcome.ts";
import type { PaymentId } from "#modules/payments/core/ids.ts";
import { parseShown, type Shown } from "#modules/payments/ingestion/shown-movements.ts";
import type { MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { decideAnew } from "#modules/payments/initiations/store.ts";
import {
  paymentInitiationPayments,
  paymentInitiations,
  paymentMovements,
} from "#modules/payments/initiations/tables.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { PaymentRow } from "#modules/payments/payments/draft.ts";
import { findPayment } from "#modules/payments/payments/store.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** Most movements that are settled after one page. */
const SETTLED_MAX = 100;

/**
 * Settles the movements of a connector for which a page or a webhook has brought a payment. Never throws: whoever tries the movement next
 * does what is left.
 */
export async function settleShown(
  context: ServiceContext,
  { key }: InstalledConnector,
): Promise<void> {
  try {
    const movements = await databaseOf(context.env)
      .select()
      .from(paymentMovements)
      .where(and(eq(paymentMovements.connectorKey, key), isNotNull(paymentMovements.shown)))
      .limit(SETTLED_MAX);
    for (const movement of movements) await settle(context, movement);
  } catch (error) {
    logError("payments that were brought could not be related to their initiations yet", error);
  }
}

/**
 * Stores the outcome of a movement from the payment that is noted at it, as if the provider had answered with that payment. Returns whether
 * nothing is left to do; otherwise the provider is asked. A note that says nothing certain is forgotten.
 */
export async function settle(settling: ServiceContext, movement: MovementRow): Promise<boolean> {
  const isSettled = await decideAnew(async () => {
    const execution = await readExecution(settling, movement);
    if (execution === undefined) return true;
    const context = { ...settling, causationDepth: execution.initiation.causationDepth };
    const { shown } = execution.movement;
    if (shown === null) return false;
    const made = await madeOf(context, execution, parseShown(shown));
    if (made === undefined) {
      await forget(context, execution.movement);
      return false;
    }
    const condition = isFree(execution, made.id);
    await publishOutcome(context, { execution, made, page: NOTHING, condition });
    return true;
  });
  if (isSettled) await hearNews(settling, movement.initiationKey);
  return isSettled;
}

const NOTHING = { statements: [], events: [] };

/** No other initiation has the payment. */
const isFree = ({ initiation }: Execution, { reference, type }: PaymentId): SQL => sql`NOT EXISTS (
  SELECT 1 FROM ${paymentPayments} AS p
  JOIN ${paymentInitiationPayments} AS r ON r.payment_key = p.key
  WHERE p.reference = ${reference} AND p.connector_key = ${initiation.connectorKey}
    AND p.type = ${type} AND r.initiation_key <> ${initiation.key})`;

const forget = ({ env }: ServiceContext, { key, shown }: MovementRow) =>
  databaseOf(env)
    .update(paymentMovements)
    .set({ shown: null })
    .where(sql`${paymentMovements.key} = ${key} AND ${paymentMovements.shown} = ${shown}`);

/** What the provider has made of a movement, where the payment that is noted at it is certainly that. */
async function madeOf(
  { env }: ServiceContext,
  execution: Execution,
  shown: Shown,
): Promise<MadePayment | undefined> {
  const { connector, initiation, movement } = execution;
  const db = databaseOf(env);
  const { type, reference } = shown;
  const id = { connector: connector.id, reference, type };
  const payment = await findPayment(db, id);
  if (payment === undefined) return undefined;
  const owners = await db
    .select({ key: paymentInitiationPayments.initiationKey })
    .from(paymentInitiationPayments)
    .where(eq(paymentInitiationPayments.paymentKey, payment.key));
  if (movement.reversalKey !== null) {
    const isOwn = owners.some(({ key }) => key === initiation.key);
    return isOwn ? madeOfReversal(execution, { shown, id }) : undefined;
  }
  if (owners.length > 0) return undefined;
  if (payment.asset !== initiation.asset) return undefined;
  const isMade = shown.isNamed
    ? await isNamedBy(db, execution, payment)
    : await isOnlyOne(db, execution, payment);
  return isMade ? firstState(db, id, payment) : undefined;
}

/** A later state of a payment that the initiation has is its reversal where the provider shows the reference of the reversal. */
function madeOfReversal(
  { reversal }: Execution,
  { shown: { isNamed, state }, id }: { readonly shown: Shown; readonly id: PaymentId },
): MadePayment | undefined {
  const isRefund = state.status === "REFUNDED" || state.status === "REFUNDED_FAILURE";
  const isLater = state.reference !== id.reference;
  if (reversal === undefined || !isNamed || !isLater || !isRefund) return undefined;
  return { id, ...state };
}

/** The later states are news of it. */
async function firstState(
  db: Database,
  id: PaymentId,
  { key }: PaymentRow,
): Promise<MadePayment | undefined> {
  const [first] = await db
    .select({ reference: paymentAdjustments.reference, status: paymentAdjustments.status })
    .from(paymentAdjustments)
    .where(eq(paymentAdjustments.paymentKey, key))
    .orderBy(asc(paymentAdjustments.ordinal))
    .limit(1);
  return first === undefined ? undefined : { id, ...first };
}

/** How much the clock of a provider may be behind, in milliseconds. */
const CLOCK_MS = 3_600_000;

/**
 * Whether a reference that the provider shows is that of the movement: an account of a provider may have been installed before, with payments
 * of the same references that are older than the initiation, and a reversal may have the reference of another initiation. The amount may be
 * less than what was ordered, by the fee of the provider.
 */
async function isNamedBy(
  db: Database,
  { movement, initiation }: Execution,
  payment: PaymentRow,
): Promise<boolean> {
  if (toMillis(payment.createdAt) < toMillis(initiation.createdAt) - CLOCK_MS) return false;
  if (BigInt(payment.initialAmount) > initiation.state.amount) return false;
  const { connectorKey, mark, key } = movement;
  const others = await db
    .select({ key: paymentMovements.key })
    .from(paymentMovements)
    .where(
      and(
        eq(paymentMovements.connectorKey, connectorKey),
        eq(paymentMovements.mark, mark),
        ne(paymentMovements.key, key),
      ),
    )
    .limit(1);
  return others.length === 0;
}

/**
 * Whether a payment that moves the same money between the same accounts can only be that of the movement: it was made after the first call,
 * no other payment of that time moves the same amount, and no other initiation of the same amount was under way since then. Their accounts are
 * not compared, as providers do not name all of them. Where two fit, nothing tells which one it is: the provider is asked.
 */
async function isOnlyOne(
  db: Database,
  { movement, initiation }: Execution,
  payment: PaymentRow,
): Promise<boolean> {
  const { sentAt, failures } = movement;
  if (sentAt === null || failures === 0 || movement.pollingId !== null) return false;
  const since = wholeSecond(sentAt);
  if (payment.createdAt < since) return false;
  if (BigInt(payment.initialAmount) !== initiation.state.amount) return false;
  const [payments, initiations] = await db.batch([
    db
      .select({ key: paymentPayments.key })
      .from(paymentPayments)
      .where(
        and(
          sql`${paymentPayments.createdAt} >= ${since}`,
          eq(paymentPayments.connectorKey, payment.connectorKey),
          eq(paymentPayments.type, payment.type),
          eq(paymentPayments.asset, payment.asset),
          eq(paymentPayments.initialAmount, payment.initialAmount),
          ne(paymentPayments.key, payment.key),
        ),
      )
      .limit(1),
    db
      .select({ key: paymentInitiations.key })
      .from(paymentInitiations)
      .where(
        and(
          eq(paymentInitiations.connectorKey, initiation.connectorKey),
          eq(paymentInitiations.type, initiation.type),
          eq(paymentInitiations.asset, initiation.asset),
          eq(paymentInitiations.amount, initiation.state.amount.toString()),
          ne(paymentInitiations.key, initiation.key),
          sql`${paymentInitiations.attempts} > 0`,
          sql`(${paymentInitiations.adjustedAt} >= ${since} OR ${isUnderWay})`,
        ),
      )
      .limit(1),
  ]);
  return payments.length === 0 && initiations.length === 0;
}

/** Something of another initiation is under way, and the provider may know of it. */
const isUnderWay = sql`EXISTS (
  SELECT 1 FROM ${paymentMovements} AS m
  WHERE m.initiation_key = ${paymentInitiations.key} AND m.sent_at IS NOT NULL)`;

/** Providers may write times without fractions. */
const wholeSecond = (time: Timestamp): Timestamp =>
  fromMillis(Math.floor(toMillis(time) / 1000) * 1000);
