import { and, eq, isNull, sql } from "drizzle-orm";
import { askOrReview, type Asking, hasFailed, isForPerson } from "./ask.ts";
import { nextOrders, type OpenOrder, readOrder, shownMark } from "./orders.ts";
import { type ConnectorLookup, runsSince } from "./runs.ts";
import { holdForReview, settleByAnswer, settleByShown } from "./settle.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FoundMovement, Plugin } from "#modules/payments/connectors/contract.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { toConnectorError } from "#modules/payments/connectors/provider-fault.ts";
import { FAILED_PAYMENT_STATUSES, type PaymentStatus } from "#modules/payments/core/enums.ts";
import { CONNECTOR_COLUMNS, toConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { CANNOT_BE_ASKED, isDecidedUnpaid, listedBy } from "#modules/payments/lookups/askable.ts";
import type { Lookup } from "#modules/payments/lookups/lookup-rows.ts";
import { paymentLookups } from "#modules/payments/lookups/tables.ts";
import {
  completeMovement,
  completeReportedMovements,
  shownButUnfit,
} from "#modules/payments/movements/complete.ts";
import type { OpenPlugin } from "#modules/payments/movements/execute.ts";
import { Trust } from "#modules/payments/movements/trust.ts";
import { parseShown, type Shown } from "#modules/payments/payments/ingestion/shown-movements.ts";
import { holdStatements } from "#modules/payments/schedules/hold.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long one call of `lookUp` works, in milliseconds. The next call goes on. */
const WORK_MS_MAX = 15_000;
/** Waits after a question that the provider has not answered, in milliseconds. */
const ASK_BACKOFF = doubling(1000, 60_000);

/** When a connector's look-up has its next step, in milliseconds since the epoch: `Infinity` if it has none by itself. */
export interface LookupStep {
  readonly atMs: number;
  /** Whether the look-up has ended in this step, so that money moves again. */
  readonly hasEnded: boolean;
}

const NOTHING: LookupStep = { atMs: Infinity, hasEnded: false };

/**
 * Takes the look-up of a connector further, if one is under way. It finds out for each order that is not final whether the original of this
 * restored deployment has paid it:
 *
 *     pages and webhooks bring the payment with the reference ──────► settled
 *     the provider is asked by the reference (`findMovement`) ─┬────► found: settled
 *                                                              ├────► none: free
 *                                                              └ does not say
 *     the lists show all references (`listed`), and were read ──────► not shown: free
 *     otherwise, or what was found does not certainly fit ──────────► a person reviews it
 *
 * Orders that are free are sent when the look-up has ended. A provider that is away, or that refuses, is asked again, and no answer is
 * believed that is not whole. Each order is looked up once; a crash repeats one.
 */
export async function lookUp(
  context: ServiceContext,
  reference: string,
  openPlugin: OpenPlugin,
): Promise<LookupStep> {
  const found = await findUnderWay(context, reference);
  if (found === undefined) return NOTHING;
  const { connector, lookup } = found;
  const nowMs = toMillis(context.clock());
  if (toMillis(lookup.dueAt) > nowMs) return { atMs: toMillis(lookup.dueAt), hasEnded: false };
  await completeReportedMovements(context, connector);
  const { FLORIN_PAYMENTS_LOOKUP_AFTER: settledMs } = paymentSettings.of(context.env);
  const askFromMs = toMillis(lookup.beganAt) + settledMs;
  // The original's last call may still be on its way, and no question sees it before it has arrived.
  if (nowMs < askFromMs && !showsReferences(found)) return { atMs: askFromMs, hasEnded: false };
  const runs = showsReferences(found) ? await runsSince(context, found) : WHOLE;
  if (!runs.areComplete) {
    await noteTrouble(context, lookup, runs.reason);
    return { atMs: runs.atMs, hasEnded: false };
  }
  try {
    const plugin = await openPlugin(context, connector);
    const isDone = await lookUpOrders(context, found, plugin);
    return isDone ? await end(context, lookup) : { atMs: nowMs, hasEnded: false };
  } catch (error) {
    // Somebody has disarmed the connector meanwhile: nothing was asked.
    if (isHeld(error)) throw error;
    return { atMs: await askLater(context, found, error), hasEnded: false };
  }
}

const WHOLE = { areComplete: true } as const;

/** Whether the provider's lists show references, of all movements or of some, so that they are read before anybody decides. */
const showsReferences = ({ kind }: ConnectorLookup): boolean =>
  (kind.listed ?? []).length > 0 || kind.shownReferenceOf !== undefined;

/** The look-up of an installed connector that is under way; undefined without one. */
async function findUnderWay(
  { env }: Pick<ServiceContext, "env">,
  reference: string,
): Promise<ConnectorLookup | undefined> {
  const [row] = await databaseOf(env)
    .select({ ...CONNECTOR_COLUMNS, lookup: paymentLookups })
    .from(paymentLookups)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentLookups.connectorKey))
    .where(
      and(
        eq(paymentConnectors.reference, reference),
        isNull(paymentConnectors.deletedAt),
        isNull(paymentLookups.endedAt),
      ),
    );
  const kind = row === undefined ? undefined : kindOf(row.provider);
  if (row === undefined || kind === undefined) return undefined;
  return { connector: toConnector(row), kind, lookup: row.lookup };
}

