import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { SourceDefinition } from "./definition.ts";
import { reachOfSource, type LineSource, toSource } from "./source.ts";
import { reconciliationSources } from "./tables.ts";
import { assertReaches, isReached } from "#modules/reconciliation/balances/reach.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";
import { AppError } from "#platform/errors.ts";

const { deletedAt, ledgers, hasPayments } = reconciliationSources;

/** SQL condition for sources that are not deleted and from whose ledgers a principal is not kept by its binding. */
export const isVisible = (principal: Principal): SQL | undefined =>
  and(isNull(deletedAt), isWithinBinding(principal));

const isWithinBinding = ({ ledgers: patterns }: Principal): SQL | undefined =>
  patterns.length === 0
    ? undefined
    : sql`(json_array_length(${ledgers}) = 0 OR ${whereBindingCovered(ledgers, patterns)})`;

/** SQL condition for sources that a list shows to a principal: those of which the principal may read everything. */
export const isListed = (principal: Principal): SQL | undefined =>
  and(isNull(deletedAt), isReached(principal, { ledgers, hasPools: hasPayments }));

/**
 * A source. Throws `NOT_FOUND`, also for a ledger that the principal is kept from, and `UNAUTHENTICATED` without the scopes of what the
 * source reads.
 */
export async function sourceOf(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<LineSource> {
  const [row] = await databaseOf(env)
    .select()
    .from(reconciliationSources)
    .where(and(eq(reconciliationSources.id, id), isVisible(principal)));
  if (row === undefined) throw noSource(id);
  const source = toSource(row);
  assertReaches(principal, reachOfSource(source), `the source '${source.name}'`);
  return source;
}

export const noSource = (id: string): AppError =>
  new AppError("NOT_FOUND", `there is no source ${id}`);

/** Whether a source has lines of a kind. */
export const isOfKind = <K extends SourceDefinition["kind"]>(
  source: LineSource,
  kind: K,
): source is LineSource<Extract<SourceDefinition, { kind: K }>> => source.definition.kind === kind;
