import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type StoredCorrection, toCorrection } from "./correction.ts";
import type { CorrectionState } from "./states.ts";
import { reconciliationCorrections } from "./tables.ts";
import { CORRECTIONS_SWEEP } from "#modules/reconciliation/sweep-names.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

const { id, matchingId, line, state, updatedAt } = reconciliationCorrections;

/** A correction of a matching. Throws `NOT_FOUND`. */
export async function correctionOf(
  { env }: Pick<ServiceContext, "env">,
  matching: string,
  correctionId: string,
): Promise<StoredCorrection> {
  const [row] = await databaseOf(env)
    .select()
    .from(reconciliationCorrections)
    .where(and(eq(id, correctionId), eq(matchingId, matching)));
  if (row === undefined)
    throw new AppError("NOT_FOUND", `the matching has no correction ${correctionId}`);
  return toCorrection(row);
}

/** How many bookings of a line's corrections there have been: a line is open again if the match of its booking is broken. */
export async function bookedOfLine(
  { env }: Pick<ServiceContext, "env">,
  of: { readonly matchingId: string; readonly line: number },
): Promise<number> {
  return databaseOf(env).$count(
    reconciliationCorrections,
    and(eq(matchingId, of.matchingId), eq(line, of.line), eq(state, "booked")),
  );
}

/** The columns that a step of a correction changes besides its state. */
type StepColumns = Partial<
  Pick<
    typeof reconciliationCorrections.$inferInsert,
    "decidedBy" | "decisionNote" | "error" | "transactionId" | "lineGroup"
  >
>;

/** A step of a correction from one state to the next. */
export interface CorrectionStep {
  readonly from: CorrectionState | readonly CorrectionState[];
  readonly to: CorrectionState;
  /** The verb of the entry in the audit; absent for steps that nobody takes by hand. */
  readonly verb?: string;
  readonly columns?: StepColumns;
}

/** Takes a step. Gives the correction after it; undefined where the correction was in another state. */
export async function takeStep(
  context: ServiceContext,
  { key, id: correctionId, matchingId: matching }: StoredCorrection,
  { from, to, verb, columns = {} }: CorrectionStep,
): Promise<StoredCorrection | undefined> {
  const { env, clock } = context;
  const now = clock();
  await watchChange(env, CORRECTIONS_SWEEP, toMillis(now));
  const change = databaseOf(env)
    .update(reconciliationCorrections)
    .set({ ...columns, state: to, updatedAt: now })
    .where(and(eq(reconciliationCorrections.key, key), inArray(state, [from].flat())))
    .returning();
  const rows =
    verb === undefined
      ? await change
      : await new AuditedChange(context, {
          action: `reconciliation.correction.${verb}`,
          object: `matchings/${matching}/corrections/${correctionId}`,
        }).store(change);
  const [row] = rows;
  return row === undefined ? undefined : toCorrection(row);
}

/** Corrections that have been in the middle of something since before a moment, the oldest first. */
export async function unfinishedBefore(
  { env }: Pick<ServiceContext, "env">,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<readonly StoredCorrection[]> {
  const rows = await databaseOf(env)
    .select()
    .from(reconciliationCorrections)
    .where(and(isUnfinished(), lt(updatedAt, sql`${before}`)))
    .orderBy(updatedAt)
    .limit(limit);
  return rows.map(toCorrection);
}

/** SQL condition for corrections that go on by themselves. Its first part is that of the index of pending ones, word by word, which finds them. */
export const isUnfinished = (): SQL =>
  sql`(state IN ('begun', 'waiting', 'booking', 'releasing') AND state <> 'waiting')`;

/** The last corrections of a line, the newest first. */
export async function correctionsOfLine(
  { env }: Pick<ServiceContext, "env">,
  of: { readonly matchingId: string; readonly line: number },
): Promise<readonly StoredCorrection[]> {
  const rows = await databaseOf(env)
    .select()
    .from(reconciliationCorrections)
    .where(and(eq(matchingId, of.matchingId), eq(line, of.line)))
    .orderBy(desc(reconciliationCorrections.key))
    .limit(20);
  return rows.map(toCorrection);
}
