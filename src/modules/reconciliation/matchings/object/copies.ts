import { and, eq, sql } from "drizzle-orm";
import type { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import type { RunHead } from "#modules/reconciliation/matchings/engine/heads.ts";
import type { JournalEntry } from "#modules/reconciliation/matchings/engine/journal.ts";
import {
  reconciliationMatchingRuns,
  reconciliationMatchings,
} from "#modules/reconciliation/matchings/tables.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import { armAuditSweep } from "#platform/audit/audited-change.ts";
import { audit } from "#platform/audit/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";

/** Most decisions that one batch copies. */
const DECISIONS_MAX = 100;

/**
 * Copies heads of runs and decisions of a matching to D1. Copying twice does no harm: a head takes the place of its earlier copy, and the row
 * of the matching says which decision is the last one that the audit has, in the batch that adds the entries.
 */
export async function copyToDatabase(
  context: Pick<ServiceContext, "env">,
  matchingId: string,
  engine: MatchingEngine,
): Promise<void> {
  for (const head of engine.heads.uncopied()) {
    await copyHead(context, matchingId, head);
    engine.heads.setCopied(head);
  }
  await copyDecisions(context, matchingId, engine);
}

async function copyHead(
  { env }: Pick<ServiceContext, "env">,
  matchingId: string,
  head: RunHead,
): Promise<void> {
  const { number, state } = head;
  const text = stringifyJson(head);
  const db = databaseOf(env);
  const { matchingKey, number: numberColumn } = reconciliationMatchingRuns;
  await db.batch([
    db
      .insert(reconciliationMatchingRuns)
      .select(
        sql`SELECT NULL, key, ${number}, ${state}, ${text} FROM ${reconciliationMatchings}
          WHERE id = ${matchingId} AND deleted_at IS NULL`,
      )
      .onConflictDoUpdate({
        target: [matchingKey, numberColumn],
        set: { state: sql`excluded.state`, head: sql`excluded.head` },
      }),
    db
      .update(reconciliationMatchings)
      .set({ lastRun: text })
      .where(
        and(
          eq(reconciliationMatchings.id, matchingId),
          sql`(last_run IS NULL OR last_run ->> 'number' <= ${number})`,
        ),
      ),
  ]);
}

async function copyDecisions(
  context: Pick<ServiceContext, "env">,
  matchingId: string,
  { journal }: MatchingEngine,
): Promise<void> {
  if (journal.after(0, 1).length === 0) return;
  const db = databaseOf(context.env);
  const [row] = await db.all<{ last: number }>(
    sql`SELECT audited_decision AS last FROM ${reconciliationMatchings} WHERE id = ${matchingId}`,
  );
  if (row === undefined) return; // Nothing is left of the matching, and its audit is complete.
  for (let { last } = row; ;) {
    const decisions = journal.after(last, DECISIONS_MAX);
    const next = decisions.at(-1)?.id;
    if (next === undefined) return;
    const isNext = sql`(SELECT audited_decision FROM ${reconciliationMatchings} WHERE id = ${matchingId}) = ${last}`;
    const entries = stringifyJson(decisions.map((decision) => entryOf(matchingId, decision)));
    await db.batch([
      db.insert(audit).select(
        sql`SELECT NULL, ${sql.raw([0, 1, 2, 3, 4, 5, 6].map((place) => `value ->> ${place}`).join(", "))}, NULL
            FROM json_each(${entries}) WHERE ${isNext} ORDER BY key`,
      ),
      db
        .update(reconciliationMatchings)
        .set({ auditedDecision: next })
        .where(
          and(
            eq(reconciliationMatchings.id, matchingId),
            eq(reconciliationMatchings.auditedDecision, last),
          ),
        ),
    ]);
    await armAuditSweep(context);
    last = next;
  }
}

function entryOf(matchingId: string, decision: JournalEntry): readonly string[] {
  const { at, what, group, run, request } = decision;
  const { issuer, subject, clientId } = fromPrincipalColumn(decision.principal);
  return what === "run"
    ? [
        at,
        issuer,
        subject,
        clientId,
        "reconciliation.matching.run",
        `matchings/${matchingId}/runs/${run}`,
        request,
      ]
    : [
        at,
        issuer,
        subject,
        clientId,
        `reconciliation.group.${what}`,
        `matchings/${matchingId}/groups/${group}`,
        request,
      ];
}
