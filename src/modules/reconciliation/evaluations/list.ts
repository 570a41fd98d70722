import { and, eq } from "drizzle-orm";
import { type RuleEvaluation, toEvaluation } from "./evaluation.ts";
import { reconciliationEvaluations } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import { assertReadsEvidence, isOfListedRule } from "#modules/reconciliation/rules/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const EVALUATIONS: ListTable<RuleEvaluation> = {
  keys: {
    id: uuidKey(reconciliationEvaluations.id),
    ruleID: uuidKey(reconciliationEvaluations.ruleId),
    result: { type: "set", column: reconciliationEvaluations.result },
    createdAt: { type: "date", column: reconciliationEvaluations.createdAt },
    startedAt: { type: "date", column: reconciliationEvaluations.startedAt },
    endedAt: { type: "date", column: reconciliationEvaluations.endedAt },
  },
  sort: {
    created_at: {
      type: "date",
      column: reconciliationEvaluations.createdAt,
      tie: reconciliationEvaluations.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the evaluations of rules that the principal may read, the newest first. Throws `VALIDATION` for a bad filter. */
export const listEvaluations = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<RuleEvaluation>> =>
  listPage(query, {
    ...EVALUATIONS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(reconciliationEvaluations)
        .where(and(isOfListedRule(reconciliationEvaluations.ruleKey, principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toEvaluation);
    },
  });

/** An evaluation. Throws as `assertReadsEvidence` does for its rule, and `NOT_FOUND`. */
export async function getEvaluation(context: ServiceContext, id: string): Promise<RuleEvaluation> {
  const missing = new AppError("NOT_FOUND", `there is no evaluation ${id}`);
  const [row] = await databaseOf(context.env)
    .select()
    .from(reconciliationEvaluations)
    .where(eq(reconciliationEvaluations.id, id));
  if (row === undefined) throw missing;
  try {
    await assertReadsEvidence(context, row.ruleId);
  } catch (error) {
    throw error instanceof AppError && error.kind === "NOT_FOUND" ? missing : error;
  }
  return toEvaluation(row);
}
