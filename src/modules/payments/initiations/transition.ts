import { eq, type SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { ADJUSTMENTS_MAX, adjustmentKeys } from "./adjustment-keys.ts";
import { savedAdjustmentEvent } from "./event-types.ts";
import type { Initiation } from "./initiation.ts";
import { storedKey } from "./store.ts";
import { paymentInitiationAdjustments, paymentInitiations } from "./tables.ts";
import { type ObjectMetadata, toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import {
  decideInitiation,
  type InitiationDecision,
  type InitiationTrigger,
} from "#modules/payments/core/initiation-machine.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/**
 * The statements and events that change an initiation, for a batch in which nothing else changes it. Empty if nothing
 * changes.
 */
export interface PreparedTransition {
  readonly statements: BatchItem<"sqlite">[];
  readonly events: OutboxEvent[];
  /** The initiation after the batch. */
  readonly initiation: Initiation;
}

/** Names the initiation of a change if its key is not known yet. */
export interface TransitionKey {
  /** The key, in SQL, of an initiation that the same batch inserts; absent for one that is stored. */
  readonly key?: SQL;
}

export interface Transition extends TransitionKey {
  /** The initiation as it was read. */
  readonly initiation: Initiation;
  readonly trigger: Exclude<InitiationTrigger, { kind: "delete" }>;
  readonly metadata?: ObjectMetadata;
  /** The time of the change; absent for now. */
  readonly at?: Timestamp;
  /** Whether the change sends the initiation. */
  readonly isAttempt?: boolean;
}

/**
 * Applies a trigger to an initiation. The batch fails if another adjustment was added since the initiation was read. Throws
 * `VALIDATION` for a trigger that is refused.
 */
export function prepareTransition(
  context: ServiceContext,
  transition: Transition,
): PreparedTransition {
  const { initiation, trigger } = transition;
  const decision = decideInitiation(initiation.state, trigger);
  if (decision.kind === "refused") throw new AppError("VALIDATION", decision.reason);
  assertRoom(initiation, trigger);
  return decision.kind === "adjusted"
    ? adjust(context, transition, decision)
    : { statements: [], events: [], initiation };
}

/** Applies several triggers, one after the other, for one batch. */
export function prepareTransitions(
  context: ServiceContext,
  initiation: Initiation,
  transitions: readonly Omit<Transition, "initiation">[],
): PreparedTransition {
  let prepared: PreparedTransition = { statements: [], events: [], initiation };
  for (const transition of transitions) {
    const next = prepareTransition(context, { ...transition, initiation: prepared.initiation });
    prepared = {
      statements: [...prepared.statements, ...next.statements],
      events: [...prepared.events, ...next.events],
      initiation: next.initiation,
    };
  }
  return prepared;
}

function adjust(
  { env, clock }: ServiceContext,
  { initiation, metadata = {}, at, isAttempt = false, key = storedKey(initiation) }: Transition,
  { adjustment, state }: Extract<InitiationDecision, { kind: "adjusted" }>,
): PreparedTransition {
  const { adjustments } = initiation;
  const createdAt = after(initiation.adjustedAt, at, clock());
  const { status, amount, error } = adjustment;
  const attempts = initiation.attempts + (isAttempt ? 1 : 0);
  const db = databaseOf(env);
  const insertion = db.insert(paymentInitiationAdjustments).values({
    ...adjustmentKeys(key, adjustments),
    createdAt,
    status,
    amount: amount?.toString() ?? null,
    error: error ?? null,
    metadata: toMetadataColumn(metadata),
    metadataBits: metadataBloom(metadata),
  });
  const update = db
    .update(paymentInitiations)
    .set({
      status,
      error: error ?? null,
      adjustedAt: createdAt,
      adjustments: adjustments + 1,
      attempts,
      wasProcessed: state.wasProcessed,
      reversed: state.reversed.toString(),
      reserved: state.reserved.toString(),
    })
    .where(eq(paymentInitiations.key, key));
  const { error: _error, ...others } = initiation;
  return {
    statements: [insertion, update],
    events: [savedAdjustmentEvent(initiation, { ...adjustment, createdAt, metadata })],
    initiation: {
      ...others,
      ...(error === undefined ? {} : { error }),
      state,
      attempts,
      adjustedAt: createdAt,
      adjustments: adjustments + 1,
    },
  };
}

/**
 * Throws `VALIDATION` for a retry or reversal of an initiation with so many adjustments that outcomes and news may run out
 * of keys.
 */
function assertRoom({ adjustments }: Initiation, { kind }: InitiationTrigger): void {
  if (adjustments < ADJUSTMENTS_MAX || (kind !== "retry" && kind !== "reverse")) return;
  throw new AppError(
    "VALIDATION",
    `cannot ${kind} a payment initiation with ${ADJUSTMENTS_MAX} adjustments`,
  );
}

/**
 * The date of an adjustment: the time of the change, but not later than now, as clocks of providers may be fast, and later
 * than the adjustment before, so that dates are in the order in which adjustments were stored.
 */
function after(previous: Timestamp, at: Timestamp | undefined, now: Timestamp): Timestamp {
  const happenedAt = at === undefined || at > now ? now : at;
  return happenedAt > previous ? happenedAt : fromMicros(toMicros(previous) + 1n);
}
