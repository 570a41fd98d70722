import { and, eq, gt, isNull, lte, or, sql } from "drizzle-orm";
import type { RuleRow } from "./rule.ts";
import { noRule } from "./store.ts";
import { reconciliationRules } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** How long a lock lasts, in milliseconds: longer than an evaluation, with its storing. */
export const LOCK_MS = 90_000;

/** A rule that one evaluation holds. */
export interface LockedRule {
  readonly row: RuleRow;
  readonly token: string;
}

const { id, deletedAt, enabled, lockUntil, lockToken, eventsDueAt, key } = reconciliationRules;

/**
 * Locks a rule for one evaluation. A run for events takes the events that have come so far. Throws `NOT_FOUND`, `RULE_CHANGED` for a rule
 * that is not enabled, and `RULE_BUSY` for one that another evaluation holds. A lock whose holder was killed ends by itself.
 */
export async function lockRule(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  ruleId: string,
  { takesEvents = false }: { readonly takesEvents?: boolean } = {},
): Promise<LockedRule> {
  const now = clock();
  const token = newId();
  // A lock that ends far later than a new one would was taken before the clock stepped back.
  const farUntil = fromMillis(toMillis(now) + 2 * LOCK_MS);
  const db = databaseOf(env);
  const [row] = await db
    .update(reconciliationRules)
    .set({
      lockToken: token,
      lockUntil: fromMillis(toMillis(now) + LOCK_MS),
      ...(takesEvents ? { eventsTakenAt: now, eventsDueAt: null } : {}),
    })
    .where(
      and(
        eq(id, ruleId),
        isNull(deletedAt),
        eq(enabled, true),
        or(isNull(lockUntil), lte(lockUntil, now), gt(lockUntil, farUntil)),
      ),
    )
    .returning();
  if (row !== undefined) return { row, token };
  const [found] = await db
    .select({ enabled })
    .from(reconciliationRules)
    .where(and(eq(id, ruleId), isNull(deletedAt)));
  if (found === undefined) throw noRule(ruleId);
  throw found.enabled
    ? new AppError("RULE_BUSY", `the rule ${ruleId} is being evaluated`)
    : new AppError("RULE_CHANGED", `the rule ${ruleId} is not enabled`);
}

/** Releases a lock whose evaluation is not stored. Events that it has taken come due again. */
export async function releaseRule(
  { env }: Pick<ServiceContext, "env">,
  { row, token }: LockedRule,
): Promise<void> {
  await databaseOf(env)
    .update(reconciliationRules)
    .set({
      lockToken: null,
      lockUntil: null,
      eventsDueAt: sql`coalesce(${eventsDueAt}, ${reconciliationRules.eventsTakenAt})`,
      eventsTakenAt: null,
    })
    .where(and(eq(key, row.key), eq(lockToken, token)));
}