/** Looks up orders until none is left or the time is over. Returns whether none is left. Throws `ConnectorError`. */
async function lookUpOrders(
  context: ServiceContext,
  looking: ConnectorLookup,
  plugin: Plugin,
): Promise<boolean> {
  const untilMs = Date.now() + WORK_MS_MAX;
  const asking: Asking = { ...looking, plugin, trust: new Trust() };
  let { position } = looking.lookup;
  for (;;) {
    const keys = await nextOrders(context, { ...looking.lookup, position });
    if (keys.length === 0) return true;
    for (const key of keys) {
      if (Date.now() >= untilMs) return false;
      const order = await readOrder(context, key);
      if (order !== undefined) await lookUpOrHold(context, asking, order);
      await changeLookup(context, looking.lookup, { position: key, ...WELL });
      position = key;
    }
  }
}

/** Looks up an order. What is found and may not be stored, such as an attempt too many, is held for a person, so that the others go on. */
async function lookUpOrHold(
  context: ServiceContext,
  looking: Asking,
  order: OpenOrder,
): Promise<void> {
  try {
    await lookUpOrder(context, looking, order);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "VALIDATION") throw error;
    await holdForReview(context, order, `what was found cannot be stored: ${error.message}`);
  }
}

/** Finds out what has become of an order: settles it, holds it for a review, or leaves it free. Throws `ConnectorError`. */
async function lookUpOrder(
  asking: ServiceContext,
  looking: Asking,
  order: OpenOrder,
): Promise<void> {
  const context = { ...asking, causationDepth: order.initiation.causationDepth };
  const { movement, initiation } = order;
  const note = await shownMark(context, looking.connector, order);
  if (note !== undefined && isNews(order, parseShown(note))) {
    if (await settleByShown(context, order, note)) return;
    await holdForReview(context, order, shownButUnfit(parseShown(note)));
    return;
  }
  const isShown = movement !== undefined && movement.shown !== null;
  if (isShown && (await completeMovement(context, movement))) return;
  if (isCertainlyFree(looking.lookup, order)) return;
  const found = await askOrReview(context, looking, order);
  if (found === "none" || isForPerson(found)) return;
  if (found === "unknown") {
    if (listedBy(context, looking.kind).includes(kindOfOrder(order))) return;
    // A failed one is not sent by itself: its review is stored when somebody retries it.
    if (hasFailed(order)) return;
    const reversalKey = movement?.reversalKey ?? null;
    const { key: initiationKey } = initiation;
    if (await isDecidedUnpaid(context, looking.lookup, { initiationKey, reversalKey })) return;
    await holdForReview(context, order, CANNOT_BE_ASKED);
    return;
  }
  const made = hasFailed(order) ? await madeSince(looking, order, found) : found;
  if (made === undefined) return;
  const problem = await settleByAnswer(context, order, made);
  const open = problem === undefined ? undefined : await readOrder(context, initiation.key);
  if (open !== undefined && problem !== undefined) await holdForReview(context, open, problem);
}

const isFailure = (status: PaymentStatus): boolean => FAILED_PAYMENT_STATUSES.includes(status);

/** Whether a shown payment tells more of an order than is known: of a failed one, a payment that has failed does not. */
const isNews = (order: OpenOrder, { isAmbiguous = false, state }: Shown): boolean =>
  isAmbiguous || !hasFailed(order) || !isFailure(state.status);

type Found = Exclude<FoundMovement, string>;

