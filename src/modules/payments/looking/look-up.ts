import { and, eq, isNull, sql } from "drizzle-orm";
import { nextOrders, type OpenOrder, readOrder } from "./orders.ts";
import { type ConnectorLookup, runsSince } from "./runs.ts";
import { holdForReview, settleByAnswer, settleByShown } from "./settle.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FoundMovement, Movement, Plugin } from "#modules/payments/connectors/contract.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { CONNECTOR_COLUMNS, toConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { CANNOT_BE_ASKED } from "#modules/payments/lookups/askable.ts";
import type { Lookup } from "#modules/payments/lookups/lookup-rows.ts";
import { paymentLookups, paymentShownMarks } from "#modules/payments/lookups/tables.ts";
import {
  completeMovement,
  completeReportedMovements,
  shownButUnfit,
} from "#modules/payments/movements/complete.ts";
import type { OpenPlugin } from "#modules/payments/movements/execute.ts";
import {
  type Execution,
  toProviderMovement,
  toProviderReversal,
  toSoughtMovement,
} from "#modules/payments/movements/execution.ts";
import { parseShown } from "#modules/payments/payments/ingestion/shown-movements.ts";
import { holdStatements } from "#modules/payments/schedules/hold.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
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
  const runs = (found.kind.listed ?? []).length > 0 ? await runsSince(context, found) : WHOLE;
  if (!runs.areComplete) {
    await noteTrouble(context, lookup, runs.reason);
    return { atMs: runs.atMs, hasEnded: false };
  }
  try {
    const plugin = await openPlugin(context, connector);
    const isDone = await lookUpOrders(context, found, plugin);
    return isDone ? await end(context, lookup) : { atMs: nowMs, hasEnded: false };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return { atMs: await askLater(context, found, error), hasEnded: false };
  }
}

const WHOLE = { areComplete: true } as const;

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
  let { position } = looking.lookup;
  for (;;) {
    const keys = await nextOrders(context, { ...looking.lookup, position });
    if (keys.length === 0) return true;
    for (const key of keys) {
      if (Date.now() >= untilMs) return false;
      const order = await readOrder(context, key);
      if (order !== undefined) await lookUpOrder(context, { ...looking, plugin }, order);
      await changeLookup(context, looking.lookup, { position: key, ...WELL });
      position = key;
    }
  }
}

interface Asking extends ConnectorLookup {
  readonly plugin: Plugin;
}

/** Finds out what has become of an order: settles it, holds it for a review, or leaves it free. Throws `ConnectorError`. */
async function lookUpOrder(
  asking: ServiceContext,
  looking: Asking,
  order: OpenOrder,
): Promise<void> {
  const context = { ...asking, causationDepth: order.initiation.causationDepth };
  const { movement, initiation } = order;
  const isShown = movement !== undefined && movement.shown !== null;
  if (isShown && (await completeMovement(context, movement))) return;
  const note = await shownMark(context, looking, order);
  if (note !== undefined) {
    if (await settleByShown(context, order, note)) return;
    const { reference } = parseShown(note);
    await holdForReview(context, order, shownButUnfit(reference));
    return;
  }
  if (isCertainlyFree(looking.lookup, order)) return;
  const found = await ask(context, looking, order);
  if (found === "none") return;
  if (found === "unknown") {
    if ((looking.kind.listed ?? []).includes(kindOfOrder(order))) return;
    await holdForReview(context, order, CANNOT_BE_ASKED);
    return;
  }
  const problem = await settleByAnswer(context, order, found);
  const open = problem === undefined ? undefined : await readOrder(context, initiation.key);
  if (open !== undefined && problem !== undefined) await holdForReview(context, open, problem);
}

/** The payment that the provider has shown with the reference of an order. */
async function shownMark(
  { env }: Pick<ServiceContext, "env">,
  { connector }: ConnectorLookup,
  { mark }: OpenOrder,
): Promise<string | undefined> {
  const [row] = await databaseOf(env)
    .select({ shown: paymentShownMarks.shown })
    .from(paymentShownMarks)
    .where(
      and(eq(paymentShownMarks.connectorKey, connector.key), eq(paymentShownMarks.mark, mark)),
    );
  return row?.shown;
}

/** How far the clock of the original may have been ahead, in milliseconds. */
const CLOCK_MS = 3_600_000;

/**
 * Whether an order needs no question: one that the provider has accepted is only asked for its outcome; one whose time is still to come was not
 * sent by the original, which has stopped; and one that has failed is not sent by itself.
 */
function isCertainlyFree(
  { beganAt }: Lookup,
  { initiation, movement, reversal }: OpenOrder,
): boolean {
  if (movement === undefined) return initiation.state.status === "FAILED";
  if (movement.pollingId !== null) return true;
  const { scheduledAt, attempts } = initiation;
  const later = fromMillis(toMillis(beganAt) + CLOCK_MS);
  const isLater = scheduledAt !== undefined && scheduledAt > later;
  return isLater && attempts === 1 && movement.claims === 0 && reversal === undefined;
}

const kindOfOrder = ({ initiation, reversal }: OpenOrder) =>
  reversal === undefined ? initiation.type : "REVERSAL";

/** Asks the provider what has become of an order. Throws `ConnectorError`. */
async function ask(
  context: ServiceContext,
  { connector, plugin }: Asking,
  { initiation, movement, reversal }: OpenOrder,
): Promise<FoundMovement> {
  if (reversal === undefined || movement === undefined) {
    return (await plugin.findMovement?.(toSoughtMovement(initiation))) ?? "unknown";
  }
  if (plugin.findReversal === undefined) return "unknown";
  const made = await providerMovement(context, { connector, initiation, movement });
  if (made === undefined) return "unknown";
  return plugin.findReversal(toProviderReversal(made, reversal));
}

/** A movement as the plugin gets it; undefined if one of its accounts is not stored any more. */
async function providerMovement(
  context: ServiceContext,
  execution: Execution,
): Promise<Movement | undefined> {
  try {
    return await toProviderMovement(context, execution);
  } catch (error) {
    if (error instanceof ConnectorError) return undefined;
    throw error;
  }
}

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
  error: ConnectorError,
): Promise<number> {
  logError("a provider could not be asked about payments; it is asked again", error, {
    connector: connector.id.reference,
  });
  const now = context.clock();
  const failures = lookup.failures + 1;
  const waitMs = error.retryAfterMs ?? waitAfterFailures(ASK_BACKOFF, failures);
  const until = fromMillis(toMillis(now) + waitMs);
  if (error.kind === "rate-limited") {
    await databaseOf(context.env).batch(
      holdStatements(databaseOf(context.env), { connectorKey: connector.key, until }),
    );
  }
  await changeLookup(context, lookup, {
    failures,
    dueAt: until,
    failingSince: lookup.failingSince ?? now,
    lastError: error.message,
  });
  return toMillis(until);
}
