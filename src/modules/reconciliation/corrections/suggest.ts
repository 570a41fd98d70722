import { type BreakCase, readCase } from "./case.ts";
import { type PlannedBooking, tryBooking } from "./dry-run.ts";
import { parseAccount } from "#ledger-engine";
import type { LedgerTransaction } from "#modules/ledger/index.ts";
import {
  type Correction,
  correctionScript,
  type Suggestion,
  suggestCorrection,
} from "#modules/reconciliation/core/breaks/correction.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** What would correct a break, and what the ledger says to it. */
export interface SuggestedBooking {
  /** Why this booking, or why none. */
  readonly why: string;
  readonly correction: Correction | undefined;
  /** The Numscript; undefined where the caller has to say first which account of the side changes. */
  readonly script: string | undefined;
  /** What the ledger would commit now; undefined where it would refuse. */
  readonly dryRun: LedgerTransaction | undefined;
  /** Why the ledger would refuse. */
  readonly refusal: string | undefined;
}

/** Suggests a booking for a break, with a dry run of it. Throws `NOT_FOUND`, `UNAUTHENTICATED`, and `CONFLICT` for a line that is matched. */
export async function suggestBooking(
  context: ServiceContext,
  matchingId: string,
  {
    line,
    account,
    timestamp,
  }: {
    readonly line: number;
    readonly account: string | undefined;
    /** The effective date of the booking; undefined for now. */
    readonly timestamp: Timestamp | undefined;
  },
): Promise<SuggestedBooking> {
  const of = await readCase(context, matchingId, line);
  const suggestion = suggestCorrection(of.input);
  const none = { correction: undefined, script: undefined, dryRun: undefined, refusal: undefined };
  if (suggestion.kind === "none") return { ...none, why: suggestion.why };
  const correction = withAccount(suggestion.correction, account);
  const booking = plannedOf(of, correction);
  if (booking === undefined) return { ...none, correction, why: suggestion.why };
  const tried = await dryRunOf(context, of, { ...booking, timestamp });
  return { correction, why: suggestion.why, script: booking.script, ...tried };
}

/** The correction with the account that the caller names. Throws `VALIDATION` for a text that is no address, which becomes a part of a script. */
const withAccount = (correction: Correction, account: string | undefined): Correction =>
  account === undefined ? correction : { ...correction, account: parseAccount(account, "account") };

/** The booking of a correction; undefined as long as its account is unknown. */
export function plannedOf(of: BreakCase, correction: Correction): PlannedBooking | undefined {
  if (correction.account === undefined || correction.amount === 0n) return undefined;
  const { side, closes } = correction;
  const negate = of.books[side]?.negate ?? false;
  return {
    side,
    closes,
    script: correctionScript(correction, negate),
    vars: {},
    timestamp: undefined,
  };
}

/** The booking of a suggestion. Throws `VALIDATION` where nothing can be booked, or the account is missing. */
export function requirePlanned(
  of: BreakCase,
  suggestion: Suggestion,
  account: string | undefined,
): PlannedBooking {
  if (suggestion.kind === "none")
    throw new AppError("VALIDATION", `nothing to book: ${suggestion.why}`);
  const planned = plannedOf(of, withAccount(suggestion.correction, account));
  if (planned !== undefined) return planned;
  throw new AppError(
    "VALIDATION",
    `account: name the account of the ${suggestion.correction.side} side that the booking changes`,
  );
}

async function dryRunOf(context: ServiceContext, of: BreakCase, booking: PlannedBooking) {
  try {
    return { dryRun: await tryBooking(context, of, booking), refusal: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { dryRun: undefined, refusal: error.message };
  }
}
