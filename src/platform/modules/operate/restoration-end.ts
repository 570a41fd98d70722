import { z } from "@hono/zod-openapi";
import { and, eq, exists, isNull, sql } from "drizzle-orm";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { d1CopyDatabase } from "#platform/backup/copy-database.ts";
import { restorableTables } from "#platform/backup/restorable-tables.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { AppError } from "#platform/errors.ts";
import {
  ok,
  registration,
  type Registration,
  restorationOf,
  restorationOperations,
  RESTORING,
} from "#platform/http/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Module, Sweep } from "#platform/modules/module.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { planOf, type RestorationPlan } from "#platform/restoration/restoration-plan.ts";
import {
  findRestoration,
  overError,
  type StoredRestoration,
} from "#platform/restoration/restoration-token.ts";
import { LEDGER_PART, restoredCounts } from "#platform/restoration/restored-parts.ts";
import {
  restoration,
  type RestorationStage,
  restoredParts,
  restoredTables,
} from "#platform/restoration/tables.ts";
import { toMillis } from "#platform/time.ts";

/** Time from the end of a restoration to the first sweeps, in milliseconds. */
const HELD_MS = 5000;
/** Most tables that a refusal names. */
const NAMED_MAX = 10;

/** What hears of the end of a restoration. */
interface Restored {
  readonly modules: readonly Module[];
  readonly sweeps: readonly Sweep[];
}

/**
 * Ends a restoration: the deployment works as soon as it is served without `FLORIN_RESTORE`, and is disarmed as a restored one. The clocks of
 * all sweeps are armed before, because the work that the backup has left undone is known to none of them; they ring later as long as the
 * setting is there. The entry in the audit is that of who has begun, or gone on last. Throws `CONFLICT` where rows, ledgers or objects of the
 * plan are not there, and where the restoration was given up.
 */
async function endRestoration(
  context: ServiceContext,
  restored: StoredRestoration,
  { modules, sweeps }: Restored,
): Promise<void> {
  const { reference, stage, issuer, subject, clientId } = restored;
  if (stage === "ended") return;
  if (stage === "abandoned") throw overError({ reference, stage });
  const db = databaseOf(context.env);
  try {
    await assertComplete(context.env, planOf(restored));
  } catch (error) {
    // Another request has ended it meanwhile, and forgotten what has come.
    if ((await stageOf(db, reference)) === "ended") return;
    throw error;
  }
  await Promise.all(
    modules.flatMap(({ onRestored }) => (onRestored === undefined ? [] : [onRestored(context)])),
  );
  const nowMs = toMillis(systemClock());
  await Promise.all(sweeps.map(({ name }) => armClock(context.env, name, nowMs + HELD_MS)));
  const change = new AuditedChange(
    { ...context, principal: { ...context.principal, issuer, subject, clientId } },
    { action: "deployment.backup.restore", object: `restorations/${reference}` },
  );
  const isNamed = eq(restoration.reference, reference);
  const hasEnded = exists(
    db
      .select()
      .from(restoration)
      .where(and(isNamed, eq(restoration.stage, "ended"))),
  );
  const [ended] = await change.store(
    db
      .update(restoration)
      .set({ stage: "ended", endedAt: context.clock() })
      .where(and(isNamed, eq(restoration.stage, "under-way")))
      .returning({ id: restoration.id }),
    db.delete(restoredTables).where(hasEnded),
    db.delete(restoredParts).where(hasEnded),
  );
  if (ended !== undefined) return;
  if ((await stageOf(db, reference)) === "ended") return;
  throw overError({ reference, stage: "abandoned" });
}

/**
 * Throws `CONFLICT` where something of the plan is not there. Rows are not counted: their number was noted in the transaction that wrote them,
 * nothing else was at work, and a count of a large table takes longer than D1 allows. Objects that came back later may have changed rows.
 */
async function assertComplete(env: Pick<Env, "DB">, plan: RestorationPlan): Promise<void> {
  const missing = [
    ...(await missingRows(env, plan)),
    ...(await missingParts(env, plan)),
    ...(await missingLedgers(env, plan)),
  ];
  if (missing.length === 0) return;
  const more = missing.length > NAMED_MAX ? ", …" : "";
  throw new AppError(
    "CONFLICT",
    `the restoration is not complete: ${missing.slice(0, NAMED_MAX).join(", ")}${more}`,
  );
}

