import { type AdjustmentPart, type AdjustmentToBook, readAdjustments } from "./adjustments.ts";
import type { Booking, BookingFailure, BookingRules } from "./booking.ts";
import { paymentsOf } from "./scope.ts";
import { claimBooking, listDue, nextDue, storeProgress, storeWait } from "./store.ts";
import { variablesOf } from "./variables.ts";
import { LedgerClient, type TemplateShape } from "#modules/ledger/index.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import { idempotencyKeyOf } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, formatTimestamp, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long one sweep books, and how long a booking stays taken by somebody who stores no progress, in milliseconds. */
const SWEEP_MS_MAX = 15_000;
const CLAIM_MS = 60_000;
/** The longest time that a call of a ledger may take, in milliseconds: whoever has a booking begins none that could outlast it. */
const CALL_MS_MAX = 30_000;
/** Most bookings that are worked on by one sweep: it does one after the other. */
const BOOKINGS_PER_SWEEP_MAX = 100;
const BACKOFF = doubling(1000, 300_000);
/** Longest message that is kept, in characters. */
const MESSAGE_LENGTH_MAX = 2000;

/**
 * Books what is new. Returns when to run again, in milliseconds since the epoch; undefined once nothing is left.
 *
 * Each adjustment is booked once and in order, whatever is killed when: a booking has a position, which moves when what lies
 * before it is booked, and whoever repeats an adjustment does so with the same idempotency key. What a ledger refuses for good is kept as
 * a failure, and the booking goes on; what may succeed later holds the booking, so that a rebuild books the same.
 */
export async function runBookings(context: ServiceContext): Promise<number | undefined> {
  const db = databaseOf(context.env);
  const untilMs = Date.now() + SWEEP_MS_MAX;
  const now = context.clock();
  const bookings = await listDue(db, now, BOOKINGS_PER_SWEEP_MAX);
  let isBehind = false;
  for (const booking of bookings) {
    if (Date.now() >= untilMs) {
      isBehind = true;
      break;
    }
    if (!(await runBooking(context, booking, untilMs))) isBehind = true;
  }
  if (isBehind) return toMillis(context.clock());
  // One that was due and had nothing to do keeps its date, and is no reason to look again.
  const due = await nextDue(db, now);
  return due === undefined ? undefined : toMillis(due);
}

/** Books what is new. Returns whether nothing is left to be done now. */
async function runBooking(
  context: ServiceContext,
  found: Booking,
  untilMs: number,
): Promise<boolean> {
  const db = databaseOf(context.env);
  const directory = await ConnectorDirectory.read(context);
  const payments = await paymentsOf(context, found.scope, directory);
  if (payments === undefined) return true; // a connector takes its bookings with it, and a pool is gone for good
  let booking: Booking | undefined = found;
  while (booking !== undefined) {
    const part = await readAdjustments(db, { payments, position: booking.position, directory });
    if (part.position === booking.position) return true;
    const claimed = await claim(context, booking);
    if (claimed === undefined) return true; // somebody else has it
    const done = await bookAll(context, claimed, { directory, untilMs, part });
    booking = await storePart(db, claimed, { ...done, part, now: context.clock() });
    if (booking !== undefined && done.error !== undefined) {
      await wait(context, booking, done.error);
      return true;
    }
    if (done.next !== undefined || Date.now() >= untilMs) return false;
    if (part.isLast) return true;
  }
  return true; // it was paused, rebuilt or taken over meanwhile
}

/** Takes a booking for a while; undefined where somebody else has it. */
async function claim(context: ServiceContext, booking: Booking): Promise<Booking | undefined> {
  const waitUntil = fromMillis(toMillis(context.clock()) + CLAIM_MS);
  const isClaimed = await claimBooking(databaseOf(context.env), booking, waitUntil);
  return isClaimed ? { ...booking, waitUntil } : undefined;
}

/** Stores what was done of a part. Returns the booking as it is then; undefined where it was changed meanwhile. */
async function storePart(
  db: Database,
  booking: Booking,
  { booked, failures, next, part, now }: BookedPart & { part: AdjustmentPart; now: Timestamp },
): Promise<Booking | undefined> {
  // Those between are of other payments.
  const position = next === undefined ? part.position : next.key - 1;
  if (position === booking.position) return booking;
  const progress = { position, booked, failures, waitUntil: undefined, now };
  if (!(await storeProgress(db, booking, progress))) return undefined;
  const { waitUntil: _released, ...released } = booking;
  return { ...released, position, attempts: 0 };
}

