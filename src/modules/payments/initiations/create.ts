import { type SQL, sql } from "drizzle-orm";
import { adjustmentKeys } from "./adjustment-keys.ts";
import { approvedBy, assertSecondPerson } from "./approve.ts";
import { savedAdjustmentEvent, savedInitiationEvent } from "./event-types.ts";
import type { Initiation } from "./initiation.ts";
import { prepareSend } from "./send.ts";
import { violatesConstraint } from "./store.ts";
import { paymentInitiationAdjustments, paymentInitiations } from "./tables.ts";
import { watchInitiations } from "./watch.ts";
import { type ObjectMetadata, toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import type { InitiationType } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { type ConnectorId, encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { newInitiation } from "#modules/payments/core/initiation-machine.ts";
import { accountHash } from "#modules/payments/core/text-hash.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import { assertMayMove } from "#modules/payments/lookups/gate.ts";
import { insertReview } from "#modules/payments/lookups/review-rows.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import type { Timestamp } from "#platform/time.ts";
import { currentCause } from "#platform/tracing/cause.ts";

export interface NewInitiation {
  readonly reference: string;
  readonly connector: ConnectorId;
  readonly scheduledAt?: Timestamp;
  readonly description: string;
  readonly type: InitiationType;
  readonly amount: bigint;
  readonly asset: string;
  readonly source?: OwnedId;
  readonly destination: OwnedId;
  readonly metadata: ObjectMetadata;
}

export interface CreatedInitiation extends Initiation {
  /** The task that sends the initiation; absent for an initiation that waits for an approval. */
  readonly task?: OwnedId;
}

/** How an initiation begins. */
export interface InitiationStart {
  /** Whether it is sent at once, without an approval. */
  readonly isSent?: boolean;
  /** Why a person has to decide first, because the original of this restored deployment may have paid it; absent if nobody has to. */
  readonly reviewReason?: string | undefined;
}

/**
 * Stores an initiation, which waits for its approval, or is sent at once if `isSent`. Throws `VALIDATION` for accounts of
 * another connector and for a connector that is not installed, and `ALREADY_EXISTS` for a reference that the connector has
 * already. Throws `DISARMED` if it is sent at once, and the connector is disarmed or in its look-up.
 */
export async function createInitiation(
  context: ServiceContext,
  { isSent = false, reviewReason, ...input }: NewInitiation & InitiationStart,
): Promise<CreatedInitiation> {
  assertOfConnector(input.connector, { sourceAccountID: input.source });
  assertOfConnector(input.connector, { destinationAccountID: input.destination });
  const connector = await requireConnector(context, input.connector);
  const initiation = toWaiting(context, connector, input);
  if (isSent) {
    assertSecondPerson(context, initiation.creator, "approve");
    await assertMayMove(context, { connector: connector.id });
  }
  const send = isSent
    ? prepareFirstSend(context, initiation, reviewReason !== undefined)
    : undefined;
  if (isSent) await watchInitiations(context);
  try {
    await Outbox.from(context).publish({
      change: [
        ...insertions(context, initiation),
        ...(send?.statements ?? []),
        ...(reviewReason === undefined ? [] : [reviewOf(context, initiation, reviewReason)]),
      ],
      events: [
        savedInitiationEvent(initiation),
        savedAdjustmentEvent(initiation, firstAdjustment(initiation)),
        ...(send?.events ?? []),
      ],
      audit: new AuditedChange(context, {
        action: "payments.payment-initiation.create",
        object: `payment-initiations/${encodeOwnedId(initiation.id)}`,
      }),
    });
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
  return { ...initiation, ...given({ task: send?.task }) };
}

const reviewOf = (context: ServiceContext, initiation: Initiation, reason: string) =>
  insertReview(context, {
    connectorKey: initiation.connectorKey,
    initiationKey: createdKey(initiation),
    reversalKey: null,
    reason,
  });

const prepareFirstSend = (context: ServiceContext, initiation: Initiation, isHeld: boolean) =>
  prepareSend(context, {
    initiation,
    isHeld,
    kind: "approve",
    metadata: approvedBy(context),
    key: createdKey(initiation),
  });

/**
 * Throws `VALIDATION` for an account of another connector. This connector may have an account of the same reference, which
 * would then get the money.
 */
export function assertOfConnector(
  { provider, reference }: ConnectorId,
  accounts: Readonly<Record<string, OwnedId | undefined>>,
): void {
  for (const [field, account] of Object.entries(accounts)) {
    if (account === undefined) continue;
    const { connector } = account;
    if (connector.provider === provider && connector.reference === reference) continue;
    throw new AppError("VALIDATION", `${field} is an account of another connector`);
  }
}

function toWaiting(
  { clock, principal, causationDepth = 0 }: ServiceContext,
  { key, id: connector }: InstalledConnector,
  input: NewInitiation,
): Initiation {
  const { reference, scheduledAt, description, type, amount, asset, source, destination } = input;
  const createdAt = clock();
  return {
    key: 0, // the table assigns the key
    connectorKey: key,
    id: { connector, reference },
    createdAt,
    description,
    type,
    asset,
    destination,
    metadata: input.metadata,
    creator: { issuer: principal.issuer, subject: principal.subject },
    state: newInitiation(amount),
    adjustedAt: createdAt,
    adjustments: 1,
    attempts: 0,
    causationDepth,
    cause: currentCause()?.toText() ?? null,
    ...given({ scheduledAt, source }),
  };
}

const firstAdjustment = ({ createdAt, state }: Initiation) => ({
  createdAt,
  status: state.status,
  amount: state.amount,
  metadata: {},
});

function insertions({ env }: ServiceContext, initiation: Initiation) {
  const { id, connectorKey, createdAt, scheduledAt, description, type, asset, state } = initiation;
  const { amount, status } = state;
  const db = databaseOf(env);
  return [
    db.insert(paymentInitiations).values({
      connectorKey: installedKey({ key: connectorKey }),
      reference: id.reference,
      createdAt,
      description,
      type,
      asset,
      status,
      scheduledAt: scheduledAt ?? null,
      amount: amount.toString(),
      source: initiation.source?.reference ?? null,
      destination: initiation.destination?.reference ?? null,
      sourceHash: accountHash(initiation.source?.reference),
      destinationHash: accountHash(initiation.destination?.reference),
      metadata: toMetadataColumn(initiation.metadata),
      metadataBits: metadataBloom(initiation.metadata),
      creatorIssuer: initiation.creator.issuer,
      creatorSubject: initiation.creator.subject,
      adjustedAt: createdAt,
      adjustments: 1,
      attempts: 0,
      wasProcessed: false,
      reversed: "0",
      reserved: "0",
      causationDepth: initiation.causationDepth,
      cause: initiation.cause,
    }),
    db.insert(paymentInitiationAdjustments).values({
      ...adjustmentKeys(createdKey(initiation), 0),
      createdAt,
      status,
      amount: amount.toString(),
      metadata: "{}",
      metadataBits: metadataBloom({}),
    }),
  ] as const;
}

/** The key of an initiation that the same batch inserts. */
const createdKey = ({ connectorKey, id }: Initiation): SQL => sql`(
  SELECT ${paymentInitiations.key} FROM ${paymentInitiations}
  WHERE ${paymentInitiations.reference} = ${id.reference}
  AND ${paymentInitiations.connectorKey} = ${connectorKey})`;

/** The refusal that clients know for an error of the batch; undefined for any other error. */
function refusalOf(error: unknown): AppError | undefined {
  if (violatesConstraint(error, "UNIQUE constraint failed: payment_initiations.reference")) {
    return new AppError("ALREADY_EXISTS", "payment initiation: object already exists", {
      cause: error,
    });
  }
  return violatesConstraint(error, "NOT NULL constraint failed: payment_initiations.connector_key")
    ? new AppError("VALIDATION", "connector_id: value not found", { cause: error })
    : undefined;
}
