import { assertMayBook, assertOtherPerson, needsFourEyes } from "./authority.ts";
import type { StoredCorrection } from "./correction.ts";
import { proceed } from "./proceed.ts";
import { correctionOf, takeStep } from "./store.ts";
import { dateOf, dayNumberOf } from "#modules/reconciliation/core/matching/days.ts";
import type { Matching } from "#modules/reconciliation/matchings/matching.ts";
import { getMatching } from "#modules/reconciliation/matchings/store.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

interface DecidedCorrection {
  readonly matchingId: string;
  readonly id: string;
  readonly note: string;
}

/**
 * Confirms a write-off that waits, which is then booked. Throws `NOT_FOUND`, `CONFLICT` for one that does not wait, `VALIDATION` for the person
 * who has asked for it and for programs, and `UNAUTHENTICATED` for whoever may not write the ledger.
 */
export async function confirmCorrection(
  context: ServiceContext,
  of: DecidedCorrection,
): Promise<StoredCorrection> {
  const correction = await waitingOf(context, of);
  // Four eyes are needed as it is set now: where they are not needed any more, a write-off that still waits is confirmed by anybody.
  if (needsFourEyes(context)) assertOtherPerson(context.principal, correction);
  assertMayBook(context.principal, correction.ledger);
  assertInTime(context, await getMatching(context, of.matchingId), correction);
  const next = await takeStep(context, correction, {
    from: "waiting",
    to: "booking",
    verb: "confirm",
    columns: decisionOf(context, of),
  });
  if (next === undefined) throw gone();
  return proceed(context, next);
}

/** Refuses a write-off that waits, whose lines are open again. Whoever has asked for it may take it back so. */
export async function refuseCorrection(
  context: ServiceContext,
  of: DecidedCorrection,
): Promise<StoredCorrection> {
  const correction = await waitingOf(context, of);
  const next = await takeStep(context, correction, {
    from: "waiting",
    to: "releasing",
    verb: "refuse",
    columns: decisionOf(context, of),
  });
  if (next === undefined) throw gone();
  return proceed(context, next);
}

async function waitingOf(
  context: ServiceContext,
  { matchingId, id }: DecidedCorrection,
): Promise<StoredCorrection> {
  await getMatching(context, matchingId);
  const correction = await correctionOf(context, matchingId, id);
  if (correction.state === "waiting") return correction;
  throw new AppError("CONFLICT", `the correction is ${correction.state}, and waits for nobody`);
}

/** Throws `CONFLICT` for a booking of now, which was asked for when the period of the matching was not over yet. */
function assertInTime(
  { clock }: ServiceContext,
  { period }: Matching,
  { timestamp }: StoredCorrection,
): void {
  if (timestamp !== undefined || period.to === undefined || dayNumberOf(clock()) <= period.to)
    return;
  throw new AppError(
    "CONFLICT",
    `the period of the matching has ended on ${dateOf(period.to)}: refuse the booking, and ask for it with a timestamp`,
  );
}

const decisionOf = ({ principal }: ServiceContext, { note }: DecidedCorrection) => ({
  decidedBy: toPrincipalColumn(principal),
  decisionNote: note,
});

const gone = (): AppError =>
  new AppError("CONFLICT", "somebody else has just decided about the correction");
