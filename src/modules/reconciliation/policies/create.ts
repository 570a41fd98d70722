import { isNull, sql } from "drizzle-orm";
import { type Policy, toPolicy } from "./policy.ts";
import { reachOf } from "./store.ts";
import { reconciliationPolicies } from "./tables.ts";
import { assertReaches } from "#modules/reconciliation/balances/reach.ts";
import type { LedgerQuery } from "#modules/reconciliation/balances/read.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import { assertLedgerName, assertName, assertQuery } from "#modules/reconciliation/core/fields.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";

export interface NewPolicy {
  readonly name: string;
  readonly ledger: string;
  /** The filter of the ledger's accounts; empty for all accounts. */
  readonly query: LedgerQuery;
  readonly poolId: string;
}

/** Most policies of a deployment. */
const POLICIES_MAX = 1000;

/**
 * Creates a policy. Neither the ledger nor the pool has to exist. Throws `VALIDATION`, and `UNAUTHENTICATED` for a principal that may not
 * read both.
 */
export async function createPolicy(context: ServiceContext, input: NewPolicy): Promise<Policy> {
  const { name, ledger, query, poolId } = input;
  assertName(name);
  assertLedgerName(ledger, "ledgerName");
  assertQuery(query, { what: "ledgerQuery", mayBeEmpty: true });
  assertReaches(context.principal, reachOf(input), "the policy");
  await assertRoom(context);
  const id = newId();
  const change = new AuditedChange(context, {
    action: "reconciliation.policy.create",
    object: `policies/${id}`,
  });
  const [row] = await change.store(
    databaseOf(context.env)
      .insert(reconciliationPolicies)
      .values({ id, name, ledger, query: canonicalJson(query), poolId, createdAt: context.clock() })
      .returning(),
  );
  return toPolicy(present(row, "an insertion gives its row"));
}

async function assertRoom({ env }: Pick<ServiceContext, "env">): Promise<void> {
  const [row] = await databaseOf(env)
    .select({ count: sql<number>`count(*)` })
    .from(reconciliationPolicies)
    .where(isNull(reconciliationPolicies.deletedAt));
  if (row === undefined || row.count < POLICIES_MAX) return;
  throw new AppError("VALIDATION", `there are at most ${POLICIES_MAX} policies`);
}
