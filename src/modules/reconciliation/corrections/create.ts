import { assertMayBook, assertPersonAsks, needsFourEyes } from "./authority.ts";
import { type BreakCase, readCase } from "./case.ts";
import { type StoredCorrection, toCorrection } from "./correction.ts";
import { type PlannedBooking, tryBooking } from "./dry-run.ts";
import { proceed } from "./proceed.ts";
import type { CorrectionKind } from "./states.ts";
import { bookedOfLine } from "./store.ts";
import { requirePlanned } from "./suggest.ts";
import { reconciliationCorrections } from "./tables.ts";
import { parseAccount } from "#ledger-engine";
import { suggestCorrection, writeOff } from "#modules/reconciliation/core/breaks/correction.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import { CORRECTIONS_SWEEP } from "#modules/reconciliation/sweep-names.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** Most lines that one booking closes. */
const CLOSES_MAX = 100;

/** What a person wants booked for a break. Absent members are undefined. */
export interface CorrectionRequest {
  readonly line: number;
  readonly note: string;
  /** The account of the matching's side that a suggested booking or a write-off changes. */
  readonly account: string | undefined;
  readonly timestamp: Timestamp | undefined;
  /** A Numscript of the caller's own, in place of the suggested one. */
  readonly script: string | undefined;
  readonly vars: Readonly<Record<string, string>> | undefined;
  /** The side that gets the lines of the own script; the one that is accounts of a ledger, where only one is. */
  readonly side: MatchSide | undefined;
  /** The lines that the own script closes; the line alone, where it names none. */
  readonly closes: readonly number[] | undefined;
}

/**
 * Books the suggested correction of a break, or a script of the caller's own, and matches the booking with the lines that it closes. The
 * booking is tried before anything is stored. Where `FLORIN_RECONCILIATION_FOUR_EYES` is set, an own script waits for a second person as a
 * write-off does, because it may be one. Throws `VALIDATION`, `NOT_FOUND`, `UNAUTHENTICATED`, `CONFLICT` where another one has taken a
 * line, and what the ledger refuses the booking for.
 */
export async function bookCorrection(
  context: ServiceContext,
  matchingId: string,
  request: CorrectionRequest,
): Promise<StoredCorrection> {
  const isOwn = request.script !== undefined;
  if (isOwn && needsFourEyes(context)) assertPersonAsks(context);
  const of = await readCase(context, matchingId, request.line);
  const booking =
    request.script === undefined
      ? requirePlanned(of, suggestCorrection(of.input), request.account)
      : ownBooking(of, { ...request, script: request.script });
  return begin(context, of, { ...request, booking, kind: "correction", isFree: isOwn });
}

/**
 * Closes a break by a booking against a named account. Where `FLORIN_RECONCILIATION_FOUR_EYES` is set, the booking waits for a second person,
 * and the lines are held until then. Throws as `bookCorrection` does.
 */
export async function bookWriteOff(
  context: ServiceContext,
  matchingId: string,
  request: Pick<CorrectionRequest, "line" | "note" | "account" | "timestamp"> & {
    readonly counter: string;
  },
): Promise<StoredCorrection> {
  if (needsFourEyes(context)) assertPersonAsks(context);
  const of = await readCase(context, matchingId, request.line);
  const suggestion = writeOff(of.input, parseAccount(request.counter, "counter"));
  const booking = requirePlanned(of, suggestion, request.account);
  return begin(context, of, { ...request, booking, kind: "write_off", isFree: true });
}

function ownBooking(
  of: BreakCase,
  request: CorrectionRequest & { readonly script: string },
): PlannedBooking {
  const { line, script, vars = {}, closes = [line] } = request;
  const sides = (["left", "right"] as const).filter((side) => of.books[side] !== undefined);
  const side = request.side ?? (sides.length === 1 ? sides[0] : undefined);
  if (side === undefined)
    throw new AppError("VALIDATION", "side: name the side that gets the lines of the booking");
  if (new Set(closes).size !== closes.length || closes.length > CLOSES_MAX)
    throw new AppError("VALIDATION", `closes: name at most ${CLOSES_MAX} lines, each once`);
  return { side, script, vars, closes, timestamp: undefined };
}

async function begin(
  context: ServiceContext,
  of: BreakCase,
  request: {
    readonly line: number;
    readonly note: string;
    readonly timestamp: Timestamp | undefined;
    readonly booking: PlannedBooking;
    readonly kind: CorrectionKind;
    /** Whether whoever asks has chosen where the money goes. */
    readonly isFree: boolean;
  },
): Promise<StoredCorrection> {
  const { matching } = of;
  const { line, note, kind, timestamp, isFree } = request;
  const booking = { ...request.booking, timestamp };
  const ledger = of.books[booking.side]?.ledger;
  if (ledger === undefined)
    throw new AppError(
      "VALIDATION",
      `the ${booking.side} side of the matching is no accounts of a ledger`,
    );
  assertMayBook(context.principal, ledger);
  await tryBooking(context, of, booking);
  const id = newId();
  const now = context.clock();
  const ordinal = await bookedOfLine(context, { matchingId: matching.id, line });
  await watchChange(context.env, CORRECTIONS_SWEEP, toMillis(now));
  const change = new AuditedChange(context, {
    action: `reconciliation.${kind === "write_off" ? "write-off" : "correction"}.create`,
    object: `matchings/${matching.id}/corrections/${id}`,
  });
  const [row] = await change.store(
    databaseOf(context.env)
      .insert(reconciliationCorrections)
      .values({
        id,
        matchingId: matching.id,
        line,
        closes: stringifyJson(booking.closes),
        kind,
        state: "begun",
        needsApproval: isFree && needsFourEyes(context),
        ledger,
        side: booking.side,
        script: booking.script,
        vars: stringifyJson(booking.vars),
        timestamp: timestamp ?? null,
        note,
        // Two requests for one break book once, and a break that is open again after its match was broken is booked anew.
        idempotencyKey: `reconciliation/${matching.id}/${line}/${ordinal}`,
        requestedBy: toPrincipalColumn(context.principal),
        createdAt: now,
        updatedAt: now,
      })
      .returning(),
  );
  return proceed(context, toCorrection(present(row, "an insertion gives its row")));
}
