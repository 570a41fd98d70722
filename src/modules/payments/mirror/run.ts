import { type AdjustmentPart, type AdjustmentToBook, readAdjustments } from "./adjustments.ts";
import { paymentsOf } from "./scope.ts";
import { variablesOf } from "./variables.ts";
import { type KeyedTemplateRun, LedgerClient, type TemplateShape } from "#modules/ledger/index.ts";
import type { Booking, BookingFailure, BookingRules } from "#modules/payments/bookings/booking.ts";
import {
  claimBooking,
  listDue,
  nextDue,
  storeProgress,
  storeWait,
} from "#modules/payments/bookings/store.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import { idempotencyKeyOf } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { toError } from "#platform/result.ts";
import { fromMillis, formatTimestamp, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";
import { settleAll } from "#platform/work/lanes.ts";
import { runWithRests } from "#platform/work/turns.ts";

/** How long one sweep books, and how long a claim of a booking lasts, in milliseconds. */
const SWEEP_MS_MAX = 15_000;
const CLAIM_MS = 60_000;
/** The longest time of one call of a ledger, in milliseconds. No call begins that could outlast the claim of its booking. */
const CALL_MS_MAX = 30_000;
/**
 * Limits of bookings that run at once. One booking runs for each ledger, because a ledger works on one call after the
 * other. A booking holds its lane until the sweep ends, plus the time of its last call.
 */
const LANES = { total: 16, perKey: 1, timeoutMs: SWEEP_MS_MAX + CALL_MS_MAX };
/** Most transactions of one call of a ledger. Between two calls, the ledger answers others. */
export const BULK_SIZE_MAX = 50;
/** The pause of a booking after a bulk or a search, as a share of its time. */
const REST_SHARE = 0.1;
const BACKOFF = doubling(1000, 300_000);
/** Longest message that is stored, in characters. */
const MESSAGE_LENGTH_MAX = 2000;

/**
 * Books new adjustments of all running bookings that are due, for at most `SWEEP_MS_MAX`. Returns the time of the next run, in
 * milliseconds since the epoch, which is now if work is left; undefined if no run is needed before new adjustments come. Runs at
 * the same time do no harm: each works on the bookings that it has claimed. If bookings could not be read or stored, throws an
 * `AggregateError` after it has worked on the others.
 *
 * Each adjustment is booked once and in order, even after a crash: a booking has a position, which moves past adjustments
 * only when they are booked, and a repeated adjustment has the same idempotency key. An adjustment that the ledger refuses
 * for good is stored as a failure, and the booking goes on. Every other error makes the booking wait, longer with each error
 * in a row, so that a rebuild books the same transactions.
 */
export async function runBookings(context: ServiceContext): Promise<number | undefined> {
  const db = databaseOf(context.env);
  const untilMs = Date.now() + SWEEP_MS_MAX;
  const now = context.clock();
  const bookings = await listDue(db, now);
  let isBehind = false;
  const results = await settleAll(bookings, {
    limits: LANES,
    keyOf: ({ rules }) => rules.ledger,
    run: async (booking) => {
      const isDone = Date.now() < untilMs && (await runBooking(context, booking, untilMs));
      if (!isDone) isBehind = true;
    },
  });
  const errors = results.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (errors.length > 0) throw new AggregateError(errors, "bookings could not be worked on");
  if (isBehind) return toMillis(context.clock());
  // A booking that was due and had nothing to book keeps its time, which is no reason for another run.
  const due = await nextDue(db, now);
  return due === undefined ? undefined : toMillis(due);
}

/** Books new adjustments of one booking. Returns whether nothing is left to do now. */
async function runBooking(
  context: ServiceContext,
  found: Booking,
  untilMs: number,
): Promise<boolean> {
  const db = databaseOf(context.env);
  const directory = await ConnectorDirectory.read(context);
  const payments = await paymentsOf(context, found.scope, directory);
  const client = new LedgerClient(context, found.rules.ledger);
  const templates = new TemplateShapes(client, found.rules);
  if (payments === undefined) return true; // the connector or the pool does not exist any more
  let booking: Booking | undefined = found;
  while (booking !== undefined) {
    const search = { payments, position: booking.position, directory };
    // A booking may have to pass many adjustments of other payments, which all are parts with nothing to book.
    const part = await runWithRests(REST_SHARE, () => readAdjustments(db, search));
    if (part.position === booking.position) return true;
    const claimed = await claim(context, booking);
    if (claimed === undefined) return true; // another sweep has claimed the booking
    const done = await bookAll(context, claimed, { client, templates, directory, untilMs, part });
    booking = await storePart(db, claimed, { ...done, part, now: context.clock() });
    if (booking !== undefined && done.error !== undefined) {
      await wait(context, booking, done.error);
      return true;
    }
    if (done.next !== undefined || Date.now() >= untilMs) return false;
    if (part.isLast) return true;
  }
  return true; // the booking was paused, rebuilt or claimed by another sweep meanwhile
}

/** Claims a booking for `CLAIM_MS`; undefined if another sweep has claimed it. */
async function claim(context: ServiceContext, booking: Booking): Promise<Booking | undefined> {
  const waitUntil = fromMillis(toMillis(context.clock()) + CLAIM_MS);
  const isClaimed = await claimBooking(databaseOf(context.env), booking, waitUntil);
  return isClaimed ? { ...booking, waitUntil } : undefined;
}

/** Stores the progress of a part. Returns the booking after it; undefined if the booking was changed meanwhile. */
async function storePart(
  db: Database,
  booking: Booking,
  {
    booked,
    failures,
    next,
    error,
    part,
    now,
  }: BookedPart & { part: AdjustmentPart; now: Timestamp },
): Promise<Booking | undefined> {
  // The adjustments between the two positions belong to other payments.
  const position = next === undefined ? part.position : next.key - 1;
  // A booking with an error keeps its claim until its wait is stored. Without an error, the claim is released.
  if (position === booking.position && error !== undefined) return booking;
  const progress = { position, booked, failures, waitUntil: undefined, now };
  if (!(await storeProgress(db, booking, progress))) return undefined;
  const { waitUntil: _released, ...released } = booking;
  return { ...released, position, attempts: 0 };
}

interface BookedPart {
  readonly booked: number;
  readonly failures: readonly BookingFailure[];
  /** The first adjustment that is not booked, because time is up or an error came. */
  readonly next?: AdjustmentToBook;
  /** The error for which the booking has to wait. */
  readonly error?: unknown;
}

/** The tools with which the adjustments of a part are booked. */
interface Work {
  readonly client: LedgerClient;
  readonly templates: TemplateShapes;
  readonly directory: ConnectorDirectory;
}

/**
 * Books a part in bulks. A bulk ends at the first adjustment that the ledger does not accept. After a refused adjustment
 * the next bulk begins behind it, so no adjustment is booked before an earlier one that has to be repeated. After a refusal
 * the next bulk has one adjustment, and the size doubles from there: if all adjustments are refused, few are sent more than
 * once.
 */
async function bookAll(
  context: ServiceContext,
  booking: Booking,
  { untilMs, part, ...work }: Work & { untilMs: number; part: AdjustmentPart },
): Promise<BookedPart> {
  const endMs = Math.min(untilMs, Date.now() + CLAIM_MS - CALL_MS_MAX);
  const { adjustments } = part;
  const failures: BookingFailure[] = [];
  let at = 0;
  let size = BULK_SIZE_MAX;
  for (;;) {
    const next = adjustments[at];
    const booked = at - failures.length;
    if (next === undefined) return { booked, failures };
    if (Date.now() >= endMs) return { booked, failures, next };
    const bulk = adjustments.slice(at, at + size);
    const { taken, error } = await runWithRests(REST_SHARE, () => bookBulk(booking, work, bulk));
    at += taken;
    const refused = adjustments[at];
    if (error === undefined || refused === undefined) {
      size = Math.min(BULK_SIZE_MAX, size * 2);
      continue;
    }
    if (bulk.length > 1 && isTooMuch(error)) {
      size = Math.floor(bulk.length / 2);
      continue;
    }
    if (!isRefusal(error)) {
      return { booked: at - failures.length, failures, next: refused, error };
    }
    failures.push(toFailure(refused, error, context.clock()));
    at++;
    size = 1;
  }
}

/** The number of booked adjustments at the beginning of a bulk, and the error of the next one. */
interface BookedBulk {
  readonly taken: number;
  readonly error?: unknown;
}

async function bookBulk(
  booking: Booking,
  { client, templates, directory }: Work,
  bulk: readonly AdjustmentToBook[],
): Promise<BookedBulk> {
  const runs: KeyedTemplateRun[] = [];
  let failure: BookedBulk | undefined;
  for (const adjustment of bulk) {
    try {
      const template = await templates.of(adjustment.status);
      runs.push(toRun(booking, { adjustment, directory, template }));
    } catch (error) {
      failure = { taken: runs.length, error };
      break;
    }
  }
  const { schemaVersion } = booking.rules;
  try {
    if (runs.length > 0) {
      const { executed, failure: refused } = await client.runTemplates(runs, { schemaVersion });
      if (refused !== undefined) return { taken: executed, error: toError(refused) };
    }
  } catch (error) {
    // Adjustments that the call has booked are sent again with the same keys.
    return { taken: 0, error };
  }
  return failure ?? { taken: runs.length };
}

type NamedShape = TemplateShape & { readonly name: string };

/** The templates of a booking. Each is read once. */
class TemplateShapes {
  readonly #client: LedgerClient;
  readonly #rules: BookingRules;
  readonly #shapes = new Map<string, TemplateShape>();

  constructor(client: LedgerClient, rules: BookingRules) {
    this.#client = client;
    this.#rules = rules;
  }

  async of(status: PaymentStatus): Promise<NamedShape> {
    const name = this.#rules.templates[status] ?? this.#rules.template;
    const shape =
      this.#shapes.get(name) ?? (await this.#client.template(name, this.#rules.schemaVersion));
    this.#shapes.set(name, shape);
    return { ...shape, name };
  }
}

/** The template run that books an adjustment. */
function toRun(
  { id, run }: Booking,
  work: {
    readonly adjustment: AdjustmentToBook;
    readonly directory: ConnectorDirectory;
    readonly template: NamedShape;
  },
): KeyedTemplateRun {
  const { adjustment, directory, template } = work;
  const vars = Object.fromEntries(
    Object.entries(variablesOf(adjustment, directory)).filter(([variable]) =>
      Object.hasOwn(template.variables, variable),
    ),
  );
  const { ids, status, createdAt, causationDepth } = adjustment;
  return {
    template: template.name,
    causationDepth,
    vars,
    reference: referenceOf(ids.adjustment),
    timestamp: formatTimestamp(createdAt),
    metadata: { payment: ids.payment, adjustment: ids.adjustment, status },
    idempotencyKey: `payments/${idempotencyKeyOf({ booking: id, run, adjustment: ids.adjustment })}`,
  };
}

/** Longest reference of a transaction that a ledger accepts, in characters. */
const REFERENCE_LENGTH_MAX = 1024;

/** The id of an adjustment as a reference; a hash of it if it is too long. */
const referenceOf = (id: string): string =>
  id.length <= REFERENCE_LENGTH_MAX ? id : idempotencyKeyOf(id);

/** Failures that may pass although nobody changes the adjustment or the template. */
const PASSING: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "OVERLOADED",
  "INTERNAL",
  "STORAGE_FULL",
  "LEDGER_NOT_FOUND",
  "RATE_LIMITED",
]);

/** Whether a bulk exceeds the work of one call. The ledger then books nothing of it. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof AppError && error.kind === "BULK_SIZE_EXCEEDED";

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

/** Makes a booking wait after an error. */
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
