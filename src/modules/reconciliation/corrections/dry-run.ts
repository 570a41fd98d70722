import type { BreakCase } from "./case.ts";
import { LedgerClient, type LedgerTransaction } from "#modules/ledger/index.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { SourceLine } from "#modules/reconciliation/core/source-line.ts";
import { getLine } from "#modules/reconciliation/matchings/groups.ts";
import type { Matching } from "#modules/reconciliation/matchings/matching.ts";
import { linesOfTransaction } from "#modules/reconciliation/sources/account-lines.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** A booking that is meant to close a break. */
export interface PlannedBooking {
  /** The side that gets the lines of the booking. */
  readonly side: MatchSide;
  readonly script: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly timestamp: Timestamp | undefined;
  /** The lines that are closed, besides those of the booking. */
  readonly closes: readonly number[];
}

/** The key in the metadata of a transaction that names the correction which has booked it. */
export const CORRECTION_KEY = "florin/reconciliation/correction";

/** The transaction of a booking, as the ledger takes it. */
export const transactionOf = (
  { script, vars, timestamp }: Pick<PlannedBooking, "script" | "vars" | "timestamp">,
  correctionId: string,
) => ({
  script,
  vars,
  metadata: { [CORRECTION_KEY]: correctionId },
  ...(timestamp === undefined ? {} : { timestamp: formatTimestamp(timestamp) }),
});

/** Runs a booking without committing it. Throws what the ledger would refuse it for, and `VALIDATION` for one that does not close the break. */
export async function tryBooking(
  context: ServiceContext,
  of: BreakCase,
  booking: PlannedBooking,
): Promise<LedgerTransaction> {
  const { side, closes } = booking;
  const books = of.books[side];
  if (books === undefined)
    throw new AppError("VALIDATION", `the ${side} side of the matching is no accounts of a ledger`);
  const client = new LedgerClient(context, books.ledger);
  const transaction = await client.preview(
    transactionOf(booking, "00000000-0000-0000-0000-000000000000"),
  );
  const made = linesOfTransaction(transaction, books);
  await assertCloses(context, of, { side, closes, made });
  assertWithin(of.matching, made);
  assertOneSided(of, side, transaction);
  return transaction;
}

/** Throws `VALIDATION` for a booking that another matching, of another period of the sources, would get as a break of its own. */
function assertWithin({ period: { from, to } }: Matching, made: readonly SourceLine[]): void {
  const outside = made.find(({ day }) => day < from || (to !== undefined && day > to));
  if (outside === undefined) return;
  const end = to === undefined ? "" : ` to ${dateOf(to)}`;
  throw new AppError(
    "VALIDATION",
    `timestamp: the booking would be of ${dateOf(outside.day)}, and the period of the matching is from ${dateOf(from)}${end}`,
  );
}

/** Throws `VALIDATION` for a booking that closes a break of one side by another one of the other side, where both are accounts of one ledger. */
function assertOneSided({ books }: BreakCase, side: MatchSide, made: LedgerTransaction): void {
  const other = side === "left" ? "right" : "left";
  const [one, another] = [books[side], books[other]];
  if (another === undefined || another.ledger !== one?.ledger) return;
  if (linesOfTransaction(made, another).length === 0) return;
  throw new AppError(
    "VALIDATION",
    `the booking would open a break on the ${other} side, whose accounts it moves, too: book it against another account, or revert the transaction that was wrong`,
  );
}

/** Throws `VALIDATION` where lines and those of a booking do not add up to the same on both sides. */
async function assertCloses(
  context: ServiceContext,
  { matching, line }: BreakCase,
  {
    side,
    closes,
    made,
  }: {
    readonly side: MatchSide;
    readonly closes: readonly number[];
    readonly made: readonly SourceLine[];
  },
): Promise<void> {
  if (made.length === 0)
    throw new AppError(
      "VALIDATION",
      `the script moves nothing on the accounts of the ${side} side`,
    );
  if (!closes.includes(line.id))
    throw new AppError("VALIDATION", `closes: the line ${line.id} itself is missing`);
  const lines = await Promise.all(closes.map((id) => getLine(context, matching.id, id)));
  const sums = [...lines, ...made.map((of) => ({ ...of, side }))];
  if (sums.some(({ asset }) => asset !== line.asset))
    throw new AppError("VALIDATION", `the lines and the booking are not all in ${line.asset}`);
  const open = sums.reduce((sum, of) => sum + (of.side === "left" ? of.amount : -of.amount), 0n);
  if (open === 0n) return;
  throw new AppError(
    "VALIDATION",
    `the booking does not close the break: ${open} ${line.asset} would stay open between left and right`,
  );
}
