import { and, eq, sql } from "drizzle-orm";
import { headDeletion, headInsertions, headsProblem } from "./heads.ts";
import type { FileSpec, ReadFile, Removal, Verdict } from "./reading.ts";
import type { StatementRefusal, StatementState } from "./refusal.ts";
import { reconciliationStatements } from "./tables.ts";
import { fromPrincipalColumn, toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { systemClock } from "#platform/clock.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";

/** Refused files of a source that D1 remembers; older ones are forgotten. */
export const REFUSED_MAX = 100;

/** A file of a source as the object of the source knows it. */
export interface RecordedFile {
  readonly id: string;
  readonly bytes: number;
  readonly spec: FileSpec;
}

/** The context of whoever uploads or deletes, as the object remembers it. */
const contextOf = (
  env: Env,
  { principal, requestId }: Pick<Removal, "principal" | "requestId">,
): ServiceContext => ({
  env,
  principal: fromPrincipalColumn(principal),
  requestId,
  clock: systemClock,
});

/** `exists`: the source has the same content, in that statement. `gone`: the source was deleted. */
export type Recorded =
  | { readonly is: "new" }
  | { readonly is: "gone" }
  | { readonly is: "exists"; readonly id: string };

/**
 * Stores the head of a file that begins to be read, with an entry of the audit. A repetition changes nothing. A source has the same content
 * once, refused files apart.
 */
export async function recordReading(
  env: Env,
  { id, bytes, spec }: RecordedFile,
): Promise<Recorded> {
  const { sourceId, fileName, sha256 } = spec;
  const context = contextOf(env, spec);
  const db = databaseOf(env);
  const values = columnValues(reconciliationStatements, {
    key: null,
    id,
    sourceId,
    state: "reading",
    fileName: fileName ?? null,
    bytes,
    sha256,
    format: null,
    uploadedAt: context.clock(),
    uploadedBy: context.principal.subject,
    endedAt: null,
    lines: 0,
    pending: 0,
    refusal: null,
  });
  const change = new AuditedChange(context, {
    action: "reconciliation.statement.upload",
    object: `sources/${sourceId}/statements/${id}`,
  });
  const [stored] = await change.store(
    db
      .insert(reconciliationStatements)
      .select(
        sql`SELECT ${values} WHERE EXISTS (
          SELECT 1 FROM reconciliation_sources WHERE id = ${sourceId} AND deleted_at IS NULL)`,
      )
      .onConflictDoNothing()
      .returning({ id: reconciliationStatements.id }),
  );
  if (stored !== undefined) return { is: "new" };
  const [found] = await db
    .select({ id: reconciliationStatements.id })
    .from(reconciliationStatements)
    .where(
      sql`id = ${id} OR (source_id = ${sourceId} AND sha256 = ${sha256} AND state <> 'refused')`,
    )
    .orderBy(sql`id = ${id} DESC`)
    .limit(1);
  if (found === undefined) return { is: "gone" };
  return found.id === id ? { is: "new" } : { is: "exists", id: found.id };
}

/**
 * Stores what has become of a file, unless that is stored already, and returns the reason for which it is refused, if any: its own, or
 * that its heads do not fit those of the source. The caller stores one file of a source at a time.
 */
export async function recordVerdict(
  env: Env,
  file: RecordedFile,
  verdict: Verdict,
): Promise<StatementRefusal | undefined> {
  const { format } = verdict;
  const refusal = verdict.isRead ? await problemOf(env, file, verdict) : verdict.refusal;
  if (refusal !== undefined) await recordRefusal(env, file, { format, refusal });
  else if (verdict.isRead) await recordReady(env, file, verdict);
  return refusal;
}

const problemOf = (env: Env, { id, spec }: RecordedFile, { heads }: ReadFile) =>
  headsProblem(databaseOf(env), {
    statementId: id,
    sourceId: spec.sourceId,
    heads,
    mayOverlap: spec.mayOverlap,
  });

async function recordReady(
  env: Env,
  { id, spec: { sourceId } }: RecordedFile,
  { format, heads, lines, pending }: ReadFile,
): Promise<void> {
  const db = databaseOf(env);
  await db.batch([
    db
      .update(reconciliationStatements)
      .set({ state: "ready", format, lines, pending, endedAt: systemClock() })
      .where(isReading(id)),
    ...headInsertions(db, { statementId: id, sourceId, heads }),
  ]);
}

async function recordRefusal(
  env: Env,
  { id, spec: { sourceId } }: RecordedFile,
  { format, refusal }: Pick<Extract<Verdict, { isRead: false }>, "format" | "refusal">,
): Promise<void> {
  const db = databaseOf(env);
  await db.batch([
    db
      .update(reconciliationStatements)
      .set({
        state: "refused",
        format: format ?? null,
        endedAt: systemClock(),
        refusal: stringifyJson(refusal),
      })
      .where(isReading(id)),
    db.delete(reconciliationStatements).where(
      sql`key IN (
        SELECT key FROM ${reconciliationStatements} WHERE source_id = ${sourceId} AND state = 'refused'
        ORDER BY uploaded_at DESC, key DESC LIMIT -1 OFFSET ${REFUSED_MAX})`,
    ),
  ]);
}

const isReading = (id: string) =>
  and(eq(reconciliationStatements.id, id), eq(reconciliationStatements.state, "reading"));

/** Deletes the head of a file with an entry of the audit. A file that is gone is no error. */
export async function recordRemoval(env: Env, id: string, removal: Removal): Promise<void> {
  const { sourceId } = removal;
  const db = databaseOf(env);
  const change = new AuditedChange(contextOf(env, removal), {
    action: "reconciliation.statement.delete",
    object: `sources/${sourceId}/statements/${id}`,
  });
  await change.storeAfter(
    [headDeletion(db, { sourceId, id })],
    db
      .delete(reconciliationStatements)
      .where(
        and(eq(reconciliationStatements.id, id), eq(reconciliationStatements.sourceId, sourceId)),
      ),
  );
}

/** The states of the files of a source, as D1 has them, by the ids of files. */
export async function recordedStates(
  env: Env,
  sourceId: string,
): Promise<ReadonlyMap<string, StatementState>> {
  const { id, state } = reconciliationStatements;
  const rows = await databaseOf(env)
    .select({ id, state })
    .from(reconciliationStatements)
    .where(eq(reconciliationStatements.sourceId, sourceId));
  return new Map(rows.map((row) => [row.id, row.state]));
}

/** Deletes the heads of files that the object of a source has lost, because they were deleted when it was saved. Refused ones have no file. */
export async function recordLost(
  env: Env,
  sourceId: string,
  { states, ids }: LostFiles,
): Promise<void> {
  const { principal, requestId } = systemContext(env, "restoration");
  const removal = { sourceId, requestId, principal: toPrincipalColumn(principal) };
  const known = new Set(ids);
  for (const [id, state] of states) {
    if (state !== "refused" && !known.has(id)) await recordRemoval(env, id, removal);
  }
}

/** The files that D1 knows, and the ids of those that the object has. */
interface LostFiles {
  readonly states: ReadonlyMap<string, StatementState>;
  readonly ids: readonly string[];
}
