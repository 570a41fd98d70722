import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { type FlowInstance, type StageStatus, toInstance } from "./instance.ts";
import { orchestrationInstances, orchestrationStages } from "./tables.ts";
import { orchestrationWorkflows } from "#modules/orchestration/workflows/tables.ts";
import { toWorkflow } from "#modules/orchestration/workflows/workflow.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";
import { AppError } from "#platform/errors.ts";

/**
 * An instance that the principal may see. A principal that is bound to ledgers sees what was started under the same binding or a narrower
 * one.
 */
export async function findInstance(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<FlowInstance | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(orchestrationInstances)
    .innerJoin(
      orchestrationWorkflows,
      eq(orchestrationWorkflows.key, orchestrationInstances.workflowKey),
    )
    .where(and(eq(orchestrationInstances.id, id), isInstanceVisible(principal)));
  return row === undefined
    ? undefined
    : toInstance(row.orchestration_instances, toWorkflow(row.orchestration_workflows));
}

/** An instance and its current stage, which is undefined once all stages are done. */
export async function findProgress(
  { env }: Pick<ServiceContext, "env">,
  id: string,
): Promise<{ instance: FlowInstance; status: StageStatus | undefined } | undefined> {
  const { key, stage, workflowKey } = orchestrationInstances;
  const { instanceKey, number } = orchestrationStages;
  const [row] = await databaseOf(env)
    .select()
    .from(orchestrationInstances)
    .innerJoin(orchestrationWorkflows, eq(orchestrationWorkflows.key, workflowKey))
    .leftJoin(orchestrationStages, and(eq(instanceKey, key), eq(number, stage)))
    .where(eq(orchestrationInstances.id, id));
  if (row === undefined) return undefined;
  const status = row.orchestration_stages;
  return {
    instance: toInstance(row.orchestration_instances, toWorkflow(row.orchestration_workflows)),
    status: status === null ? undefined : toStageStatus(status),
  };
}

export const isInstanceVisible = ({ ledgers }: Principal): SQL | undefined =>
  whereBindingCovered(sql`${orchestrationInstances.principal} -> '$.ledgers'`, ledgers);

/** An instance that the principal may see. Throws `NOT_FOUND`. */
export async function getInstance(
  context: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<FlowInstance> {
  const instance = await findInstance(context, id);
  if (instance === undefined) throw new AppError("NOT_FOUND", "Instance not found");
  return instance;
}

/** The stages that an instance has come to, in order. */
export async function stagesOf(
  { env }: Pick<ServiceContext, "env">,
  { key }: Pick<FlowInstance, "key">,
): Promise<StageStatus[]> {
  const rows = await databaseOf(env)
    .select()
    .from(orchestrationStages)
    .where(eq(orchestrationStages.instanceKey, key))
    .orderBy(asc(orchestrationStages.number));
  return rows.map(toStageStatus);
}

/** One of the stages that an instance has come to. */
export async function findStage(
  { env }: Pick<ServiceContext, "env">,
  { key }: Pick<FlowInstance, "key">,
  number: number,
): Promise<StageStatus | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(orchestrationStages)
    .where(and(eq(orchestrationStages.instanceKey, key), eq(orchestrationStages.number, number)));
  return row === undefined ? undefined : toStageStatus(row);
}

const toStageStatus = (row: typeof orchestrationStages.$inferSelect): StageStatus => ({
  number: row.number,
  startedAt: row.startedAt,
  ...(row.terminatedAt === null ? {} : { terminatedAt: row.terminatedAt }),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.historyError === null ? {} : { historyError: row.historyError }),
});
