import { eq, sql, type SQL } from "drizzle-orm";
import type { InitiationStatus } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { listInitiations } from "#modules/payments/initiations/list.ts";
import { UNTIL_DECIDED } from "#modules/payments/initiations/movement-rows.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { isOnHold } from "#modules/payments/schedules/hold.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";

/** The progress of a movement of money. */
export interface MovementProgress {
  /** Attempts so far to make the movement or to learn its outcome. */
  readonly attempts: number;
  /** The error of the last attempt; absent if it had an outcome. */
  readonly lastError?: string;
  /** The time since which attempts have had no outcome. */
  readonly failingSince?: Timestamp;
  /** The time of the next attempt; during an attempt, the time at which its claim expires. */
  readonly nextAttemptAt: Timestamp;
  /** True if there is no next attempt before a person has decided about it; see `lookups/review-rows.ts`. */
  readonly needsReview?: true;
}

type Reads = Pick<ServiceContext, "env" | "clock">;

/** An initiation with the progress of its movement; absent without a movement. */
export interface ShownInitiation extends Initiation {
  readonly progress?: MovementProgress;
  /** Whether its creator may neither approve nor reverse it. */
  readonly needsSecondPerson: boolean;
}

/** The statuses in which an initiation may have a movement. */
const UNDER_WAY: ReadonlySet<InitiationStatus> = new Set([
  "SCHEDULED_FOR_PROCESSING",
  "PROCESSING",
  "REVERSE_PROCESSING",
]);

/** Adds the progress of their movements to initiations. Reads nothing if no initiation has one. */
async function withProgress(
  context: Reads,
  initiations: readonly Initiation[],
): Promise<ShownInitiation[]> {
  const moving = initiations.filter(({ state }) => UNDER_WAY.has(state.status));
  const progress = await progressOf(
    context,
    moving.map(({ key }) => key),
  );
  const { FLORIN_PAYMENTS_FOUR_EYES: needsSecondPerson } = paymentSettings.of(context.env);
  return initiations.map((initiation) => ({
    ...initiation,
    needsSecondPerson,
    ...given({ progress: progress.get(initiation.key) }),
  }));
}

/** An initiation with its progress. Throws `NOT_FOUND`. */
export async function readInitiation(context: Reads, id: OwnedId): Promise<ShownInitiation> {
  const initiation = await getInitiation(context, id);
  const [shown] = await withProgress(context, [initiation]);
  if (shown === undefined) throw new Error("an initiation was lost");
  return shown;
}

/** A page of initiations with their progress. Throws `VALIDATION` for a bad filter. */
export async function listShownInitiations(
  context: Reads,
  query: PageQuery,
): Promise<Page<ShownInitiation>> {
  const page = await listInitiations(context, query);
  return { ...page, data: await withProgress(context, page.data) };
}

/** Progress by the keys of initiations; initiations without a movement are left out. */
async function progressOf(
  context: Reads,
  initiationKeys: readonly number[],
): Promise<ReadonlyMap<number, MovementProgress>> {
  if (initiationKeys.length === 0) return new Map();
  const keys = stringifyJson(initiationKeys);
  const found = await read(
    context,
    sql`${paymentMovements.initiationKey} IN (SELECT value FROM json_each(${keys}))`,
  );
  return new Map(found.map(({ initiationKey, progress }) => [initiationKey, progress]));
}

/** The progress of a task's movement; undefined for a task without a movement, and for one that has ended. */
export async function progressOfTask(
  context: Reads,
  { id, connectorKey, status }: Task,
): Promise<MovementProgress | undefined> {
  if (status !== "PROCESSING" || connectorKey === undefined) return undefined;
  const [found] = await read(
    context,
    sql`${paymentMovements.connectorKey} = ${connectorKey} AND ${paymentMovements.task} = ${id.reference}`,
  );
  return found?.progress;
}

async function read({ env, clock }: Reads, condition: SQL) {
  const held = isOnHold(clock(), paymentConnectors.heldUntil);
  const rows = await databaseOf(env)
    .select({
      initiationKey: paymentMovements.initiationKey,
      attempts: paymentMovements.claims,
      lastError: paymentMovements.lastError,
      failingSince: paymentMovements.failingSince,
      nextAttemptAt: sql<Timestamp>`CASE
        WHEN ${held} THEN max(${paymentMovements.dueAt}, ${paymentConnectors.heldUntil})
        ELSE ${paymentMovements.dueAt} END`,
      dueAt: paymentMovements.dueAt,
    })
    .from(paymentMovements)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentMovements.connectorKey))
    .where(condition);
  return rows.map(({ initiationKey, attempts, nextAttemptAt, dueAt, ...trouble }) => ({
    initiationKey,
    progress: {
      attempts,
      nextAttemptAt,
      ...given(trouble),
      ...(dueAt === UNTIL_DECIDED ? { needsReview: true as const } : {}),
    },
  }));
}
