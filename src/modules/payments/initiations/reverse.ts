import { type SQL, sql } from "drizzle-orm";
import { assertSecondPerson } from "./approve.ts";
import type { Initiation } from "./initiation.ts";
import { insertMovement, UNTIL_DECIDED } from "./movement-rows.ts";
import { findReversal, insertReversalAdjustment } from "./reversals.ts";
import { retryOnConflict, getInitiation, storedKey } from "./store.ts";
import { paymentReversals } from "./tables.ts";
import { prepareTransition } from "./transition.ts";
import { watchInitiations } from "./watch.ts";
import { type ObjectMetadata, toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { reversalProblem } from "#modules/payments/core/reversal-machine.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import { CANNOT_BE_ASKED, needsPerson } from "#modules/payments/lookups/askable.ts";
import { assertMayMove } from "#modules/payments/lookups/gate.ts";
import { insertReview } from "#modules/payments/lookups/review-rows.ts";
import { endTask, openTask, taskChange } from "#modules/payments/tasks/store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import type { Timestamp } from "#platform/time.ts";

export interface NewReversal {
  readonly initiation: OwnedId;
  readonly reference: string;
  readonly description: string;
  readonly amount: bigint;
  readonly asset: string;
  readonly metadata: ObjectMetadata;
}

export interface BegunReversal {
  readonly id: OwnedId;
  readonly task: OwnedId;
}

/**
 * Begins to bring back all or a part of the money that an initiation has moved. For a reversal that is not allowed, the
 * task fails with the reason. For a known reference, returns the reversal with this reference. Throws `NOT_FOUND`;
 * `VALIDATION` for another asset, or for the initiation's creator if a second person is needed; `ALREADY_EXISTS` for
 * the reference of another initiation's reversal; and `DISARMED` while the connector is disarmed or in its look-up.
 */
export function reverseInitiation(
  context: ServiceContext,
  input: NewReversal,
): Promise<BegunReversal> {
  return retryOnConflict(async () => {
    const initiation = await getInitiation(context, input.initiation);
    if (input.asset !== initiation.asset) {
      throw new AppError(
        "VALIDATION",
        "invalid asset for payment initiation reversal: validation error",
      );
    }
    const { connectorKey, key } = initiation;
    const begun = idsOf(initiation, input.reference);
    const known = await findReversal(context, { connectorKey, reference: input.reference });
    if (known?.initiationKey === key) return begun;
    if (known !== undefined) {
      throw new AppError("ALREADY_EXISTS", "payment initiation reversal: object already exists");
    }
    assertSecondPerson(context, initiation.creator, "reverse");
    await assertMayMove(context, { connector: initiation.id.connector, initiationKey: key });
    const isReviewed = await mayBeReversed(context, initiation);
    await begin(context, { initiation, input, begun, isReviewed });
    return begun;
  });
}

/** Whether the original of this restored deployment may have reversed an initiation, and nobody can find it out: then a person decides. */
async function mayBeReversed(
  context: ServiceContext,
  { id, createdAt }: Initiation,
): Promise<boolean> {
  const connector = await getConnector(context, id.connector);
  return needsPerson(context, { connector, type: "REVERSAL", knownAt: createdAt });
}

function idsOf({ id, type }: Initiation, reference: string): BegunReversal {
  const reversal = { connector: id.connector, reference };
  return { id: reversal, task: TASK_IDS.reverseMovement(type, reversal) };
}

interface Beginning {
  readonly initiation: Initiation;
  readonly input: NewReversal;
  readonly begun: BegunReversal;
  readonly isReviewed: boolean;
}

async function begin(context: ServiceContext, beginning: Beginning) {
  const { initiation, input, begun, isReviewed } = beginning;
  const { amount, metadata } = input;
  const { connectorKey } = initiation;
  const now = context.clock();
  const problem = reversalProblem(initiation.state, input);
  const opened = openTask(undefined, { id: begun.task, connectorKey }, context).task;
  const task = problem === undefined ? opened : endTask(opened, { error: problem }, context);
  const change = taskChange(context, task);
  const key = reversalKeyOf(initiation, input);
  const transition =
    problem === undefined
      ? prepareTransition(context, { initiation, trigger: { kind: "reverse", amount }, metadata })
      : { statements: [], events: [] };
  const dueAt = isReviewed ? UNTIL_DECIDED : now;
  const movement = { initiation, task: begun.task.reference, dueAt, reversalKey: key };
  const review = insertReview(context, {
    connectorKey,
    initiationKey: initiation.key,
    reversalKey: key,
    reason: CANNOT_BE_ASKED,
  });
  const reversal = input.reference;
  if (problem === undefined) await watchInitiations(context);
  await Outbox.from(context).publish({
    change: [
      insertReversal(context, { initiation, input, now, problem }),
      insertReversalAdjustment(context.env, {
        key,
        ordinal: 0,
        createdAt: now,
        status: problem === undefined ? "PROCESSING" : "FAILED",
        error: problem ?? null,
      }),
      ...transition.statements,
      ...(problem === undefined ? [insertMovement(context, { ...movement, reversal })] : []),
      ...(problem === undefined && isReviewed ? [review] : []),
      change.statement,
    ],
    events: [...transition.events, change.event],
    audit: new AuditedChange(context, {
      action: "payments.payment-initiation.reverse",
      object: `payment-initiations/${encodeOwnedId(initiation.id)}`,
    }),
  });
}

/** The key of a reversal that the same batch inserts. */
const reversalKeyOf = ({ connectorKey }: Initiation, { reference }: NewReversal): SQL => sql`(
  SELECT ${paymentReversals.key} FROM ${paymentReversals}
  WHERE ${paymentReversals.reference} = ${reference}
  AND ${paymentReversals.connectorKey} = ${connectorKey})`;

interface Insertion extends Omit<Beginning, "begun" | "isReviewed"> {
  readonly now: Timestamp;
  readonly problem: string | undefined;
}

const insertReversal = ({ env }: ServiceContext, { initiation, input, now, problem }: Insertion) =>
  databaseOf(env)
    .insert(paymentReversals)
    .values({
      connectorKey: installedKey({ key: initiation.connectorKey }),
      initiationKey: storedKey(initiation),
      reference: input.reference,
      createdAt: now,
      description: input.description,
      amount: input.amount.toString(),
      metadata: toMetadataColumn(input.metadata),
      status: problem === undefined ? "PROCESSING" : "FAILED",
      adjustments: 1,
      paymentReference: null,
    });
