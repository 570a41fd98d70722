import { and, eq, isNull, type SQL } from "drizzle-orm";
import { type Matching, toMatching } from "./matching.ts";
import { reconciliationMatchings } from "./tables.ts";
import { assertReaches, isReached, type Reach } from "#modules/reconciliation/balances/reach.ts";
import { allowsLedger } from "#platform/access/ledger-patterns.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

const { deletedAt, ledgers, hasPayments } = reconciliationMatchings;

/** SQL condition for matchings that a list shows to a principal: those of which the principal may read everything. */
export const isListed = (principal: Principal): SQL | undefined =>
  and(isNull(deletedAt), isReached(principal, { ledgers, hasPools: hasPayments }));

/** A matching, whoever asks; undefined for one that does not exist or was deleted. */
export async function findMatching(
  { env }: Pick<ServiceContext, "env">,
  id: string,
): Promise<Matching | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(reconciliationMatchings)
    .where(and(eq(reconciliationMatchings.id, id), isNull(deletedAt)));
  return row === undefined ? undefined : toMatching(row);
}

/**
 * A matching. Throws `NOT_FOUND`, also for one of a ledger that the principal is kept from, and `UNAUTHENTICATED` without the scopes of what
 * its sources read.
 */
export async function getMatching(
  context: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<Matching> {
  const { principal } = context;
  const matching = await findMatching(context, id);
  const isKept = matching?.reach.ledgers.some((name) => !allowsLedger(principal.ledgers, name));
  if (matching === undefined || isKept) throw noMatching(id);
  assertReaches(principal, matching.reach, "the matching");
  return matching;
}

export const noMatching = (id: string): AppError =>
  new AppError("NOT_FOUND", `there is no matching ${id}`);

/** What several reaches cover together. */
export const joinedReach = (reaches: readonly Reach[]): Reach => ({
  ledgers: [...new Set(reaches.flatMap((reach) => reach.ledgers))],
  hasPools: reaches.some(({ hasPools }) => hasPools),
});

export const reachColumns = (reach: Reach) => ({
  ledgers: stringifyJson(reach.ledgers),
  hasPayments: reach.hasPools,
});
