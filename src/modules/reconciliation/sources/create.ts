import { isNull, sql } from "drizzle-orm";
import { checkDefinition } from "./check-definition.ts";
import type { SourceDefinition } from "./definition.ts";
import { assertReadable } from "./read-lines.ts";
import { reachOfSource, type LineSource, toSource } from "./source.ts";
import { reconciliationSources } from "./tables.ts";
import { assertReaches } from "#modules/reconciliation/balances/reach.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import { assertName } from "#modules/reconciliation/core/fields.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

export interface NewSource {
  readonly name: string;
  readonly definition: SourceDefinition;
}

/** Most sources of a deployment. */
export const SOURCES_MAX = 1000;

/**
 * Creates a source. What it reads has to be there: the ledger, the connector or the pool. Throws `VALIDATION`, `SOURCE_UNREADABLE`, and
 * `UNAUTHENTICATED` for a principal that may not read it.
 */
export async function createSource(
  context: ServiceContext,
  { name, definition }: NewSource,
): Promise<LineSource> {
  assertName(name);
  await checkDefinition(definition);
  const reach = reachOfSource({ definition });
  assertReaches(context.principal, reach, "the source");
  await assertReadable(context, { name, definition });
  await assertRoom(context);
  const { env, principal, clock } = context;
  const id = newId();
  const now = clock();
  const change = new AuditedChange(context, {
    action: "reconciliation.source.create",
    object: `sources/${id}`,
  });
  const [row] = await change.store(
    databaseOf(env)
      .insert(reconciliationSources)
      .values({
        id,
        name,
        kind: definition.kind,
        definition: canonicalJson(definition),
        ledgers: stringifyJson(reach.ledgers),
        hasPayments: reach.hasPools,
        createdAt: now,
        updatedAt: now,
        createdBy: principal.subject,
      })
      .returning(),
  );
  return toSource(present(row, "an insertion gives its row"));
}

async function assertRoom({ env }: Pick<ServiceContext, "env">): Promise<void> {
  const [row] = await databaseOf(env)
    .select({ count: sql<number>`count(*)` })
    .from(reconciliationSources)
    .where(isNull(reconciliationSources.deletedAt));
  if (row === undefined || row.count < SOURCES_MAX) return;
  throw new AppError("VALIDATION", `there are at most ${SOURCES_MAX} sources`);
}
