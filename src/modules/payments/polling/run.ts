import { eq } from "drizzle-orm";
import { preorderOf } from "./preorder.ts";
import type { Run } from "./run-context.ts";
import { firstDue, isStale } from "./schedule.ts";
import { step } from "./step.ts";
import type { Plugin } from "#modules/payments/connectors/contract.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import {
  CONNECTOR_COLUMNS,
  type InstalledConnector,
  toConnector,
} from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { continueRemoval } from "#modules/payments/lifecycle/removal.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

/** Most steps of one call. The platform limits the calls of one invocation. */
const STEPS_MAX = 100;
/** Steps of one schedule before another due schedule has its turn. */
const STEPS_PER_TURN = 20;

/**
 * The time at which an installation has work again, in milliseconds since the epoch, or `Infinity` if it waits for a
 * change.
 */
export type Continuation = { readonly atMs: number } | { readonly isRemoved: true };

export interface ConnectorRun {
  /** The UUID of the installation. */
  readonly reference: string;
  /** The tables whose rows the removal of an installation deletes. */
  readonly ownedRows: readonly OwnedRows[];
  /** The time at which the run ends, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/** Does the due work of an installation: steps of its schedules, or a part of its removal. */
export async function runConnector(
  context: ServiceContext,
  { reference, ownedRows, untilMs }: ConnectorRun,
): Promise<Continuation> {
  const connector = await findInstallation(context, reference);
  if (connector === undefined) return { isRemoved: true };
  if (connector.deletedAt !== undefined) {
    const isRemoved = await continueRemoval(context, connector, { ownedRows, untilMs });
    return isRemoved ? { isRemoved } : { atMs: nowMsOf(context) };
  }
  const plugin = onceOpened(() => openPlugin(context, connector));
  for (let left = STEPS_MAX; left > 0;) {
    const schedule = await firstDue(context, connector);
    if (schedule === undefined) return { atMs: Infinity };
    const atMs = toMillis(schedule.nextAt);
    if (atMs > nowMsOf(context) || Date.now() >= untilMs) return { atMs };
    const run = toRun({ context, connector, openPlugin: plugin }, schedule);
    const turn = { untilMs, stepsMax: Math.min(left, STEPS_PER_TURN) };
    const steps = await takeTurn(run, schedule, turn);
    if (steps === undefined) break;
    left -= steps;
  }
  return { atMs: nowMsOf(context) };
}

/**
 * Does several steps of a schedule in a row. Returns their number, or undefined if the schedule was changed elsewhere
 * meanwhile, or the connector was disarmed.
 */
async function takeTurn(
  run: Run,
  schedule: Schedule,
  { untilMs, stepsMax }: { readonly untilMs: number; readonly stepsMax: number },
): Promise<number | undefined> {
  let steps = 0;
  let at = schedule;
  try {
    do {
      steps++;
      at = await step(run, at);
    } while (
      steps < stepsMax &&
      at.instanceKey !== null &&
      toMillis(at.nextAt) <= nowMsOf(run.context) &&
      Date.now() < untilMs
    );
  } catch (error) {
    if (isStale(error) || isHeld(error)) return undefined;
    throw error;
  }
  return steps;
}

function toRun(
  { context, connector, openPlugin: open }: Pick<Run, "context" | "connector" | "openPlugin">,
  { task }: Schedule,
): Run {
  const kind = kindOf(connector.id.provider);
  return {
    context,
    connector,
    openPlugin: open,
    pageSize: kind?.pageSize ?? 1,
    // For a kind that this version does not have, only the root is fetched, and fails with this reason.
    walk:
      kind === undefined
        ? [{ path: task, task, isPeriodic: true, children: [] }]
        : preorderOf(kind.tree, task),
  };
}

function onceOpened(open: () => Promise<Plugin>): () => Promise<Plugin> {
  let opened: Promise<Plugin> | undefined;
  return () => (opened ??= open());
}

async function findInstallation(
  { env }: Pick<ServiceContext, "env">,
  reference: string,
): Promise<InstalledConnector | undefined> {
  const [row] = await databaseOf(env)
    .select(CONNECTOR_COLUMNS)
    .from(paymentConnectors)
    .where(eq(paymentConnectors.reference, reference));
  return row === undefined ? undefined : toConnector(row);
}

const nowMsOf = ({ clock }: Pick<ServiceContext, "clock">): number => toMillis(clock());