/** What the original has made of a failed initiation by trying it again; undefined if the provider only knows the failure. */
async function madeSince(
  { plugin }: Pick<Asking, "plugin">,
  { initiation }: Pick<OpenOrder, "initiation">,
  found: Found,
): Promise<Found | undefined> {
  if ("error" in found || "otherOrder" in found) return undefined;
  if ("payment" in found) return isFailure(found.payment.status) ? undefined : found;
  const poll = initiation.type === "TRANSFER" ? plugin.pollTransfer : plugin.pollPayout;
  const result = await poll?.(found.pollingId).catch(unlessRefused);
  if (result === undefined || "pending" in result) return found;
  return madeSince({ plugin }, { initiation }, result);
}

/**
 * Takes a refused question about the outcome of one order for no answer, so that the others are looked up: the order is asked about again as one
 * that the provider has accepted. Throws every other error.
 */
function unlessRefused(error: unknown): undefined {
  if (toConnectorError(error)?.kind !== "invalid") throw error;
}

/** How far the clock of the original may have been ahead, in milliseconds. */
const CLOCK_MS = 3_600_000;

/**
 * Whether an order needs no question: one that the provider has accepted is only asked for its outcome; one whose time is still to come was not
 * sent by the original, which has stopped.
 */
function isCertainlyFree(
  { beganAt }: Lookup,
  { initiation, movement, reversal }: OpenOrder,
): boolean {
  if (movement === undefined) return false;
  if (movement.pollingId !== null) return true;
  const { scheduledAt, attempts } = initiation;
  const later = fromMillis(toMillis(beganAt) + CLOCK_MS);
  const isLater = scheduledAt !== undefined && scheduledAt > later;
  return isLater && attempts === 1 && movement.claims === 0 && reversal === undefined;
}

const kindOfOrder = ({ initiation, reversal }: OpenOrder) =>
  reversal === undefined ? initiation.type : "REVERSAL";

const WELL = { failures: 0, failingSince: null, lastError: null } as const;

/** Changes a look-up, unless it has ended, or begun anew, since it was read. */
async function changeLookup(
  { env }: Pick<ServiceContext, "env">,
  { connectorKey, beganAt }: Lookup,
  change: Partial<Lookup>,
): Promise<boolean> {
  const changed = await databaseOf(env)
    .update(paymentLookups)
    .set(change)
    .where(
      sql`${paymentLookups.connectorKey} = ${connectorKey} AND ${paymentLookups.beganAt} = ${beganAt}
        AND ${paymentLookups.endedAt} IS NULL`,
    )
    .returning({ connectorKey: paymentLookups.connectorKey });
  return changed.length > 0;
}

async function end(context: ServiceContext, lookup: Lookup): Promise<LookupStep> {
  const hasEnded = await changeLookup(context, lookup, { endedAt: context.clock(), ...WELL });
  return { atMs: Infinity, hasEnded };
}

/** Stores why the runs of a connector do not get to their ends; undefined if they are only not there yet. */
async function noteTrouble(
  context: ServiceContext,
  lookup: Lookup,
  reason: string | undefined,
): Promise<void> {
  if (reason === undefined || reason === lookup.lastError) return;
  const failingSince = lookup.failingSince ?? context.clock();
  await changeLookup(context, lookup, { failingSince, lastError: reason });
}

/** Stores that the provider has not answered. Returns when it is asked again, in milliseconds since the epoch. */
async function askLater(
  context: ServiceContext,
  { connector, lookup }: ConnectorLookup,
  error: unknown,
): Promise<number> {
  logError("a provider could not be asked about payments; it is asked again", error, {
    connector: connector.id.reference,
  });
  const now = context.clock();
  const failures = lookup.failures + 1;
  const refusal = error instanceof ConnectorError ? error : undefined;
  const waitMs = refusal?.retryAfterMs ?? waitAfterFailures(ASK_BACKOFF, failures);
  const until = fromMillis(toMillis(now) + waitMs);
  if (refusal?.kind === "rate-limited") {
    await databaseOf(context.env).batch(
      holdStatements(databaseOf(context.env), { connectorKey: connector.key, until }),
    );
  }
  await changeLookup(context, lookup, {
    failures,
    dueAt: until,
    failingSince: lookup.failingSince ?? now,
    lastError: error instanceof Error ? error.message : String(error),
  });
  return toMillis(until);
}
