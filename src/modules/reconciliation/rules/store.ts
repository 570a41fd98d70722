import { and, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Rule, toRule } from "./rule.ts";
import { reconciliationRules } from "./tables.ts";
import { assertReaches, isReached } from "#modules/reconciliation/balances/reach.ts";
import { ownerKey } from "#modules/reconciliation/balances/uuid-key.ts";
import { allowsLedger } from "#platform/access/ledger-patterns.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { CustomKey } from "#platform/db/keys.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";
import { AppError } from "#platform/errors.ts";

const { deletedAt, ledgers, hasPools, evidenceLedgers, evidenceHasPools } = reconciliationRules;

/** SQL condition for rules that are not deleted and from whose ledgers a principal is not kept by its binding. */
const isVisible = (principal: Principal): SQL | undefined =>
  and(isNull(deletedAt), isWithinBinding(principal));

const isWithinBinding = ({ ledgers: patterns }: Principal): SQL | undefined =>
  patterns.length === 0
    ? undefined
    : sql`(json_array_length(${ledgers}) = 0 OR ${whereBindingCovered(ledgers, patterns)})`;

/** SQL condition for rules that a list shows to a principal: those of which the principal may read everything. */
export const isListed = (principal: Principal): SQL | undefined =>
  and(isNull(deletedAt), isReached(principal, { ledgers, hasPools }));

/** A key of filters for the id of a rule, in a table whose column has the key of the rule. */
export const ruleIdKey = (column: SQLWrapper): CustomKey =>
  ownerKey(column, {
    table: reconciliationRules,
    key: reconciliationRules.key,
    id: reconciliationRules.id,
  });

/**
 * SQL condition for evaluations and alerts that a list shows to a principal: those of rules of which the principal may read everything that
 * they have read so far. The column has the key of the rule.
 */
export function isOfListedRule(column: SQLWrapper, principal: Principal): SQL {
  const isListedRule = and(
    isNull(deletedAt),
    isReached(principal, { ledgers: evidenceLedgers, hasPools: evidenceHasPools }),
  );
  // Without the plus, the list would be sorted anew for each page from the rows of all rules.
  return sql`+${column} IN (SELECT ${reconciliationRules.key} FROM ${reconciliationRules} WHERE ${isListedRule})`;
}

/**
 * A rule. Throws `NOT_FOUND`, also for a ledger that the principal is kept from, and `UNAUTHENTICATED` without the scopes of what the rule
 * reads.
 */
export async function getRule(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<Rule> {
  const [row] = await databaseOf(env)
    .select()
    .from(reconciliationRules)
    .where(and(eq(reconciliationRules.id, id), isVisible(principal)));
  if (row === undefined) throw noRule(id);
  const rule = toRule(row);
  assertReaches(principal, rule.reach, "the rule");
  return rule;
}

/**
 * Throws as `getRule` does for a principal that may not read the evaluations and alerts of a rule: these hold balances of everything that
 * the rule has read since it was created.
 */
export async function assertReadsEvidence(
  context: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<void> {
  const { principal } = context;
  const { evidenceReach } = await getRule(context, id);
  const isKept = evidenceReach.ledgers.some((name) => !allowsLedger(principal.ledgers, name));
  if (isKept) throw noRule(id);
  assertReaches(principal, evidenceReach, "the rule, as it is or as it was before a change,");
}

export const noRule = (id: string): AppError => new AppError("NOT_FOUND", `there is no rule ${id}`);
