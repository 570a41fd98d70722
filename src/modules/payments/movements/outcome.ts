import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Execution, readExecution } from "./execution.ts";
import { triggerOf } from "./payment-updates.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { FAILED_PAYMENT_STATUSES, type PaymentStatus } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodePaymentId, type PaymentId } from "#modules/payments/core/ids.ts";
import { decidingPayment } from "#modules/payments/core/reversal-machine.ts";
import { isAsRead, movementTransition } from "#modules/payments/health/transition.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { relatedPaymentEvent } from "#modules/payments/initiations/event-types.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { deleteMovement, type MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import {
  paidReversals,
  prepareReversalChange,
  type StoredReversal,
} from "#modules/payments/initiations/reversals.ts";
import { retryOnConflict } from "#modules/payments/initiations/store.ts";
import { prepareTransitions, type Transition } from "#modules/payments/initiations/transition.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { settleReviews } from "#modules/payments/lookups/review-rows.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import {
  findRelatedPayment,
  paymentUpdatesAfter,
  type PaymentUpdate,
  relatePayment,
} from "#modules/payments/payments/related-payments.ts";
import { paymentPayments } from "#modules/payments/payments/tables.ts";
import { endTask, findTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Stores the payment that the provider has made for a movement, with all consequences, in one batch: the payment is related
 * to the initiation, initiation and reversal change their states, the task ends, and the movement is deleted. Does nothing
 * if the outcome has been stored already.
 */
export function storePayment(
  context: ServiceContext,
  movement: MovementRow,
  payment: ProviderPayment,
): Promise<void> {
  return retryOnConflict(async () => {
    const execution = await readExecution(context, movement);
    if (execution === undefined) return;
    const { connector } = execution;
    const { reference, status } = payment;
    const made = { id: paymentIdOf(connector, payment), reference, status };
    const page = await preparePayments(context, { connector, payments: [payment] });
    await publishOutcome(context, { execution, made, page });
  });
}

/** A payment that the provider has made for a movement, with the state that reports it. */
export interface MadePayment {
  readonly id: PaymentId;
  readonly reference: string;
  readonly status: PaymentStatus;
}

/** What is stored in the batch of an outcome besides, such as the decision of a person about it. It comes first in the batch. */
export interface AlsoStored {
  readonly statements: readonly BatchItem<"sqlite">[];
  /** The audit entry for the first of these statements. */
  readonly audit?: AuditedChange;
}

const NOTHING_ELSE: AlsoStored = { statements: [] };

export interface MovementEnd {
  readonly execution: Execution;
  readonly made: MadePayment;
  /** The statements and events that store the payment; empty for a payment that is stored already. */
  readonly page: PreparedPage;
  /** A condition under which the outcome may be stored, besides that the movement is as it was read. */
  readonly condition?: SQL;
  readonly also?: AlsoStored;
}

/**
 * Stores the consequences of a payment in one batch; see `storePayment`. The batch fails if something has changed since the
 * execution was read.
 */
export async function publishOutcome(context: ServiceContext, outcome: MovementEnd): Promise<void> {
  const { execution, made, page, condition, also = NOTHING_ELSE } = outcome;
  const { initiation } = execution;
  const { id } = made;
  // Read after the page was prepared, so that changes in between make the batch fail.
  const change = await prepareOutcome(context, { ...execution, made, page });
  const created = { createdObjectId: encodePaymentId(id) };
  const hasFailed = FAILED_PAYMENT_STATUSES.includes(made.status);
  const ended = { outcome: created, hasFailed, ...given({ condition }) };
  const end = await prepareEnd(context, execution, ended);
  await Outbox.from(context).publish({
    ...given({ audit: also.audit }),
    change: [
      ...also.statements,
      ...end.conditional,
      ...page.statements,
      ...causedBy(initiation, id, context),
      ...change.statements,
      ...end.statements,
    ],
    events: [
      ...page.events,
      ...(change.isRelated ? [] : [relatedPaymentEvent(initiation, id, context.clock())]),
      ...change.events,
      ...end.events,
    ],
  });
}

/**
 * The statement that raises the causation depth of a payment to that of its initiation, as a page may have stored the
 * payment before; none for depth 0.
 */
export const causedBy = (
  { connectorKey, causationDepth }: Initiation,
  { reference, type }: PaymentId,
  { env }: ServiceContext,
): BatchItem<"sqlite">[] =>
  causationDepth === 0
    ? []
    : [
        databaseOf(env)
          .update(paymentPayments)
          .set({ causationDepth })
          .where(
            and(
              eq(paymentPayments.reference, reference),
              eq(paymentPayments.connectorKey, connectorKey),
              eq(paymentPayments.type, type),
              lt(paymentPayments.causationDepth, causationDepth),
            ),
          ),
      ];

/** Stores that a movement cannot be made, with the reason. */
export function storeFailure(
  context: ServiceContext,
  movement: MovementRow,
  error: string,
): Promise<void> {
  return retryOnConflict(async () => {
    const execution = await readExecution(context, movement);
    if (execution !== undefined) await publishFailure(context, { execution, error });
  });
}

export interface MovementFailure {
  readonly execution: Execution;
  readonly error: string;
  readonly also?: AlsoStored;
}

/** Stores that a movement cannot be made, in one batch. The batch fails if something has changed since the execution was read. */
export async function publishFailure(
  context: ServiceContext,
  { execution, error, also = NOTHING_ELSE }: MovementFailure,
): Promise<void> {
  const { initiation, reversal } = execution;
  const change = prepareTransitions(context, initiation, [
    { trigger: { kind: reversal === undefined ? "failed" : "reversal-failed", error } },
  ]);
  const end = await prepareEnd(context, execution, { outcome: { error }, hasFailed: true });
  const at = context.clock();
  const reversed =
    reversal === undefined
      ? []
      : prepareReversalChange(context, { reversal, trigger: { kind: "failed" }, at, error });
  await Outbox.from(context).publish({
    ...given({ audit: also.audit }),
    change: [
      ...also.statements,
      ...end.conditional,
      ...change.statements,
      ...reversed,
      ...end.statements,
    ],
    events: [...change.events, ...end.events],
  });
}

/** The id of the payment to which a state belongs: the parent payment, if the state names one. */
export const paymentIdOf = (
  { id }: InstalledConnector,
  { reference, parentReference, type }: ProviderPayment,
): PaymentId => ({ connector: id, reference: parentReference ?? reference, type });

/** A payment of an initiation, and what happens to the initiation before. */
export interface InitiationOutcome extends Pick<MovementEnd, "made" | "page"> {
  readonly initiation: Initiation;
  readonly reversal?: StoredReversal;
  /** The transitions that come first; none for an initiation that is on its way. */
  readonly begun?: readonly Omit<Transition, "initiation">[];
}

/** The statements and events that relate a payment to its initiation, and change initiation and reversal by it. */
export async function prepareOutcome(
  context: ServiceContext,
  { initiation, reversal, begun = [], made: payment, page }: InitiationOutcome,
): Promise<PreparedPage & { readonly isRelated: boolean }> {
  const { id } = payment;
  const { isRelated, heardOf, paymentKey } = await findRelatedPayment(context, initiation, id);
  const known =
    paymentKey === undefined ? [] : await paymentUpdatesAfter(context, { paymentKey, heardOf });
  const isOwn = ({ reference, status }: PaymentUpdate): boolean =>
    reference === payment.reference && status === payment.status;
  const news = known.filter((state) => !isOwn(state));
  const paid = await paidWith(context, initiation, { reversal, payment });
  const kind = reversal === undefined ? "made" : "reversal-made";
  const change = prepareTransitions(context, initiation, [
    ...begun,
    // In a restored copy, the payment may come before the time at which the copy would have begun.
    { trigger: { kind: "start" } },
    { trigger: { kind, payment: payment.status } },
    ...news.flatMap((state) => triggerOf(state, paid)),
  ]);
  const isNew = page.statements.length > 0;
  const heard = isNew ? undefined : (known.at(-1)?.key ?? heardOf);
  const statuses = news
    .filter(({ reference }) => reference === payment.reference)
    .map(({ status }) => status);
  return {
    statements: [
      ...change.statements,
      ...reversalStatements(context, { reversal, payment, statuses }),
      relatePayment(context, { initiation, payment: id, now: context.clock(), heardOf: heard }),
    ],
    events: change.events,
    isRelated,
  };
}

/** The reversals of an initiation that have payments, including the reversal that is being made. */
async function paidWith(
  context: ServiceContext,
  { key }: Initiation,
  { reversal, payment }: { reversal: StoredReversal | undefined; payment: MadePayment },
): Promise<StoredReversal[]> {
  const stored = await paidReversals(context, key);
  if (reversal === undefined) return stored;
  const others = stored.filter((other) => other.key !== reversal.key);
  return [...others, { ...reversal, paymentReference: payment.reference }];
}

interface ReversalOutcome {
  readonly reversal: StoredReversal | undefined;
  readonly payment: MadePayment;
  /** The later states of this payment that are stored already. */
  readonly statuses: readonly PaymentStatus[];
}

/** The statements that change a reversal. The first state with an outcome decides, as for the initiation. */
function reversalStatements(
  context: ServiceContext,
  { reversal, payment, statuses }: ReversalOutcome,
): BatchItem<"sqlite">[] {
  if (reversal === undefined) return [];
  const deciding = decidingPayment(reversal.status, [payment.status, ...statuses]);
  return prepareReversalChange(context, {
    reversal,
    trigger: { kind: "payment", payment: deciding ?? payment.status },
    at: context.clock(),
    paymentReference: payment.reference,
  });
}

interface End {
  readonly outcome: Parameters<typeof endTask>[1];
  readonly hasFailed: boolean;
  readonly condition?: SQL;
}

/**
 * Ends a movement with its task and its effect on the connector's health. The conditional statements come first in their
 * batch, which fails if the movement has ended meanwhile or has other failures than were read. The review of an initiation that has failed stays
 * open, because the failure does not say whether the original of a restored copy has paid: the initiation is retried only after a decision.
 */
async function prepareEnd(
  context: ServiceContext,
  { movement, connector, reversal }: Execution,
  { outcome, hasFailed, condition = sql`1` }: End,
): Promise<PreparedPage & { readonly conditional: PreparedPage["statements"] }> {
  const id = { connector: connector.id, reference: movement.task };
  const stored = await findTask(context, id);
  const health = await movementTransition(context, connector, { movement });
  const task =
    stored === undefined
      ? undefined
      : taskChange(
          context,
          endTask(stored, outcome, context),
          sql`${isAsRead(movement)} AND ${condition}`,
        );
  return {
    conditional: [...(task === undefined ? [] : [task.statement]), ...health.statements],
    // A review may have been stored since the movement was read.
    statements: [
      deleteMovement(context, movement),
      ...(hasFailed && reversal === undefined ? [] : [settleReviews(context, movement)]),
    ],
    events: [...(task === undefined ? [] : [task.event]), ...health.events],
  };
}
