import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { UnfinishedState } from "./state.ts";
import { isInstanceVisible } from "./store.ts";
import { orchestrationInstances } from "./tables.ts";
import { orchestrationWorkflows } from "#modules/orchestration/workflows/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** Most instances of a state that are looked at, the newest ones. */
export const COUNTED_INSTANCES_MAX = 10_000;

/** The states that are counted: an index leaves out instances that have succeeded. */
export const COUNTED_STATES = ["running", "waiting", "stuck", "failed"] as const;

/** How many instances are in each state, of one workflow or of all. Instances of deleted workflows are left out, as in the list. */
export async function countInstances(
  context: Pick<ServiceContext, "env" | "principal">,
  workflowId: string | undefined,
): Promise<Readonly<Record<UnfinishedState, number>>> {
  const counts = await Promise.all(
    COUNTED_STATES.map(async (state) => [state, await countIn(context, state, workflowId)]),
  );
  return Object.fromEntries(counts) as Record<UnfinishedState, number>; // The entries are those of all states.
}

async function countIn(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  state: UnfinishedState,
  workflowId: string | undefined,
): Promise<number> {
  const db = databaseOf(env);
  const { key, state: column, workflowKey } = orchestrationInstances;
  const newest = db
    .select({ workflowKey })
    .from(orchestrationInstances)
    .where(and(eq(column, state), isInstanceVisible(principal)))
    .orderBy(desc(key))
    .limit(COUNTED_INSTANCES_MAX)
    .as("newest");
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(newest)
    .innerJoin(orchestrationWorkflows, eq(orchestrationWorkflows.key, newest.workflowKey))
    .where(
      and(
        isNull(orchestrationWorkflows.deletedAt),
        workflowId === undefined ? undefined : eq(orchestrationWorkflows.id, workflowId),
      ),
    );
  return row?.count ?? 0;
}
