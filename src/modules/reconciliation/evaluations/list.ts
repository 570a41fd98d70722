import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import { type RuleEvaluation, toEvaluation } from "./evaluation.ts";
import { reconciliationEvaluations } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import {
  assertReadsEvidence,
  getRule,
  isOfListedRule,
  ruleIdKey,
} from "#modules/reconciliation/rules/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage, type RowScan } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

/** Most bytes of evidence on one page. A page with one evaluation may have more. */
const PAGE_BYTES_MAX = 2_000_000;

/** An evaluation, with the bytes of its evidence, which is read only for rows that the page has room for. */
interface ListedEvaluation extends RuleEvaluation {
  readonly bytes: number;
}

const EVALUATIONS: ListTable<ListedEvaluation> = {
  keys: {
    id: uuidKey(reconciliationEvaluations.id),
    ruleID: ruleIdKey(reconciliationEvaluations.ruleKey),
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

/**
 * A page of the evaluations of rules that the principal may read, the newest first. A page ends early where its evidence would have more
 * than `PAGE_BYTES_MAX`. Throws `VALIDATION` for a bad filter.
 */
export const listEvaluations = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<RuleEvaluation>> =>
  listPage(query, {
    ...EVALUATIONS,
    keptMax: keptMaxOf,
    read: (scan) => readListed({ env, principal }, scan),
  });

const { evidence: EVIDENCE, ...LIGHT_COLUMNS } = getTableColumns(reconciliationEvaluations);

async function readListed(
  context: Pick<ServiceContext, "env" | "principal">,
  scan: RowScan,
): Promise<ListedEvaluation[]> {
  const { env, principal } = context;
  const rows = await databaseOf(env)
    .select({ ...LIGHT_COLUMNS, bytes: sql<number>`octet_length(${EVIDENCE})` })
    .from(reconciliationEvaluations)
    .where(and(isOfListedRule(reconciliationEvaluations.ruleKey, principal), scan.where))
    .orderBy(...scan.orderBy)
    .limit(scan.limit)
    .offset(scan.offset);
  const kept = rows.slice(0, keptMaxOf(rows));
  const evidences = await readEvidence(env, kept);
  // The retention has deleted one of the rows in between.
  if (evidences.size < kept.length) return readListed(context, scan);
  return rows.map(({ bytes, ...row }) => ({
    ...toEvaluation({ ...row, evidence: evidences.get(row.key) ?? "[]" }),
    bytes,
  }));
}

/** How many of some rows fit on a page: the first one, and those after it whose evidence stays within the limit together. */
function keptMaxOf(rows: readonly { readonly bytes: number }[]): number {
  let total = 0;
  const beyond = rows.findIndex(({ bytes }) => {
    total += bytes;
    return total > PAGE_BYTES_MAX;
  });
  return beyond === -1 ? Math.max(1, rows.length) : Math.max(1, beyond);
}

/** The evidence of evaluations, by their keys. */
async function readEvidence(
  env: Env,
  rows: readonly { readonly key: number }[],
): Promise<ReadonlyMap<number, string>> {
  if (rows.length === 0) return new Map();
  const keys = stringifyJson(rows.map(({ key }) => key));
  const found = await databaseOf(env)
    .select({ key: reconciliationEvaluations.key, evidence: EVIDENCE })
    .from(reconciliationEvaluations)
    .where(sql`${reconciliationEvaluations.key} IN (SELECT value FROM json_each(${keys}))`);
  return new Map(found.map(({ key, evidence }) => [key, evidence]));
}

/** Most outcomes that `lastOutcomes` gives. */
const OUTCOMES_MAX = 20;

/** How a run of a rule ended. */
export type RunOutcome = Pick<RuleEvaluation, "id" | "result" | "startedAt" | "endedAt">;

/**
 * How the last runs of a rule ended, the newest first; without their evidence, which may be large. Empty for a principal that may not read
 * all that the rule has read. Throws as `getRule` does.
 */
export async function lastOutcomes(context: ServiceContext, ruleId: string): Promise<RunOutcome[]> {
  const { key } = await getRule(context, ruleId);
  const { id, ruleKey, result, startedAt, endedAt, createdAt } = reconciliationEvaluations;
  return databaseOf(context.env)
    .select({ id, result, startedAt, endedAt })
    .from(reconciliationEvaluations)
    .where(and(eq(ruleKey, key), isOfListedRule(ruleKey, context.principal)))
    .orderBy(desc(createdAt), desc(reconciliationEvaluations.key))
    .limit(OUTCOMES_MAX);
}

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
