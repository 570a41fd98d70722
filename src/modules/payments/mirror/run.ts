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
import { type Result, unwrap } from "#platform/result.ts";
import { fromMillis, formatTimestamp, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";
import { settleAll } from "#platform/work/lanes.ts";
import { restAfter } from "#platform/work/turns.ts";

/** How long one sweep books, and how long a booking stays taken by somebody who stores no progress, in milliseconds. */
const SWEEP_MS_MAX = 15_000;
const CLAIM_MS = 60_000;
/** The longest time that a call of a ledger may take, in milliseconds: whoever has a booking begins none that could outlast it. */
const CALL_MS_MAX = 30_000;
/** Most bookings that are looked at by one sweep. */
const BOOKINGS_PER_SWEEP_MAX = 100;
/**
 * How many bookings are worked on at once: one of each ledger, which would do one after the other anyway. None holds its lane for longer than
 * its time and the call that it may have begun last.
 */
const LANES = { total: 16, perKey: 1, timeoutMs: SWEEP_MS_MAX + CALL_MS_MAX };
/** Most transactions that a ledger is given in one call: between two calls, it answers others. */
export const BULK_SIZE_MAX = 25;
/** How long a booking rests after a bulk, as a share of the bulk's time. */
const REST_SHARE = 0.1;
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
  const client = new LedgerClient(context, found.rules.ledger);
  const templates = new TemplateShapes(client, found.rules);
  if (payments === undefined) return true; // a connector takes its bookings with it, and a pool is gone for good
  let booking: Booking | undefined = found;
  while (booking !== undefined) {
    const part = await readAdjustments(db, { payments, position: booking.position, directory });
    if (part.position === booking.position) return true;
    const claimed = await claim(context, booking);
    if (claimed === undefined) return true; // somebody else has it
    const done = await bookAll(context, claimed, { client, templates, directory, untilMs, part });
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
  {
    booked,
    failures,
    next,
    error,
    part,
    now,
  }: BookedPart & { part: AdjustmentPart; now: Timestamp },
): Promise<Booking | undefined> {
  // Those between are of other payments.
  const position = next === undefined ? part.position : next.key - 1;
  // One that waits keeps its claim until it does; one that had no time gives it back.
  if (position === booking.position && error !== undefined) return booking;
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

/** What the adjustments of a part are booked with. */
interface Work {
  readonly client: LedgerClient;
  readonly templates: TemplateShapes;
  readonly directory: ConnectorDirectory;
}

/**
 * Books a part in bulks. A bulk ends at the first adjustment that its ledger does not take, and the next one begins behind a refused
 * adjustment, so that none is booked before another one that has to be repeated. Behind a refusal, bulks are small at first:
 * where all are refused, each is sent a few times instead of as often as a bulk is long.
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
    const { taken, error } = await restAfter(REST_SHARE, () => bookBulk(booking, work, bulk));
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

/** How many adjustments of a bulk were booked, from its first one on, and why the next one was not. */
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
    const results = runs.length === 0 ? [] : await client.runTemplates(runs, { schemaVersion });
    const last = results.at(-1);
    if (last?.ok === false) return { taken: results.length - 1, error: errorOf(last) };
  } catch (error) {
    // What was booked of it is booked again, with the same keys.
    return { taken: 0, error };
  }
  return failure ?? { taken: runs.length };
}

type NamedShape = TemplateShape & { readonly name: string };

/** The templates of a booking, each of which is read once. */
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

/** The error of a transaction that its ledger has not made. */
function errorOf(result: Result<unknown>): unknown {
  try {
    return unwrap(result);
  } catch (error) {
    return error;
  }
}

/** The transaction of an adjustment. */
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

/** One call does no more than some work; nothing of a bulk that takes more is booked. */
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
