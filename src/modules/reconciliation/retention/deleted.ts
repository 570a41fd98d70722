import { and, isNotNull, not, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  reconciliationAlertEvents,
  reconciliationAlerts,
} from "#modules/reconciliation/alerts/tables.ts";
import { isUnfinished } from "#modules/reconciliation/corrections/store.ts";
import { reconciliationCorrections } from "#modules/reconciliation/corrections/tables.ts";
import { reconciliationEvaluations } from "#modules/reconciliation/evaluations/tables.ts";
import { reachMatching } from "#modules/reconciliation/matchings/object-calls.ts";
import {
  reconciliationMatchingRuns,
  reconciliationMatchings,
} from "#modules/reconciliation/matchings/tables.ts";
import {
  reconciliationPolicies,
  reconciliations,
} from "#modules/reconciliation/policies/tables.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import { reconciliationSources } from "#modules/reconciliation/sources/tables.ts";
import { clearSource } from "#modules/reconciliation/statements/content.ts";
import {
  reconciliationStatementHeads,
  reconciliationStatements,
} from "#modules/reconciliation/statements/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

/** Most rows that one statement deletes, most statements of one sweep, and most deleted policies, rules or matchings that one sweep looks at. */
const ROWS_MAX = 1000;
const STATEMENTS_MAX = 20;
const PARENTS_MAX = 100;
/** Most deleted matchings, and most deleted sources, that one sweep looks at: each has an object, which is called. */
const EMPTIED_MAX = 10;
/** When a sweep looks again after something that is busy, in milliseconds. */
const BUSY_MS = 60_000;

interface Owner {
  readonly key: number;
  readonly id: string;
}

/** A table whose rows are deleted with those of another one. */
interface Owned {
  readonly table: SQLiteTable;
  /** SQL condition for the rows of an owner. */
  readonly isOf: (owner: Owner) => SQL;
}

interface Owners {
  readonly table:
    | typeof reconciliationMatchings
    | typeof reconciliationPolicies
    | typeof reconciliationRules;
  readonly owned: readonly Owned[];
  /** SQL condition for owners of which something is under way that has to end first; undefined where nothing ever is. */
  readonly isBusy?: SQL;
  /** Removes what an owner has outside of D1. */
  readonly empty?: (env: Env, id: string) => Promise<void>;
}

const POLICIES: Owners = {
  table: reconciliationPolicies,
  owned: [{ table: reconciliations, isOf: ({ key }) => sql`policy_key = ${key}` }],
};
const RULES: Owners = {
  table: reconciliationRules,
  owned: [reconciliationAlertEvents, reconciliationAlerts, reconciliationEvaluations].map(
    (table) => ({ table, isOf: ({ key }) => sql`rule_key = ${key}` }),
  ),
};
const MATCHINGS: Owners = {
  table: reconciliationMatchings,
  owned: [
    { table: reconciliationMatchingRuns, isOf: ({ key }) => sql`matching_key = ${key}` },
    { table: reconciliationCorrections, isOf: ({ id }) => sql`matching_id = ${id}` },
  ],
  // Money may have moved, and then the correction says so.
  isBusy: sql`EXISTS (SELECT 1 FROM ${reconciliationCorrections}
    WHERE matching_id = ${reconciliationMatchings.id} AND ${isUnfinished()})`,
  empty: (env, id) => reachMatching(env, id, (object) => object.empty()),
};

/**
 * Deletes deleted policies, rules, matchings and sources with all that belongs to them, up to `ROWS_MAX * STATEMENTS_MAX` rows. Returns when to go on, in
 * milliseconds since the epoch; undefined if nothing is left.
 */
export async function purgeDeleted({
  env,
  clock,
}: Pick<ServiceContext, "env" | "clock">): Promise<number | undefined> {
  const db = databaseOf(env);
  const budget = { left: STATEMENTS_MAX };
  let isDone = true;
  for (const owners of [POLICIES, RULES, MATCHINGS])
    isDone = isDone && (await purgeParents(env, db, { owners, budget }));
  isDone = isDone && (await purgeSources({ env }, budget));
  const nowMs = toMillis(clock());
  if (!isDone) return nowMs;
  const [busy] = await db
    .select({ key: MATCHINGS.table.key })
    .from(MATCHINGS.table)
    .where(and(isNotNull(MATCHINGS.table.deletedAt), MATCHINGS.isBusy))
    .limit(1);
  return busy === undefined ? undefined : nowMs + BUSY_MS;
}

interface Budget {
  /** The statements that the sweep may still run. */
  left: number;
}

async function purgeParents(
  env: Env,
  db: Database,
  { owners, budget }: { readonly owners: Owners; readonly budget: Budget },
): Promise<boolean> {
  const { table, owned, isBusy, empty } = owners;
  const limit = empty === undefined ? PARENTS_MAX : EMPTIED_MAX;
  const parents = await db
    .select({ key: table.key, id: table.id })
    .from(table)
    .where(and(isNotNull(table.deletedAt), isBusy === undefined ? undefined : not(isBusy)))
    .limit(limit);
  for (const parent of parents) {
    const { key, id } = parent;
    await empty?.(env, id);
    for (const { table: child, isOf } of owned) {
      const isOwned = isOf(parent);
      if (!(await purgeChildren(db, { table: child, isOwned }, budget))) return false;
    }
    await db.run(sql`DELETE FROM ${table} WHERE key = ${key} AND deleted_at IS NOT NULL`);
  }
  return parents.length < limit;
}

/**
 * Deletes deleted sources: first what the object of a source has, then the rows. An upload that was under way finds its source gone, and the
 * object forgets it.
 */
async function purgeSources(
  { env }: Pick<ServiceContext, "env">,
  budget: Budget,
): Promise<boolean> {
  const db = databaseOf(env);
  const sources = await db
    .select({ id: reconciliationSources.id, kind: reconciliationSources.kind })
    .from(reconciliationSources)
    .where(isNotNull(reconciliationSources.deletedAt))
    .limit(EMPTIED_MAX);
  for (const { id, kind } of sources) {
    if (kind === "statement") await clearSource({ env }, id);
    for (const table of [reconciliationStatementHeads, reconciliationStatements]) {
      const isOwned = sql`source_id = ${id}`;
      if (!(await purgeChildren(db, { table, isOwned }, budget))) return false;
    }
    await db.run(
      sql`DELETE FROM ${reconciliationSources} WHERE id = ${id} AND deleted_at IS NOT NULL`,
    );
  }
  return sources.length < EMPTIED_MAX;
}

/** Deletes the rows of an owner. Returns whether none is left. */
async function purgeChildren(
  db: Database,
  { table, isOwned }: { readonly table: SQLiteTable; readonly isOwned: SQL },
  budget: Budget,
): Promise<boolean> {
  for (;;) {
    if (budget.left-- <= 0) return false;
    const gone = await db.all(sql`
      DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE ${isOwned} LIMIT ${ROWS_MAX})
      RETURNING key`);
    if (gone.length < ROWS_MAX) return true;
  }
}