/** What was done of a part. */
interface BookedPart {
  readonly booked: number;
  readonly failures: readonly BookingFailure[];
  /** The first one that is not booked: there was no time, or there is an error. */
  readonly next?: AdjustmentToBook;
  /** Why it has to wait. */
  readonly error?: unknown;
}

async function bookAll(
  context: ServiceContext,
  booking: Booking,
  {
    directory,
    untilMs,
    part,
  }: { directory: ConnectorDirectory; untilMs: number; part: AdjustmentPart },
): Promise<BookedPart> {
  const endMs = Math.min(untilMs, Date.now() + CLAIM_MS - CALL_MS_MAX);
  const client = new LedgerClient(context, booking.rules.ledger);
  const templates = new TemplateShapes(client, booking.rules);
  const failures: BookingFailure[] = [];
  let booked = 0;
  for (const adjustment of part.adjustments) {
    if (Date.now() >= endMs) return { booked, failures, next: adjustment };
    try {
      await bookOne(client, booking, { adjustment, directory, templates });
      booked++;
    } catch (error) {
      if (!isRefusal(error)) return { booked, failures, next: adjustment, error };
      failures.push(toFailure(adjustment, error, context.clock()));
    }
  }
  return { booked, failures };
}

/** The templates of a booking, each of which is read once. */
class TemplateShapes {
  readonly #client: LedgerClient;
  readonly #rules: BookingRules;
  readonly #shapes = new Map<string, TemplateShape>();

  constructor(client: LedgerClient, rules: BookingRules) {
    this.#client = client;
    this.#rules = rules;
  }

  async of(status: PaymentStatus): Promise<TemplateShape & { readonly name: string }> {
    const name = this.#rules.templates[status] ?? this.#rules.template;
    const shape =
      this.#shapes.get(name) ?? (await this.#client.template(name, this.#rules.schemaVersion));
    this.#shapes.set(name, shape);
    return { ...shape, name };
  }
}

async function bookOne(
  client: LedgerClient,
  { id, run, rules }: Booking,
  work: {
    readonly adjustment: AdjustmentToBook;
    readonly directory: ConnectorDirectory;
    readonly templates: TemplateShapes;
  },
): Promise<void> {
  const { adjustment, directory, templates } = work;
  const { name, variables } = await templates.of(adjustment.status);
  const vars = Object.fromEntries(
    Object.entries(variablesOf(adjustment, directory)).filter(([variable]) =>
      Object.hasOwn(variables, variable),
    ),
  );
  const { ids, status, createdAt } = adjustment;
  await client.runTemplate(
    {
      template: name,
      vars,
      reference: referenceOf(ids.adjustment),
      timestamp: formatTimestamp(createdAt),
      metadata: { payment: ids.payment, adjustment: ids.adjustment, status },
    },
    {
      idempotencyKey: `payments/${idempotencyKeyOf({ booking: id, run, adjustment: ids.adjustment })}`,
      schemaVersion: rules.schemaVersion,
    },
  );
}

/** Longest reference that a ledger takes. */
const REFERENCE_LENGTH_MAX = 1024;

/** The id of the adjustment; a hash of an id that is too long. */
const referenceOf = (id: string): string =>
  id.length <= REFERENCE_LENGTH_MAX ? id : idempotencyKeyOf(id);

/** Failures that may be none later, without anybody changing the adjustment or the template. */
const PASSING: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "OVERLOADED",
  "INTERNAL",
  "STORAGE_FULL",
  "LEDGER_NOT_FOUND",
  "RATE_LIMITED",
]);

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && !PASSING.has(error.kind);

const toFailure = (
  { key, ids }: AdjustmentToBook,
  { message, details }: AppError,
  createdAt: Timestamp,
): BookingFailure => ({
  adjustmentKey: key,
  adjustmentId: ids.adjustment,
  paymentId: ids.payment,
  message: message.slice(0, MESSAGE_LENGTH_MAX),
  createdAt,
  ...(details === undefined ? {} : { details: details.slice(0, MESSAGE_LENGTH_MAX) }),
});

/** Leaves a booking alone for a while. */
async function wait(context: ServiceContext, booking: Booking, error: unknown): Promise<void> {
  const attempts = booking.attempts + 1;
  const waitMs = waitAfterFailures(BACKOFF, attempts);
  if (!(error instanceof AppError)) {
    logError("a booking of payments waits", error, { booking: booking.id, attempts });
  }
  const message =
    error instanceof AppError ? error.message : "an unexpected error, which is in the log";
  await storeWait(databaseOf(context.env), booking, {
    error: message.slice(0, MESSAGE_LENGTH_MAX),
    attempts,
    until: fromMillis(toMillis(context.clock()) + waitMs),
  });
}