async function missingRows(
  env: Pick<Env, "DB">,
  { tables: wanted }: RestorationPlan,
): Promise<string[]> {
  const tables = await restorableTables(d1CopyDatabase(env.DB));
  const written = new Map(
    (await databaseOf(env).select().from(restoredTables)).map((row) => [row.name, row]),
  );
  return tables.flatMap(({ name }) => {
    const row = written.get(name);
    if (row?.isComplete !== 1) return [`${name} was not written to its end`];
    const rows = wanted[name] ?? 0;
    return row.rows === rows ? [] : [`${name} has ${row.rows} of ${rows} rows`];
  });
}

/** Compares the numbers of ledgers, and of objects of each class. */
async function missingParts(env: Pick<Env, "DB">, plan: RestorationPlan): Promise<string[]> {
  const counts = await restoredCounts(databaseOf(env));
  return Object.entries({ [LEDGER_PART]: plan.ledgers, ...plan.objects }).flatMap(
    ([kind, wanted]) => {
      const found = counts.get(kind) ?? 0;
      return found === wanted ? [] : [`${found} of ${wanted} are there of the kind ${kind}`];
    },
  );
}

/** The ledgers that the database has, and whose logs neither came nor are missing in the backup. */
async function missingLedgers(
  env: Pick<Env, "DB">,
  { missingLedgers: known }: RestorationPlan,
): Promise<string[]> {
  const rows = await databaseOf(env).all<{ name: string }>(sql`
    SELECT name FROM ledgers
    WHERE purging_since IS NULL
      AND uuid NOT IN (SELECT p.name FROM restored_parts AS p WHERE p.kind = ${LEDGER_PART})
      AND uuid NOT IN (SELECT value FROM json_each(${stringifyJson(known)}))
    LIMIT ${NAMED_MAX + 1}`);
  return rows.map(({ name }) => `the ledger '${name}' has no log`);
}

/**
 * Gives a restoration up. One that has written nothing leaves the deployment as it was, disarmed; after any other one the deployment has to be
 * made anew, and refuses everything with and without `FLORIN_RESTORE`: its ledgers and objects are half of another one's. Returns whether it
 * has to. Throws `CONFLICT` where the restoration has ended meanwhile.
 */
async function abandonRestoration(
  { env, clock }: ServiceContext,
  { reference }: StoredRestoration,
): Promise<boolean> {
  const db = databaseOf(env);
  const isNamed = and(eq(restoration.reference, reference), eq(restoration.stage, "under-way"));
  const [dropped, abandoned] = await storeWithReserve(db, [
    db
      .delete(restoration)
      .where(and(isNamed, isNull(restoration.writtenAt)))
      .returning({ id: restoration.id }),
    db
      .update(restoration)
      .set({ stage: "abandoned", endedAt: clock() })
      .where(isNamed)
      .returning({ id: restoration.id }),
  ]);
  if (dropped.length + abandoned.length > 0) return abandoned.length > 0;
  // Another request was faster.
  const stage = await stageOf(db, reference);
  if (stage === "ended") throw overError({ reference, stage });
  return stage === "abandoned";
}

/** The stage of a restoration; undefined where it is gone, because it was given up before anything was written. */
async function stageOf(db: Database, reference: string): Promise<RestorationStage | undefined> {
  const found = await findRestoration(db);
  return found?.reference === reference ? found.stage : undefined;
}

const AbandonedResponse = z
  .object({
    makeAnew: z.boolean().openapi({
      description:
        "Whether a part of the backup was written, so that the deployment refuses everything and has to be made anew",
    }),
  })
  .openapi("AbandonedRestoration");

const restoring = restorationOperations("/api/florin/v1");

/** The operations by which a restoration is over. */
export const restorationEndRoutes = (
  modules: readonly Module[],
  sweeps: readonly Sweep[],
): Registration =>
  registration(
    restoring.post("/end", {
      ...RESTORING,
      operationId: "florinEndRestoration",
      summary: "End a restoration, so that the deployment may work",
      description:
        "Compares rows, ledgers and objects with what the beginning has announced. Served without `FLORIN_RESTORE`, the deployment then works, with the clients and people of the backup, and stays disarmed. The end of a restoration that has ended is no error.",
      answer: ok.empty("The deployment is the copy"),
      handle: async (request) =>
        endRestoration(request.context, await restorationOf(request, { mayBeOver: true }), {
          modules,
          sweeps,
        }),
    }),
    restoring.delete("", {
      ...RESTORING,
      operationId: "florinAbandonRestoration",
      summary: "Give a restoration up",
      description:
        "A deployment of which no part was written yet is as it was before, but disarmed. Any other one refuses everything from now on, and has to be made anew.",
      answer: ok.data("The restoration is over", AbandonedResponse),
      handle: async (request) => ({
        makeAnew: await abandonRestoration(request.context, await restorationOf(request)),
      }),
    }),
  );
