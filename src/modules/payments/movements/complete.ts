import { and, asc, eq, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { type Execution, readExecution } from "./execution.ts";
import { holdMovements } from "./hold.ts";
import { type MadePayment, publishOutcome } from "./outcome.ts";
import { applyPaymentUpdates } from "./payment-updates.ts";
import { isDerivedReference } from "#modules/payments/core/derived-reference.ts";
import { FAILED_PAYMENT_STATUSES } from "#modules/payments/core/enums.ts";
import type { PaymentId } from "#modules/payments/core/ids.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import type { MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { retryOnConflict } from "#modules/payments/initiations/store.ts";
import {
  paymentInitiationPayments,
  paymentInitiations,
  paymentMovements,
} from "#modules/payments/initiations/tables.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { findLookup, isLooking } from "#modules/payments/lookups/lookup-rows.ts";
import type { PaymentRow } from "#modules/payments/payments/draft.ts";
import { parseShown, type Shown } from "#modules/payments/payments/ingestion/shown-movements.ts";
import { findPayment } from "#modules/payments/payments/store.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** Most movements that are settled after one page. */
const SETTLED_MAX = 100;

/**
 * Stores the outcomes of a connector's movements whose payments have come by a page or a webhook: up to `SETTLED_MAX` movements, in no
 * certain order. The first error ends the run and is logged; each movement that is left is settled at its next attempt.
 */
export async function completeReportedMovements(
  context: ServiceContext,
  { key }: InstalledConnector,
): Promise<void> {
  try {
    const movements = await databaseOf(context.env)
      .select()
      .from(paymentMovements)
      .where(
        and(
          eq(paymentMovements.connectorKey, key),
          isNotNull(paymentMovements.shown),
          // While the connector looks, another payment of the reference may still come, which has succeeded.
          sql`NOT (${isLooking(sql`payment_movements.connector_key`)}
            AND ${paymentMovements.shown} ->> '$.state.status' IN (
              SELECT value FROM json_each(${stringifyJson(FAILED_PAYMENT_STATUSES)})))`,
        ),
      )
      .limit(SETTLED_MAX);
    for (const movement of movements) await completeMovement(context, movement);
  } catch (error) {
    logError(
      "new payments could not be related to their initiations yet; the next attempt of the movement does it",
      error,
    );
  }
}

/**
 * Stores the outcome of a movement from the payment that is noted in its row, as if the provider had answered with this
 * payment. Returns true if the outcome is stored, if a person has to decide about the movement of a restored copy, or if the movement has
 * ended or its connector is being uninstalled; false if the provider has to be called. A note that does not fit is deleted. Later states are
 * applied too. Throws `OVERLOADED`.
 */
export async function completeMovement(
  caller: ServiceContext,
  movement: MovementRow,
): Promise<boolean> {
  const isSettled = await retryOnConflict(async () => {
    const execution = await readExecution(caller, movement);
    if (execution === undefined) return true;
    const context = { ...caller, causationDepth: execution.initiation.causationDepth };
    const { shown } = execution.movement;
    if (shown === null) return false;
    const made = await madeOf(context, execution, parseShown(shown));
    if (made === undefined) return refuseNote(context, execution.movement);
    const condition = isFree(execution, made.id);
    await publishOutcome(context, { execution, made, page: NOTHING, condition });
    return true;
  });
  if (isSettled) await applyPaymentUpdates(caller, movement.initiationKey);
  return isSettled;
}

const NOTHING = { statements: [], events: [] };

/** The condition that no other initiation has the payment. */
export const isFree = (
  { initiation }: Pick<Execution, "initiation">,
  { reference, type }: PaymentId,
): SQL => sql`NOT EXISTS (
  SELECT 1 FROM ${paymentPayments} AS p
  JOIN ${paymentInitiationPayments} AS r ON r.payment_key = p.key
  WHERE p.reference = ${reference} AND p.connector_key = ${initiation.connectorKey}
    AND p.type = ${type} AND r.initiation_key <> ${initiation.key})`;

/**
 * Deletes a note that does not fit. In a restored copy, a payment that shows the reference says that the original may have ordered it: the same
 * batch then holds the movement for a person, so that no crash in between lets it be sent. Returns whether it is held.
 */
async function refuseNote(
  context: ServiceContext,
  { key, connectorKey, initiationKey, reversalKey, shown: text }: MovementRow,
): Promise<boolean> {
  const db = databaseOf(context.env);
  const note = text === null ? undefined : parseShown(text);
  const shown = sql`CASE WHEN ${paymentMovements.shown} = ${text} THEN NULL ELSE ${paymentMovements.shown} END`;
  if (note?.isNamed !== true || (await findLookup(context, connectorKey)) === undefined) {
    await db.update(paymentMovements).set({ shown }).where(eq(paymentMovements.key, key));
    return false;
  }
  const reason = shownButUnfit(note);
  const order = { connectorKey, initiationKey, reversalKey, movementKey: key };
  await holdMovements(context, { ...order, reason }, { shown });
  return true;
}

/** Why a person decides about an order whose reference a payment shows. */
export const shownButUnfit = ({ reference, isAmbiguous = false }: Shown): string =>
  isAmbiguous
    ? `the payment ${reference} and another one show its reference`
    : `the payment ${reference} shows its reference, but not certainly its money`;

/** The payment that the provider has made for a movement, if the noted payment certainly is this one. */
async function madeOf(
  context: ServiceContext,
  execution: Execution,
  shown: Shown,
): Promise<MadePayment | undefined> {
  const { connector, initiation, movement } = execution;
  const db = databaseOf(context.env);
  if (shown.isAmbiguous === true) return undefined;
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
  if (owners.length > 0 || payment.asset !== initiation.asset) return undefined;
  const isMade = shown.isNamed
    ? await isNamedBy(
        context,
        { initiation, mark: movement.mark, movementKey: movement.key },
        payment,
      )
    : await isOnlyOne(db, execution, payment);
  return isMade ? firstState(db, id, payment) : undefined;
}

/** A noted state of the initiation's payment belongs to the reversal if it is a refund with the reversal's reference. */
function madeOfReversal(
  { reversal }: Execution,
  { shown: { isNamed, state }, id }: { readonly shown: Shown; readonly id: PaymentId },
): MadePayment | undefined {
  const isRefund = state.status === "REFUNDED" || state.status === "REFUNDED_FAILURE";
  const isLater = state.reference !== id.reference;
  if (reversal === undefined || !isNamed || !isLater || !isRefund) return undefined;
  return { id, ...state };
}

/** The first state of a payment; later states are applied as news. */
export async function firstState(
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

/** How far the clock of a provider may be behind, in milliseconds. */
const CLOCK_MS = 3_600_000;

/** Whether something of a provider is older than an initiation, so that it is not what the initiation has ordered. */
export const isOlder = (time: Timestamp, { createdAt }: Pick<Initiation, "createdAt">): boolean =>
  toMillis(time) < toMillis(createdAt) - CLOCK_MS;

/** What a payment that shows a reference is compared with. */
export interface NamedOrder {
  readonly initiation: Initiation;
  /** The reference in the form in which the provider shows it. */
  readonly mark: string;
  /** The key of the movement; absent for an initiation without one. */
  readonly movementKey?: number;
}

/**
 * Whether a payment with the movement's reference belongs to the movement. It does not if it moves no money out: a bounce or a fee may show
 * the reference, too. It does not if it is older than the initiation: the same account of a provider may have been installed before, with
 * payments of the same references. Only in a restored copy, a workflow may order anew what is older. It does not if another movement has the
 * reference, too: a reversal may have the reference of another initiation. The amount may be less than ordered, by the provider's fee.
 */
export async function isNamedBy(
  context: Pick<ServiceContext, "env">,
  { initiation, mark, movementKey = 0 }: NamedOrder,
  payment: PaymentRow,
): Promise<boolean> {
  if (payment.asset !== initiation.asset || !(await movesOut(context, initiation, payment))) {
    return false;
  }
  if (isOlder(payment.createdAt, initiation) && !(await isOrderedAgain(context, initiation))) {
    return false;
  }
  if (BigInt(payment.initialAmount) > initiation.state.amount) return false;
  const others = await databaseOf(context.env)
    .select({ key: paymentMovements.key })
    .from(paymentMovements)
    .where(
      and(
        eq(paymentMovements.connectorKey, initiation.connectorKey),
        eq(paymentMovements.mark, mark),
        ne(paymentMovements.key, movementKey),
      ),
    )
    .limit(1);
  return others.length === 0;
}

/**
 * Whether a payment may be what an initiation has ordered by its type. A provider may take a payout to an account of the same owner for a
 * transfer, and a connector may not know the type: only in a restored copy, which has not ordered it itself, a person decides about such a one.
 */
const movesOut = async (
  context: Pick<ServiceContext, "env">,
  { connectorKey }: Initiation,
  { type }: PaymentRow,
): Promise<boolean> =>
  type === "PAYOUT" ||
  type === "TRANSFER" ||
  (type !== "PAY-IN" && (await findLookup(context, connectorKey)) === undefined);

/** Whether an initiation of a restored copy is what its original has ordered before, by a workflow. */
const isOrderedAgain = async (
  context: Pick<ServiceContext, "env">,
  { id, connectorKey }: Initiation,
): Promise<boolean> =>
  isDerivedReference(id.reference) && (await findLookup(context, connectorKey)) !== undefined;

/**
 * Whether a payment that shows no reference, of the same money between the same accounts, can only belong to this movement: it
 * was made after the first call, no other payment since then moves the same amount, and no other initiation of the same
 * amount was under way since then. Accounts of those others are not compared, as providers do not name all of them. If
 * several candidates fit, the provider is asked. Only a movement that has failed at least once and is not polled can match.
 * `noteReportedPayments` has compared the accounts.
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

/** The condition that another initiation has a movement that the provider may know. */
const isUnderWay = sql`EXISTS (
  SELECT 1 FROM ${paymentMovements} AS m
  WHERE m.initiation_key = ${paymentInitiations.key} AND m.sent_at IS NOT NULL)`;

/** A time without its fraction, because providers may write times without fractions. */
const wholeSecond = (time: Timestamp): Timestamp =>
  fromMillis(Math.floor(toMillis(time) / 1000) * 1000);
