import { lackingToBook } from "./authority.ts";
import type { StoredCorrection } from "./correction.ts";
import { transactionOf } from "./dry-run.ts";
import { takeStep } from "./store.ts";
import { currentPrincipal } from "#modules/auth/index.ts";
import { LedgerClient, type LedgerTransaction } from "#modules/ledger/index.ts";
import { closeLines, holdLines, releaseLines } from "#modules/reconciliation/matchings/holds.ts";
import { findMatching, noMatching } from "#modules/reconciliation/matchings/store.ts";
import { linesOfTransaction } from "#modules/reconciliation/sources/account-lines.ts";
import { isOfKind, sourceOf } from "#modules/reconciliation/sources/store.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";

/** Failures that pass: the correction stays where it is, and the sweep goes on with it. */
const PASSING: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "OVERLOADED",
  "RATE_LIMITED",
  "STORAGE_FULL",
]);

/**
 * Takes a correction from `begun`, `booking` or `releasing` as far as it goes without a person. Every step may be repeated after a crash, and
 * two may take it at once:
 *
 *     D1: begun ─▶ object: hold ─▶ D1: booking ─▶ object: still held? ─▶ ledger: commit ─▶ object: match and release ─▶ D1: booked
 *                                                     └─ no ─▶ object: give up ─▶ D1: failed
 *
 * Lines are held under the correction's id, the ledger has the booking's idempotency key, and a step of a row is taken once. An object never
 * holds lines again for a correction that was given up, so that nobody books for a break that others may have closed by then.
 *
 * Throws the failure that has ended the correction, and failures that pass.
 */
export async function proceed(
  context: ServiceContext,
  correction: StoredCorrection,
): Promise<StoredCorrection> {
  if (correction.state === "begun") return hold(context, correction);
  if (correction.state === "booking") return book(context, correction);
  if (correction.state === "releasing") return release(context, correction);
  return correction;
}

async function release(
  context: ServiceContext,
  correction: StoredCorrection,
): Promise<StoredCorrection> {
  await releaseLines(context, correction.matchingId, correction.id);
  const released = await takeStep(context, correction, { from: "releasing", to: "refused" });
  return released ?? { ...correction, state: "refused" };
}

async function hold(
  context: ServiceContext,
  correction: StoredCorrection,
): Promise<StoredCorrection> {
  try {
    await assertHeld(context, correction);
  } catch (error) {
    return fail(context, correction, error);
  }
  const to = correction.needsApproval ? "waiting" : "booking";
  const next = await takeStep(context, correction, { from: "begun", to });
  return next === undefined ? correction : proceed(context, next);
}

/** Holds the lines of a correction, if it does not hold them. Throws `CONFLICT` where it cannot, and `NOT_FOUND` after the matching's end. */
async function assertHeld(
  context: ServiceContext,
  { id, matchingId, closes }: StoredCorrection,
): Promise<void> {
  if ((await findMatching(context, matchingId)) === undefined) throw noMatching(matchingId);
  await holdLines(context, matchingId, { correction: id, lines: closes });
}

async function book(
  context: ServiceContext,
  correction: StoredCorrection,
): Promise<StoredCorrection> {
  let transaction: LedgerTransaction;
  try {
    transaction = await commit(context, correction);
  } catch (error) {
    return fail(context, correction, error);
  }
  const closed = await close(context, correction, transaction);
  const booked = await takeStep(context, correction, {
    // Money has moved, whatever another one who was at it at the same time has made of the correction.
    from: ["booking", "failed"],
    to: "booked",
    verb: "book",
    columns: {
      transactionId: transaction.id.toString(),
      lineGroup: closed.group ?? null,
      error: closed.error ?? null,
    },
  });
  return (
    booked ?? { ...correction, state: "booked", transactionID: BigInt(transaction.id), ...closed }
  );
}

/** Commits the booking of a correction whose lines are still held. A booking that an earlier attempt has made stands in any case. */
async function commit(
  context: ServiceContext,
  correction: StoredCorrection,
): Promise<LedgerTransaction> {
  let acting: ServiceContext;
  try {
    await assertHeld(context, correction);
    acting = await actingOf(context, correction);
  } catch (error) {
    if (!isFinal(error)) throw error;
    const earlier = await earlierBooking(context, correction);
    if (earlier === undefined) throw error;
    return earlier;
  }
  return new LedgerClient(acting, correction.ledger).run(...bookingOf(correction));
}

const bookingOf = (correction: StoredCorrection) =>
  [
    transactionOf(correction, correction.id),
    { idempotencyKey: correction.idempotencyKey },
  ] as const;

/** What an attempt that was cut off has booked before; undefined for nothing. The deployment asks, because nobody else may have the right. */
async function earlierBooking(
  context: ServiceContext,
  correction: StoredCorrection,
): Promise<LedgerTransaction | undefined> {
  const { principal } = systemContext(context.env, "reconciliation");
  try {
    const client = new LedgerClient({ ...context, principal }, correction.ledger);
    return await client.earlierRun(...bookingOf(correction));
  } catch (error) {
    if (!isFinal(error)) throw error;
    return undefined; // the ledger would refuse the booking, which it has not made
  }
}

/** Whether a failure does not pass by itself. */
const isFinal = (error: unknown): boolean => error instanceof AppError && !PASSING.has(error.kind);

/** The context of whoever has asked for the booking, with the rights of now. */
async function actingOf(
  context: ServiceContext,
  { requestedBy, ledger }: StoredCorrection,
): Promise<ServiceContext> {
  const principal = await currentPrincipal(context, requestedBy);
  const lacking =
    principal === undefined ? "an account of this server" : lackingToBook(principal, ledger);
  if (principal !== undefined && lacking === undefined) return { ...context, principal };
  // Not `UNAUTHENTICATED`: somebody else, who has all rights, may be confirming it.
  throw new AppError("CONFLICT", `whoever has asked for the booking lacks ${lacking}`);
}

/** Matches the booking with the lines that it closes. Money has moved, so that a failure is told and changes nothing of it. */
async function close(
  context: ServiceContext,
  correction: StoredCorrection,
  transaction: LedgerTransaction,
): Promise<{ readonly group: number | undefined; readonly error: string | undefined }> {
  const { id, matchingId, side, kind, note, requestedBy } = correction;
  try {
    const matching = await findMatching(context, matchingId);
    if (matching === undefined) throw new AppError("NOT_FOUND", "the matching was deleted");
    const source = await sourceOf(
      { ...context, principal: requestedBy },
      side === "left" ? matching.leftSourceId : matching.rightSourceId,
    );
    if (!isOfKind(source, "accounts"))
      throw new AppError("CONFLICT", "the source is no accounts of a ledger any more");
    const group = await closeLines(context, matchingId, {
      correction: id,
      side,
      booked: linesOfTransaction(transaction, source.definition),
      what: kind === "write_off" ? "write_off" : "correct",
      by: { principal: requestedBy, note },
    });
    return { group, error: undefined };
  } catch (error) {
    if (!(error instanceof AppError) || !isFinal(error)) throw error;
    await releaseLines(context, matchingId, id);
    return { group: undefined, error: `booked, but not matched: ${error.message}` };
  }
}

/** Ends a correction that cannot be booked, and opens its lines. Throws the failure. */
async function fail(
  context: ServiceContext,
  correction: StoredCorrection,
  error: unknown,
): Promise<never> {
  if (!(error instanceof AppError) || !isFinal(error)) throw error;
  await releaseLines(context, correction.matchingId, correction.id);
  await takeStep(context, correction, {
    from: correction.state,
    to: "failed",
    columns: { error: error.message },
  });
  throw error;
}
