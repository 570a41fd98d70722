import { and, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Rule, toRule } from "./rule.ts";
import { reconciliationRules } from "./tables.ts";
import { assertReaches, isReached } from "#modules/reconciliation/balances/reach.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";
import { AppError } from "#platform/errors.ts";

const { deletedAt, ledgers, hasPools } = reconciliationRules;

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

/** SQL condition for rows of rules that a list shows to a principal; the column has the key of the rule. */
export const isOfListedRule = (column: SQLWrapper, principal: Principal): SQL =>
  sql`${column} IN (SELECT ${reconciliationRules.key} FROM ${reconciliationRules} WHERE ${isListed(principal)})`;

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

export const noRule = (id: string): AppError => new AppError("NOT_FOUND", `there is no rule ${id}`);
